//! What every bus must do.

use super::{StoresCheck, StoresSetting, bytes, soon};
use crate::{Bus, Notice, StoreError, Subscription};

/// All checks, by the name of what holds.
pub const CHECKS: &[StoresCheck] = &[
    ("a notice reaches all who subscribed to its topic, on any node, in order", |s| Box::pin(heard(s))),
    ("a subscription to many topics hears each notice once", |s| Box::pin(many(s))),
    ("nothing is kept for those who come later", |s| Box::pin(late(s))),
    ("one who is too slow learns that something was missed", |s| Box::pin(slow(s))),
    ("subscriptions come and go", |s| Box::pin(comes_and_goes(s))),
];

#[track_caller]
fn done<T>(result: Result<T, StoreError>) -> T {
    result.expect("the bus is there")
}

async fn next(subscription: &mut Subscription) -> (String, String) {
    match soon(subscription.next()).await {
        Some(Notice::Heard { topic, notice }) => (topic.to_string(), String::from_utf8_lossy(&notice).into_owned()),
        other => panic!("no notice: {other:?}"),
    }
}

async fn publish(bus: &dyn Bus, topic: &str, text: &str) {
    done(bus.publish(topic, bytes(text)).await);
}

fn pair(topic: &str, text: &str) -> (String, String) {
    (topic.to_owned(), text.to_owned())
}

async fn heard(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (mut a, mut b) = (done(one.bus().subscribe(&["t"]).await), done(other.bus().subscribe(&["t"]).await));
    let mut stranger = done(other.bus().subscribe(&["t2", "T", ""]).await);
    for text in ["1", "2", "3"] {
        publish(one.bus().as_ref(), "t", text).await;
    }
    publish(one.bus().as_ref(), "t2", "4").await;
    for text in ["1", "2", "3"] {
        assert_eq!(next(&mut a).await, pair("t", text));
        assert_eq!(next(&mut b).await, pair("t", text));
    }
    assert_eq!(next(&mut stranger).await, pair("t2", "4"));
    // Any bytes travel, also back.
    let all: bytes::Bytes = (0..=u8::MAX).collect();
    done(other.bus().publish("t", all.clone()).await);
    match soon(a.next()).await {
        Some(Notice::Heard { notice, .. }) => assert_eq!(notice, all),
        other => panic!("no notice: {other:?}"),
    }
}

async fn many(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let mut all = done(one.bus().subscribe(&["a", "b", "a"]).await);
    let mut own = done(one.bus().subscribe(&["b"]).await);
    publish(other.bus().as_ref(), "a", "1").await;
    publish(other.bus().as_ref(), "b", "2").await;
    assert_eq!((next(&mut all).await, next(&mut all).await), (pair("a", "1"), pair("b", "2")));
    assert_eq!(next(&mut own).await, pair("b", "2"));
}

async fn late(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let mut early = done(other.bus().subscribe(&["t"]).await);
    publish(one.bus().as_ref(), "t", "before").await;
    assert_eq!(next(&mut early).await, pair("t", "before"));
    let mut late = done(other.bus().subscribe(&["t"]).await);
    publish(one.bus().as_ref(), "t", "after").await;
    assert_eq!(next(&mut late).await, pair("t", "after"));
}

async fn slow(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let mut slow = done(other.bus().subscribe(&["t"]).await);
    let mut last = done(other.bus().subscribe(&["last"]).await);
    for number in 0..1100 {
        publish(one.bus().as_ref(), "t", &number.to_string()).await;
    }
    publish(one.bus().as_ref(), "last", "").await;
    assert_eq!(next(&mut last).await, pair("last", ""));
    assert_eq!(soon(slow.next()).await, Some(Notice::Missed));
    // What did fit is still heard, in order.
    for number in 0..1024 {
        assert_eq!(next(&mut slow).await, pair("t", &number.to_string()));
    }
    publish(one.bus().as_ref(), "t", "on").await;
    assert_eq!(next(&mut slow).await, pair("t", "on"));
}

async fn comes_and_goes(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let mut stays = done(one.bus().subscribe(&["t"]).await);
    for number in 0..5 {
        let mut goes = done(one.bus().subscribe(&["t", "u"]).await);
        let text = number.to_string();
        publish(other.bus().as_ref(), "u", &text).await;
        publish(other.bus().as_ref(), "t", &text).await;
        assert_eq!((next(&mut goes).await, next(&mut goes).await), (pair("u", &text), pair("t", &text)));
        assert_eq!(next(&mut stays).await, pair("t", &text));
    }
}
