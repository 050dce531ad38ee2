//! Resources that callers watch.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jackfield::protocol::Revision;
use jackfield_client::Client;
use jackfield_gateway::Gateway;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::backend::{Place, behind, caller_of, demo};

/// T-172 in part: sessions end without a word, and what they watched is given back: a server takes only so many subscriptions.
#[tokio::test]
async fn what_sessions_watched_that_are_gone_is_given_back() {
    const MANY: usize = 1100;
    let (left, told): (Arc<AtomicUsize>, Arc<Notify>) = Default::default();
    let (count, tell) = (left.clone(), told.clone());
    let server = demo().on_unsubscribe(move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        tell.notify_one();
        async { Ok(()) }
    });
    let place = Place::new(server, Revision::V2025_11_25);
    let built = behind(Gateway::new("gateway"), "demo", &place).server().unwrap().build().unwrap();
    built.start().await.unwrap();
    for n in 0..=MANY {
        let mut tasks = JoinSet::new();
        let client = caller_of(&built, Client::builder().revision(Revision::V2025_11_25), &mut tasks).await;
        let _subscription = client.subscribe().resource(format!("note://demo/{n}")).await.unwrap();
        tasks.shutdown().await;
    }
    while left.load(Ordering::SeqCst) < MANY - 100 {
        told.notified().await;
    }
    built.stop().await;
}
