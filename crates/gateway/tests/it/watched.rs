//! Resources that callers watch.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use jackfield::middleware::MethodName;
use jackfield::protocol::code;
use jackfield::protocol::{ErrorObject, Method, Revision};
use jackfield_client::{Client, Event, Subscription};
use jackfield_gateway::Gateway;
use serde_json::Value;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::backend::{Place, behind, caller_of, client_of, demo};

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
    let built = behind(Gateway::new("gateway"), "demo", &place).server().unwrap().start().await.unwrap();
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

/// Watches one resource after the other until the gateway refuses.
async fn watch_all(caller: &Client, name: &str) -> Vec<Subscription> {
    let mut watched = Vec::new();
    loop {
        match caller.subscribe().resource(format!("note://demo/{name}{}", watched.len())).await {
            Ok(subscription) => watched.push(subscription),
            Err(error) => {
                assert_eq!(error.server_error().unwrap().code, code::TOO_MANY_REQUESTS, "{error:?}");
                return watched;
            }
        }
    }
}

/// T-028 in part: one caller that watches all it can leaves room for others.
#[tokio::test]
async fn one_caller_does_not_take_all_watches() {
    let place = Place::new(demo(), Revision::V2025_11_25);
    let built = behind(Gateway::new("gateway"), "demo", &place).server().unwrap().start().await.unwrap();
    let mut tasks = JoinSet::new();
    let mut callers = Vec::new();
    for _ in 0..3 {
        callers.push(caller_of(&built, Client::builder().revision(Revision::V2025_11_25), &mut tasks).await);
    }
    let greedy = watch_all(&callers[0], "a").await;
    assert_eq!(greedy.len(), 512, "half of all, as long as nobody else wants any");
    let second = watch_all(&callers[1], "b").await;
    assert_eq!(second.len(), 256);
    // What others watch already is there for everyone.
    callers[1].subscribe().resource("note://demo/a0").await.unwrap();
    let third = watch_all(&callers[2], "c").await;
    assert_eq!(third.len(), 256);
    built.stop().await;
}

/// A server may refuse one resource, whatever it calls that. The others are watched again all the same.
#[tokio::test(start_paused = true)]
async fn one_that_a_server_refuses_does_not_cost_the_others() {
    let refuses: Arc<AtomicBool> = Arc::default();
    let strict = refuses.clone();
    let server = demo().middleware(move |incoming, next| {
        let is_refused = || incoming.params.decode::<Value>().unwrap().to_string().contains("note://7\"");
        let refused =
            incoming.method == MethodName::Known(Method::Listen) && strict.load(Ordering::SeqCst) && is_refused();
        async move {
            if refused {
                return Err(ErrorObject::new(code::UNAVAILABLE, "not that one"));
            }
            next.run(incoming).await
        }
    });
    let place = Place::new(server, Revision::LATEST);
    let gateway = behind(Gateway::new("gateway"), "demo", &place).server().unwrap();
    let mut tasks = JoinSet::new();
    let client = client_of(gateway, Client::builder(), &mut tasks).await;
    let uris: BTreeSet<String> = (0..20).map(|n| format!("note://demo/{n}")).collect();
    let subscribe = uris.iter().fold(client.subscribe(), |subscribe, uri| subscribe.resource(uri));
    let mut subscription = subscribe.await.unwrap();

    refuses.store(true, Ordering::SeqCst);
    place.switch_off();
    place.switch_on();
    let mut told = BTreeSet::new();
    while told.len() < uris.len() - 1 {
        let event = tokio::time::timeout(Duration::from_secs(60), subscription.next()).await.expect("they are told");
        if let Event::ResourceUpdated(uri) = event.unwrap().unwrap() {
            told.insert(uri);
        }
    }
    assert!(!told.contains("note://demo/7"), "{told:?}");
}
