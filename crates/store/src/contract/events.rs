//! What every store of events must do.

use std::time::Duration;

use super::{LONG, SHORT, StoresCheck, StoresSetting, bytes, soon};
use crate::{Appended, EventChunk, EventLimits, EventStore, NewEvent, NewEvents, StoreError, StreamName};

/// All checks, by the name of what holds.
pub const CHECKS: &[StoresCheck] = &[
    ("events are read by everyone in the order in which they were added", |s| Box::pin(appended(s))),
    ("a stream that was opened is there, and one that was not is gone", |s| Box::pin(opened(s))),
    ("several nodes may write to one stream", |s| Box::pin(raced(s))),
    ("an event with a key is kept once", |s| Box::pin(once(s))),
    ("nothing is added to a finished stream", |s| Box::pin(finished(s))),
    ("a stream keeps its newest events within its limits, and says what is missing", |s| Box::pin(trimmed(s))),
    ("a stream is forgotten when its time is over, and not before", |s| Box::pin(expired(s))),
    ("streams that were removed are gone", |s| Box::pin(removed(s))),
    ("every change of a stream is noticed", |s| Box::pin(watched(s))),
];

const S: StreamName<'static> = StreamName { session: "session", number: 7 };

#[track_caller]
fn done<T>(result: Result<T, StoreError>) -> T {
    result.expect("the store is there and has room")
}

fn limits(events: usize, bytes: usize, keep: Duration) -> EventLimits {
    EventLimits::new(events, bytes, keep)
}

fn new(texts: &[&str]) -> NewEvents {
    let events = texts.iter().map(|text| NewEvent::new(bytes(text))).collect();
    NewEvents::new(events, limits(100, 10_000, LONG))
}

async fn read(store: &dyn EventStore, stream: StreamName<'_>, after: u64) -> Option<EventChunk> {
    done(store.read(stream, after, 1000).await)
}

/// Events as text: `1=a 2=b`, with a dot at the end of a finished stream, and dots at the beginning if something is missing.
fn show(chunk: Option<EventChunk>) -> String {
    let Some(chunk) = chunk else { return "gone".to_owned() };
    let events =
        chunk.events.iter().map(|event| format!("{}={}", event.sequence, String::from_utf8_lossy(&event.data)));
    let missed = chunk.missed.then(|| "...".to_owned());
    let end = chunk.finished.then(|| ".".to_owned());
    missed.into_iter().chain(events).chain(end).collect::<Vec<_>>().join(" ")
}

async fn appended(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.events(), other.events());
    assert_eq!(done(one.append(S, new(&["a", "b"])).await), Appended::At(vec![1, 2]));
    assert_eq!(done(other.append(S, new(&["c"])).await), Appended::At(vec![3]));
    for (after, shown) in [(0, "1=a 2=b 3=c"), (1, "2=b 3=c"), (3, ""), (9, "")] {
        assert_eq!(show(read(other.as_ref(), S, after).await), shown);
    }
    assert_eq!(show(done(one.read(S, 0, 2).await)), "1=a 2=b");
    assert_eq!(show(done(one.read(S, 2, 2).await)), "3=c");
    let all: bytes::Bytes = (0..=u8::MAX).collect();
    let event = NewEvents::new(vec![NewEvent::new(all.clone())], EventLimits::default());
    assert_eq!(done(one.append(S, event).await), Appended::At(vec![4]));
    assert_eq!(
        read(other.as_ref(), S, 3).await.and_then(|mut chunk| chunk.events.pop()).map(|last| last.data),
        Some(all)
    );
    // Neighbours in name share nothing.
    for stream in [StreamName::new("session", 70), StreamName::new("session ", 7), StreamName::new("sessio", 7)] {
        assert_eq!(show(read(one.as_ref(), stream, 0).await), "gone");
    }
}

async fn opened(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    assert_eq!(show(read(one.events().as_ref(), S, 0).await), "gone");
    done(one.events().open(S, LONG).await);
    assert_eq!(show(read(other.events().as_ref(), S, 0).await), "");
    done(other.events().append(S, new(&["a"])).await);
    done(one.events().open(S, LONG).await);
    assert_eq!(show(read(one.events().as_ref(), S, 0).await), "1=a", "opening it again changes nothing");
}

async fn raced(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.events(), other.events());
    for round in 0..4u64 {
        let (a, b, c) =
            tokio::join!(one.append(S, new(&["a", "b"])), other.append(S, new(&["c"])), one.append(S, new(&["d"])));
        let mut places = Vec::new();
        for appended in [done(a), done(b), done(c)] {
            match appended {
                Appended::At(at) => places.extend(at),
                Appended::Finished => panic!("the stream is not finished"),
            }
        }
        assert_eq!(places.get(1).copied(), places.first().map(|first| first + 1), "what is added together stays so");
        places.sort_unstable();
        assert_eq!(places, (round * 4 + 1..=round * 4 + 4).collect::<Vec<_>>());
    }
    let chunk = read(other.as_ref(), S, 0).await.expect("it is there");
    let sequence: Vec<_> = chunk.events.iter().map(|event| event.sequence).collect();
    assert_eq!(sequence, (1..=16).collect::<Vec<_>>());
}

async fn once(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.events(), other.events());
    let add = |key: &str, text: &str| {
        NewEvents::new(vec![NewEvent::new(bytes("-")), NewEvent::once(key, bytes(text))], limits(3, 1000, LONG))
    };
    assert_eq!(done(one.append(S, add("k", "a")).await), Appended::At(vec![1, 2]));
    assert_eq!(done(other.append(S, add("k", "b")).await), Appended::At(vec![3, 2]));
    assert_eq!(done(other.append(S, add("l", "c")).await), Appended::At(vec![4, 5]));
    assert_eq!(done(one.append(S, add("k", "d")).await), Appended::At(vec![6, 2]), "also when the first is not kept");
    assert_eq!(show(read(one.as_ref(), S, 0).await), "... 4=- 5=c 6=-");
    let elsewhere = StreamName::new("session", 8);
    assert_eq!(done(one.append(elsewhere, add("k", "e")).await), Appended::At(vec![1, 2]), "keys are of one stream");
}

async fn finished(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.events(), other.events());
    done(one.append(S, new(&["a"])).await);
    assert_eq!(done(one.append(S, new(&["b", "c"]).and_finish()).await), Appended::At(vec![2, 3]));
    assert_eq!(done(other.append(S, new(&["d"])).await), Appended::Finished);
    assert_eq!(done(other.append(S, new(&[]).and_finish()).await), Appended::Finished);
    assert_eq!(show(read(other.as_ref(), S, 0).await), "1=a 2=b 3=c .");
    assert_eq!(show(read(other.as_ref(), S, 3).await), ".");
    assert_eq!(show(done(other.read(S, 0, 2).await)), "1=a 2=b", "more will come");
    let empty = StreamName::new("session", 8);
    assert_eq!(done(one.append(empty, new(&[]).and_finish()).await), Appended::At(vec![]));
    assert_eq!(show(read(other.as_ref(), empty, 0).await), ".");
}

async fn trimmed(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.events(), other.events());
    let few = |texts: &[&str]| NewEvents { limits: limits(3, 10, LONG), ..new(texts) };
    done(one.append(S, few(&["a", "b"])).await);
    done(one.append(S, few(&["c", "d"])).await);
    assert_eq!(show(read(other.as_ref(), S, 0).await), "... 2=b 3=c 4=d");
    assert_eq!(show(read(other.as_ref(), S, 1).await), "2=b 3=c 4=d");
    done(one.append(S, few(&["12345678"])).await);
    assert_eq!(show(read(other.as_ref(), S, 1).await), "... 3=c 4=d 5=12345678");
    done(one.append(S, few(&["123"])).await);
    assert_eq!(show(read(other.as_ref(), S, 4).await), "... 6=123");
    done(one.append(S, few(&["longer than all"])).await);
    assert_eq!(show(read(other.as_ref(), S, 6).await), "7=longer than all", "the newest stays");
    assert_eq!(show(read(other.as_ref(), S, 7).await), "");
    done(one.append(S, few(&["1", "2", "3", "4", "5"])).await);
    assert_eq!(show(read(other.as_ref(), S, 7).await), "... 10=3 11=4 12=5");
}

async fn expired(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.events(), other.events());
    let [idle, used, held, done_with, opened] = [1, 2, 3, 4, 5].map(|number| StreamName::new("session", number));
    let short = |texts: &[&str]| NewEvents { limits: limits(9, 99, SHORT.saturating_mul(3)), ..new(texts) };
    for stream in [idle, used, held] {
        done(one.append(stream, short(&["a"])).await);
    }
    done(one.append(done_with, short(&["a"]).and_finish()).await);
    done(one.open(opened, SHORT.saturating_mul(3)).await);
    setting.pass(SHORT.saturating_mul(2)).await;
    done(other.append(used, short(&["b"])).await);
    setting.pass(SHORT.saturating_mul(2)).await;
    for stream in [idle, held, done_with, opened] {
        assert_eq!(show(read(other.as_ref(), stream, 0).await), "gone");
    }
    assert_eq!(show(read(other.as_ref(), used, 0).await), "1=a 2=b");
    // A session that lives on keeps those that are not finished.
    done(one.append(held, short(&["c"])).await);
    done(one.append(done_with, short(&["c"]).and_finish()).await);
    done(one.keep("session", LONG).await);
    done(one.keep("another", LONG).await);
    done(one.keep("session", SHORT).await);
    setting.pass(SHORT.saturating_mul(4)).await;
    assert_eq!(show(read(other.as_ref(), held, 0).await), "1=c", "nothing is left of the one before");
    assert_eq!(show(read(other.as_ref(), done_with, 0).await), "gone");
}

async fn removed(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.events(), other.events());
    let [a, b, c] = [1, 2, 3].map(|number| StreamName::new("session", number));
    let stranger = StreamName::new("session2", 1);
    for stream in [a, b, c, stranger] {
        done(one.append(stream, NewEvents::new(vec![NewEvent::once("k", "1")], EventLimits::default())).await);
    }
    done(other.remove(a).await);
    done(other.remove(StreamName::new("session", 99)).await);
    assert_eq!(show(read(one.as_ref(), a, 0).await), "gone");
    assert_eq!(show(read(one.as_ref(), b, 0).await), "1=1");
    done(other.remove_session("session").await);
    for stream in [a, b, c] {
        assert_eq!(show(read(one.as_ref(), stream, 0).await), "gone");
    }
    assert_eq!(show(read(one.as_ref(), stranger, 0).await), "1=1");
    let again = NewEvents::new(vec![NewEvent::once("k", "2")], EventLimits::default());
    assert_eq!(done(one.append(a, again).await), Appended::At(vec![1]));
    assert_eq!(show(read(one.as_ref(), a, 0).await), "1=2", "nothing is left of the one before");
}

async fn watched(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.events(), other.events());
    let mut watch = done(other.watch(S).await);
    // A wait may end without a reason, so what counts is what is found then.
    let mut until = async |shown: &str| {
        soon(async {
            while show(read(other.as_ref(), S, 0).await) != shown {
                watch.changed().await;
            }
        })
        .await;
    };
    until("gone").await;
    done(one.append(S, new(&["a"])).await);
    until("1=a").await;
    done(one.append(S, new(&["b"])).await);
    until("1=a 2=b").await;
    done(one.append(S, new(&[]).and_finish()).await);
    until("1=a 2=b .").await;
    done(one.remove(S).await);
    until("gone").await;
}
