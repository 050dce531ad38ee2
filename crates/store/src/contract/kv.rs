//! What every store of values must do.

use super::{LONG, SHORT, StoresCheck, StoresSetting, bytes};
use crate::{KvStore, StoreError};

/// All checks, by the name of what holds.
pub const CHECKS: &[StoresCheck] = &[
    ("a value is found by everyone until it is changed or removed", |s| Box::pin(kept(s))),
    ("any bytes are kept, under any key", |s| Box::pin(any_bytes(s))),
    ("a value is added once", |s| Box::pin(added(s))),
    ("a value is taken once", |s| Box::pin(taken(s))),
    ("a value is replaced only by one who knows it", |s| Box::pin(replaced(s))),
    ("a value is forgotten when its time is over, and not before", |s| Box::pin(expired(s))),
];

async fn get(kv: &dyn KvStore, key: &str) -> Option<bytes::Bytes> {
    kv.get(key).await.expect("the store is there")
}

#[track_caller]
fn done<T>(result: Result<T, StoreError>) -> T {
    result.expect("the store is there and has room")
}

async fn kept(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.kv().as_ref(), other.kv().as_ref());
    assert_eq!(get(one, "a").await, None);
    done(one.put("a", bytes("1"), Some(LONG)).await);
    done(one.put("b", bytes("2"), None).await);
    assert_eq!((get(other, "a").await, get(other, "b").await), (Some(bytes("1")), Some(bytes("2"))));
    done(other.put("a", bytes("3"), Some(LONG)).await);
    assert_eq!(get(one, "a").await, Some(bytes("3")));
    assert!(done(one.remove("a").await));
    assert!(!done(other.remove("a").await));
    assert_eq!((get(other, "a").await, get(other, "b").await), (None, Some(bytes("2"))));
}

async fn any_bytes(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let all: bytes::Bytes = (0..=u8::MAX).collect();
    for (key, value) in [("", all.clone()), ("{a}:b c*?[x]", bytes::Bytes::new()), ("ключ\0\n'", all)] {
        done(one.kv().put(key, value.clone(), Some(LONG)).await);
        assert_eq!(get(other.kv().as_ref(), key).await, Some(value));
    }
}

async fn added(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.kv(), other.kv());
    let (a, b, c) = (
        one.add("k", bytes("a"), Some(LONG)),
        other.add("k", bytes("b"), Some(LONG)),
        one.add("k", bytes("c"), Some(LONG)),
    );
    let (a, b, c) = tokio::join!(a, b, c);
    let won: Vec<_> = [(done(a), "a"), (done(b), "b"), (done(c), "c")].into_iter().filter(|(did, _)| *did).collect();
    assert_eq!(won.len(), 1, "{won:?}");
    assert_eq!(get(one.as_ref(), "k").await, won.first().map(|(_, value)| bytes(value)));
    done(one.remove("k").await);
    assert!(done(one.add("k", bytes("d"), Some(LONG)).await));
}

async fn taken(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.kv(), other.kv());
    assert_eq!(done(one.take("k").await), None);
    done(one.put("k", bytes("v"), Some(LONG)).await);
    let (a, b, c) = tokio::join!(one.take("k"), other.take("k"), one.take("k"));
    let got: Vec<_> = [a, b, c].into_iter().filter_map(done).collect();
    assert_eq!(got, [bytes("v")]);
    assert_eq!(get(other.as_ref(), "k").await, None);
}

async fn replaced(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.kv(), other.kv());
    assert!(!done(one.replace("k", b"", bytes("x"), Some(LONG)).await), "there is nothing to replace");
    done(one.put("k", bytes("1"), Some(LONG)).await);
    let (a, b) =
        tokio::join!(one.replace("k", b"1", bytes("2"), Some(LONG)), other.replace("k", b"1", bytes("3"), Some(LONG)));
    let (a, b) = (done(a), done(b));
    assert!(a != b, "one of two replaces it");
    assert_eq!(get(one.as_ref(), "k").await, Some(bytes(if a { "2" } else { "3" })));
    assert!(!done(one.replace("k", b"1", bytes("4"), Some(LONG)).await));
}

async fn expired(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.kv(), other.kv());
    for key in ["put", "taken", "renewed", "replaced", "for ever"] {
        done(one.put(key, bytes("v"), Some(SHORT.saturating_mul(3))).await);
    }
    assert!(done(one.add("added", bytes("v"), Some(SHORT.saturating_mul(3))).await));
    setting.pass(SHORT).await;
    for key in ["put", "added", "taken"] {
        assert_eq!(get(other.as_ref(), key).await, Some(bytes("v")), "{key} has time left");
    }
    done(other.put("renewed", bytes("v"), Some(LONG)).await);
    done(other.put("for ever", bytes("v"), None).await);
    assert!(done(other.replace("replaced", b"v", bytes("w"), Some(LONG)).await));
    setting.pass(SHORT.saturating_mul(3)).await;
    for key in ["put", "added"] {
        assert_eq!(get(other.as_ref(), key).await, None, "{key} is over");
    }
    assert_eq!(done(one.take("taken").await), None);
    assert!(!done(one.replace("put", b"v", bytes("w"), Some(LONG)).await));
    assert!(!done(one.remove("put").await));
    assert!(done(one.add("added", bytes("w"), Some(LONG)).await), "its place is free");
    for key in ["renewed", "for ever", "replaced", "added"] {
        assert!(get(one.as_ref(), key).await.is_some(), "{key} has time left");
    }
}
