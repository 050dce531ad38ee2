//! Many waits at once.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// Waits for all futures at once, and returns what they do in their order. On one connection they become one round trip.
pub(crate) async fn together<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut waiting: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = waiting.iter().map(|_| None).collect();
    poll_fn(|cx| {
        for (future, slot) in waiting.iter_mut().zip(&mut done).filter(|(_, slot)| slot.is_none()) {
            if let Poll::Ready(value) = future.as_mut().poll(cx) {
                *slot = Some(value);
            }
        }
        if done.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}
