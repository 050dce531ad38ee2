//! What every store of sessions must do.

use super::{LONG, SHORT, StoresCheck, StoresSetting, bytes};
use crate::{NewSession, SessionRecord, SessionStore, StoreError};

/// All checks, by the name of what holds.
pub const CHECKS: &[StoresCheck] = &[
    ("a session is found by everyone as soon as it was created", |s| Box::pin(created(s))),
    ("ids of sessions are used once", |s| Box::pin(unique(s))),
    ("changes of two nodes do not undo each other", |s| Box::pin(changed(s))),
    ("a version says whether a remembered session still holds", |s| Box::pin(versioned(s))),
    ("an owner has so many sessions and no more", |s| Box::pin(limited(s))),
    ("a session that is used is kept, and one that is not is forgotten", |s| Box::pin(expired(s))),
    ("a session that was removed is gone for everyone", |s| Box::pin(removed(s))),
];

#[track_caller]
fn done<T>(result: Result<T, StoreError>) -> T {
    result.expect("the store is there and has room")
}

async fn load(store: &dyn SessionStore, id: &str) -> Option<SessionRecord> {
    store.load(id).await.expect("the store is there")
}

async fn created(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let all: bytes::Bytes = (0..=u8::MAX).collect();
    let new = NewSession::new("s1", LONG).with_owner("o", 9).with_field("a", all.clone()).with_field("", bytes(""));
    done(one.sessions().create(new).await);
    let found = load(other.sessions().as_ref(), "s1").await.expect("it is there");
    assert_eq!(found.owner.as_deref(), Some("o"));
    assert_eq!(found.fields.len(), 2);
    assert_eq!((found.field("a"), found.field(""), found.field("b")), (Some(&all), Some(&bytes("")), None));
    done(one.sessions().create(NewSession::new("s2", LONG)).await);
    let bare = load(other.sessions().as_ref(), "s2").await.expect("it is there");
    assert_eq!((bare.owner, bare.fields.len()), (None, 0));
    assert_eq!(load(other.sessions().as_ref(), "s3").await, None);
}

async fn unique(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    done(one.sessions().create(NewSession::new("s", LONG).with_owner("o", 9).with_field("a", "1")).await);
    let again = other.sessions().create(NewSession::new("s", LONG).with_owner("p", 9).with_field("a", "2")).await;
    assert!(matches!(again, Err(StoreError::Exists)), "{again:?}");
    let kept = load(one.sessions().as_ref(), "s").await.expect("it is there");
    assert_eq!((kept.owner.as_deref(), kept.field("a")), (Some("o"), Some(&bytes("1"))));
    assert_eq!(done(one.sessions().count("p").await), 0, "what was refused is not counted");
}

async fn changed(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.sessions(), other.sessions());
    done(one.create(NewSession::new("s", LONG).with_field("old", "0").with_field("gone", "0")).await);
    let (a, b) = tokio::join!(
        one.change("s", vec![("a".into(), Some(bytes("1"))), ("gone".into(), None)]),
        other.change("s", vec![("b".into(), Some(bytes("2")))])
    );
    let versions = [done(a).expect("it is there"), done(b).expect("it is there")];
    assert_ne!(versions[0], versions[1]);
    let now = load(one.as_ref(), "s").await.expect("it is there");
    let fields: Vec<_> = now.fields.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    assert_eq!(fields, [("a", bytes("1")), ("b", bytes("2")), ("old", bytes("0"))]);
    assert_eq!(Some(&now.version), versions.iter().max());
    assert_eq!(done(one.change("none", vec![("a".into(), Some(bytes("1")))]).await), None);
    assert_eq!(load(one.as_ref(), "none").await, None, "a change makes no session");
}

async fn versioned(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.sessions(), other.sessions());
    done(one.create(NewSession::new("s", LONG)).await);
    let known = load(one.as_ref(), "s").await.expect("it is there").version;
    assert_eq!(done(other.touch("s", LONG).await), Some(known), "using it is no change");
    let changed = done(other.change("s", vec![("a".into(), Some(bytes("1")))]).await).expect("it is there");
    assert!(changed > known);
    assert_eq!(done(one.touch("s", LONG).await), Some(changed));
    assert_eq!(load(one.as_ref(), "s").await.expect("it is there").version, changed);
    assert_eq!(done(one.touch("none", LONG).await), None);
}

async fn limited(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.sessions(), other.sessions());
    let new = |id: &str, owner: &str| NewSession::new(id, LONG).with_owner(owner, 2);
    done(one.create(new("1", "o")).await);
    done(other.create(new("2", "o")).await);
    let refused = one.create(new("3", "o")).await;
    assert!(matches!(refused, Err(StoreError::TooMany { limit: 2, .. })), "{refused:?}");
    assert_eq!(load(one.as_ref(), "3").await, None);
    assert_eq!((done(one.count("o").await), done(one.count("p").await)), (2, 0));
    done(one.create(new("4", "p")).await);
    done(one.create(NewSession::new("5", LONG)).await);
    assert!(done(other.remove("1").await));
    assert_eq!(done(one.count("o").await), 1);
    done(one.create(new("3", "o")).await);
}

async fn expired(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.sessions(), other.sessions());
    let time = SHORT.saturating_mul(3);
    for id in ["idle", "used", "loaded", "shorter"] {
        done(one.create(NewSession::new(id, time).with_owner("o", 4).with_field("a", "1")).await);
    }
    done(other.touch("shorter", SHORT).await);
    setting.pass(SHORT.saturating_mul(2)).await;
    assert_eq!(load(one.as_ref(), "shorter").await, None, "the last word counts");
    done(other.touch("used", time).await);
    assert!(load(other.as_ref(), "loaded").await.is_some());
    setting.pass(SHORT.saturating_mul(2)).await;
    assert!(load(one.as_ref(), "used").await.is_some());
    for id in ["idle", "loaded"] {
        assert_eq!(load(one.as_ref(), id).await, None, "{id} is over");
        assert_eq!(done(one.touch(id, LONG).await), None);
        assert_eq!(done(one.change(id, vec![("a".into(), None)]).await), None);
        assert!(!done(one.remove(id).await));
    }
    assert_eq!(done(other.count("o").await), 1);
    // Their places and names are free again.
    for id in ["idle", "loaded", "shorter"] {
        done(one.create(NewSession::new(id, LONG).with_owner("o", 4)).await);
    }
    let fresh = load(other.as_ref(), "idle").await.expect("it is there");
    assert!(fresh.fields.is_empty(), "nothing is left of the one before");
    assert!(matches!(one.create(NewSession::new("5", LONG).with_owner("o", 4)).await, Err(StoreError::TooMany { .. })));
}

async fn removed(setting: &dyn StoresSetting) {
    let (one, other) = setting.pair().await;
    let (one, other) = (one.sessions(), other.sessions());
    done(one.create(NewSession::new("s", LONG).with_field("a", "1")).await);
    assert!(done(other.remove("s").await));
    assert!(!done(one.remove("s").await));
    assert_eq!(load(one.as_ref(), "s").await, None);
    assert_eq!(done(one.touch("s", LONG).await), None);
    done(one.create(NewSession::new("s", LONG)).await);
    assert!(load(other.as_ref(), "s").await.expect("it is there").fields.is_empty());
}
