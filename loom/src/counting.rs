//! Models of what counts.

use std::sync::Arc;
use std::time::Duration;

use loom::thread;
use tokio::time::Instant;

use crate::activity::Activity;
use crate::token_bucket::TokenBucket;
use crate::usage::Usage;
use crate::{HttpLimits, Rate, model};

/// Of three who come when there is room for two again, two get in, whoever of them fills the bucket.
pub fn a_bucket_gives_all_there_is_and_no_more() {
    let start = Instant::now();
    let rate = Rate::new(2, Duration::from_secs(2));
    model(move || {
        let bucket = Arc::new(TokenBucket::new_at(rate, start));
        assert!(bucket.take_at(|| start).is_ok() && bucket.take_at(|| start).is_ok());
        let take = move |bucket: &TokenBucket| usize::from(bucket.take_at(|| start + rate.per).is_ok());
        let others = [bucket.clone(), bucket.clone()].map(|bucket| thread::spawn(move || take(&bucket)));
        let mine = take(&bucket);
        let taken = others.into_iter().map(|other| other.join().expect("it does not panic")).sum::<usize>() + mine;
        assert_eq!(taken, 2);
    });
}

/// Whoever looks while a session ends being used finds it in use, or idle since just now.
pub fn a_session_is_not_taken_for_idle() {
    model(|| {
        let usage = Arc::new(Usage::new(0));
        usage.begin();
        usage.begin();
        let users = [100, 101].map(|now| {
            let usage = usage.clone();
            thread::spawn(move || usage.end(now))
        });
        assert!(usage.idle_since(200).is_none_or(|since| since >= 100));
        users.into_iter().for_each(|user| user.join().expect("it does not panic"));
        assert!(usage.idle_since(200).is_some());
    });
}

/// A watchdog that looks at the moment at which a long response ends does not close its connection.
pub fn a_connection_is_not_taken_for_idle() {
    model(|| {
        let (activity, limits) = (Activity::new(), HttpLimits::default());
        let busy = activity.begin(true);
        let ending = thread::spawn(move || drop(busy));
        let now = 1_000_000;
        assert!(activity.time_left(&limits, now).is_some());
        ending.join().expect("it does not panic");
        assert!(activity.time_left(&limits, now).is_some());
    });
}
