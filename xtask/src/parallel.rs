//! Work on all processors.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

/// Runs `work` for each item on all processors. Results keep the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let queue = Mutex::new(items.iter().enumerate());
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let next = || queue.lock().expect("no worker panics while it holds the queue").next();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                while let Some((index, item)) = next() {
                    let result = work(item);
                    results.lock().expect("no worker panics while it holds the results").push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("all workers have ended");
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_their_items() {
        let items: Vec<u32> = (0..50).collect();
        assert_eq!(map(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
    }
}
