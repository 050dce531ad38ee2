//! The keys that seal what travels through clients, shared by all nodes.

use std::sync::{Arc, Weak};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bytes::Bytes;
use jackfield_store::{StoreError, Stores};
use serde::{Deserialize, Serialize};

use crate::Keys;
use crate::builder::core::Core;
use crate::questions::seal::{now, opens_for, random, seals_for};

/// Where the keys are that are replaced from time to time.
const CHANGING: &str = "seal keys";
/// Where the key is that is not.
const LASTING: &str = "seal key";
/// A new key opens for so long before it seals, so that all nodes know it by then.
const NOTICE: u64 = 5 * 60;
/// How often nodes look for new keys.
const LOOK: Duration = Duration::from_secs(60);

/// A key, and the second from which on it seals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stored {
    key: String,
    from: u64,
}

/// Takes the keys from the stores, or makes them if there are none, and looks for new ones from then on. Keys that were given stay.
pub(super) async fn share(core: &Arc<Core>, stores: &Stores) -> Result<(), StoreError> {
    if core.fixed().sealer.has_given_keys() {
        return Ok(());
    }
    core.fixed().sealer.share_lasting(&Keys::new(lasting(stores).await?));
    core.fixed().sealer.share(&changing(stores, now(), core.fixed().sealer.life()).await?);
    core.hub.spawn(follow(Arc::downgrade(core), stores.clone()));
    Ok(())
}

async fn follow(core: Weak<Core>, stores: Stores) {
    loop {
        tokio::time::sleep(LOOK).await;
        let Some(core) = core.upgrade() else { return };
        match changing(&stores, now(), core.fixed().sealer.life()).await {
            Ok(keys) => core.fixed().sealer.share(&keys),
            Err(error) => {
                tracing::warn!(%error, "the keys of all nodes could not be read; those that are known are used")
            }
        }
    }
}

/// Returns the key for what has no end.
async fn lasting(stores: &Stores) -> Result<[u8; 32], StoreError> {
    stores.kv().add(LASTING, new_key().into(), None).await?;
    let found = stores.kv().get(LASTING).await?;
    found.and_then(|text| decode(&text)).ok_or_else(|| StoreError::Unavailable("it lost a key".into()))
}

/// Returns the keys of this time, the one that seals first. Who finds that the newest is old adds another. What they seal has to open for
/// `life` seconds.
async fn changing(stores: &Stores, now: u64, life: u64) -> Result<Keys, StoreError> {
    for _ in 0..8 {
        let before = stores.kv().get(CHANGING).await?;
        let stored: Vec<Stored> =
            before.as_deref().and_then(|text| serde_json::from_slice(text).ok()).unwrap_or_default();
        // A key that cannot be read neither seals nor opens anything: another takes its place.
        let keys: Vec<_> = stored.iter().filter(|key| decode(key.key.as_bytes()).is_some()).cloned().collect();
        let next = next(&keys, now, life);
        if next == stored {
            return in_order(&next, now).ok_or_else(unreadable);
        }
        let text = Bytes::from(serde_json::to_vec(&next).unwrap_or_default());
        let done = match &before {
            None => stores.kv().add(CHANGING, text, None).await?,
            Some(before) => stores.kv().replace(CHANGING, before, text, None).await?,
        };
        if done {
            return in_order(&next, now).ok_or_else(unreadable);
        }
        // Another node was faster; its keys are as good.
    }
    Err(StoreError::Unavailable("its keys change all the time".into()))
}

/// Returns the keys as they should be: none that opens nothing any more, and a new one before the newest is too old.
fn next(keys: &[Stored], now: u64, life: u64) -> Vec<Stored> {
    let ends =
        |at: usize| keys.get(at.saturating_add(1)).map(|successor| successor.from.saturating_add(opens_for(life)));
    let mut next: Vec<_> = keys
        .iter()
        .enumerate()
        .filter(|(at, _)| ends(*at).is_none_or(|end| now < end))
        .map(|(_, key)| key.clone())
        .collect();
    match next.last() {
        None => next.push(Stored { key: new_key(), from: now }),
        Some(newest) if newest.from.saturating_add(seals_for(life)) <= now => {
            next.push(Stored { key: new_key(), from: now.saturating_add(NOTICE) });
        }
        Some(_) => {}
    }
    next
}

/// Puts the key first that seals now.
fn in_order(keys: &[Stored], now: u64) -> Option<Keys> {
    let seals = keys.iter().rposition(|key| key.from <= now).unwrap_or_default();
    let mut all = keys.iter().enumerate().filter_map(|(at, key)| Some((at, decode(key.key.as_bytes())?)));
    let (first, others): (Vec<_>, Vec<_>) = all.by_ref().partition(|(at, _)| *at == seals);
    let (_, first) = first.into_iter().next()?;
    Some(others.into_iter().fold(Keys::new(first), |keys, (_, key)| keys.with_previous(key)))
}

fn unreadable() -> StoreError {
    StoreError::Unavailable("its keys cannot be read".into())
}

fn new_key() -> String {
    let mut key = [0; 32];
    random(&mut key);
    STANDARD_NO_PAD.encode(key)
}

fn decode(text: &[u8]) -> Option<[u8; 32]> {
    STANDARD_NO_PAD.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::seal::Sealer;

    /// How long keys seal, and open after that, where questions live for less.
    const LIFE: u64 = 60 * 60;

    async fn node(stores: &Stores, now: u64) -> Sealer {
        node_with(stores, now, 600).await
    }

    async fn node_with(stores: &Stores, now: u64, life: u64) -> Sealer {
        let sealer = Sealer::new(None, crate::questions::seal::QUESTION_LIFE);
        sealer.share_lasting(&Keys::new(lasting(stores).await.unwrap()));
        sealer.share(&changing(stores, now, life).await.unwrap());
        sealer
    }

    #[tokio::test]
    async fn all_nodes_have_the_same_keys() {
        let stores = Stores::memory();
        let (one, other) = (node(&stores, 1000).await, node(&stores, 1001).await);
        assert_eq!(other.open(&one.seal(b"x", b"").unwrap(), b"").unwrap(), b"x");
        assert_eq!(one.open_lasting(&other.seal_lasting(b"x", b"").unwrap(), b"").unwrap(), b"x");
    }

    /// A key in the store that cannot be read is replaced: nothing is ever sealed with one that others could guess.
    #[tokio::test]
    async fn a_damaged_key_seals_nothing() {
        let stores = Stores::memory();
        let damaged = serde_json::json!([{ "key": "too short", "from": 0 }]).to_string();
        stores.kv().put(CHANGING, damaged.into(), None).await.unwrap();
        let (one, other) = (node(&stores, 1000).await, node(&stores, 1001).await);
        let sealed = one.seal(b"x", b"").unwrap();
        assert_eq!(other.open(&sealed, b"").unwrap(), b"x");
        let guesser = Sealer::new(None, crate::questions::seal::QUESTION_LIFE);
        guesser.share(&Keys::new([0; 32]));
        assert!(guesser.open(&sealed, b"").is_none());
    }

    /// A new key is known to nodes that look only now and then before any of them seals with it, and opens long after.
    #[tokio::test]
    async fn keys_are_replaced_and_nobody_is_surprised() {
        let stores = Stores::memory();
        let old = node(&stores, 1000).await;
        let sealed = old.seal(b"x", b"").unwrap();
        let due = 1000 + LIFE;
        let first = node(&stores, due).await;
        assert!(old.open(&first.seal(b"x", b"").unwrap(), b"").is_some(), "the old key seals still");
        let later = node(&stores, due + NOTICE).await;
        let with_new = later.seal(b"x", b"").unwrap();
        assert!(old.open(&with_new, b"").is_none());
        assert!(first.open(&with_new, b"").is_some() && later.open(&sealed, b"").is_some());
        let much_later = node(&stores, due + NOTICE + LIFE).await;
        assert!(much_later.open(&sealed, b"").is_none() && much_later.open(&with_new, b"").is_some());
    }

    /// What was sealed opens as long as it is said to, however often keys are replaced meanwhile.
    #[tokio::test]
    async fn keys_open_as_long_as_what_they_sealed_lives() {
        let (stores, life) = (Stores::memory(), 3 * LIFE);
        let sealed = node_with(&stores, 1000, life).await.seal(b"x", b"").unwrap();
        let mut now = 1000;
        while now < 1000 + life {
            now += LIFE / 4;
            assert!(node_with(&stores, now, life).await.open(&sealed, b"").is_some(), "{now}");
        }
        assert!(node_with(&stores, now + 2 * LIFE, life).await.open(&sealed, b"").is_none());
    }
}
