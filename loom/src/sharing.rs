//! Models of what is handed from one thread to others.

use std::sync::Arc;

use loom::thread;

use crate::frozen::Frozen;
use crate::latest::Latest;
use crate::model;
use crate::slot::Slot;
use crate::sync::Mutex;

/// However the two who take numbers away meet, the newest is the last one to arrive, and none undoes a newer one.
pub fn the_newest_number_wins() {
    model(|| {
        let latest = Arc::new(Latest::new());
        let arrived = Arc::new(Mutex::new(0));
        let deliver = |latest: Arc<Latest>, arrived: Arc<Mutex<u64>>| {
            thread::spawn(move || {
                loop {
                    let number = latest.get();
                    let before = std::mem::replace(&mut *arrived.lock(), number);
                    assert!(before <= number, "{number} undid {before}");
                    if latest.is_done(number) {
                        return;
                    }
                }
            })
        };
        let carriers: Vec<_> =
            (1..=2).filter(|number| latest.set(*number)).map(|_| deliver(latest.clone(), arrived.clone())).collect();
        carriers.into_iter().for_each(|carrier| carrier.join().expect("it does not panic"));
        assert_eq!(*arrived.lock(), 2);
    });
}

/// Two who want to make a task of a call: one does, and whoever sees that there is one sees all of it.
pub fn a_task_is_whole_when_it_is_seen() {
    model(|| {
        let slot = Arc::new(Slot::new());
        let makers = [7, 8].map(|task: u64| {
            let slot = slot.clone();
            thread::spawn(move || {
                let mine = slot.begin();
                if mine {
                    slot.created(task);
                }
                mine
            })
        });
        assert!(slot.get().is_none_or(|task| *task == 7 || *task == 8));
        if slot.is_moving() {
            assert!(slot.get().is_some() && slot.is_undecided());
            slot.moved();
            assert!(slot.get().is_some() && !slot.is_undecided());
        }
        let made = makers.map(|maker| maker.join().expect("it does not panic"));
        assert!(made[0] != made[1], "exactly one made it");
        let expected = if made[0] { 7 } else { 8 };
        assert_eq!(slot.get(), Some(&expected));
        // One that gave up leaves the place to others.
        let other = Slot::<u64>::new();
        assert!(other.begin());
        other.give_up();
        other.is(9);
        assert_eq!(other.get(), Some(&9));
    });
}

/// Whoever looks after a change sees it, and nobody sees an older state after a newer one.
pub fn a_change_is_seen_by_whoever_looks_after_it() {
    model(|| {
        let source = Arc::new(Mutex::new(0));
        let frozen = Arc::new(Frozen::new(0));
        let look = |source: &Mutex<u64>, frozen: &Frozen<u64>| *frozen.get(|| *source.lock());
        let changers = [1, 2].map(|_| {
            let (source, frozen) = (source.clone(), frozen.clone());
            thread::spawn(move || {
                let own = {
                    let mut count = source.lock();
                    *count += 1;
                    *count
                };
                frozen.thaw();
                assert!(look(&source, &frozen) >= own);
            })
        });
        let before = look(&source, &frozen);
        assert!(look(&source, &frozen) >= before);
        changers.into_iter().for_each(|changer| changer.join().expect("it does not panic"));
        assert_eq!(look(&source, &frozen), 2);
    });
}
