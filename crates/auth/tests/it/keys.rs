//! Keys of issuers: cached, rotated, and not asked for too often.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_auth::Clock;
use jackfield_auth::jose::{
    Algorithm, JwkSet, KeyCache, KeyCacheLimits, KeyError, KeySource, LoadedKeys, LoadingKeys, SigningKey,
};
use jackfield_http::fetch::FetchError;
use tokio::sync::Semaphore;

/// A source that counts, waits and fails as told.
#[derive(Debug)]
struct Source {
    keys: Mutex<Option<JwkSet>>,
    loads: AtomicUsize,
    gate: Semaphore,
}

impl Source {
    fn of(keys: &[&SigningKey]) -> Arc<Self> {
        let source = Self { keys: Mutex::default(), loads: AtomicUsize::new(0), gate: Semaphore::new(1000) };
        source.set(keys);
        Arc::new(source)
    }

    fn set(&self, keys: &[&SigningKey]) {
        *self.keys.lock().unwrap() = Some(JwkSet { keys: keys.iter().map(|key| key.public().clone()).collect() });
    }

    fn loads(&self) -> usize {
        self.loads.load(Ordering::SeqCst)
    }
}

impl KeySource for Source {
    fn load(&self) -> LoadingKeys<'_> {
        Box::pin(async move {
            self.loads.fetch_add(1, Ordering::SeqCst);
            self.gate.acquire().await.unwrap().forget();
            let keys = self.keys.lock().unwrap().clone().ok_or(FetchError::TimedOut)?;
            Ok(LoadedKeys { keys, max_age: None })
        })
    }
}

async fn has(cache: &KeyCache, kid: &str) -> Result<bool, KeyError> {
    match cache.candidates(Some(kid), Algorithm::Es256).await {
        Ok(found) => Ok(!found.is_empty()),
        Err(KeyError::Unknown) => Ok(false),
        Err(error) => Err(error),
    }
}

/// T-081 in part: keys come from the issuer only, a new one is found, a removed one is forgotten.
#[tokio::test]
async fn keys_are_kept_and_rotated() {
    let (one, two) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
    let (source, clock) = (Source::of(&[&one]), Clock::manual(1000));
    let cache = KeyCache::new(source.clone(), KeyCacheLimits::default(), clock.clone());
    for _ in 0..10 {
        assert!(has(&cache, one.id()).await.unwrap());
    }
    assert_eq!(source.loads(), 1);
    source.set(&[&one, &two]);
    clock.advance(11);
    assert!(has(&cache, two.id()).await.unwrap(), "an unknown key is asked for");
    assert_eq!(source.loads(), 2);
    source.set(&[&two]);
    clock.advance(601);
    assert!(!has(&cache, one.id()).await.unwrap(), "a removed key is forgotten when the set is old");
    assert_eq!(source.loads(), 3);
}

/// A flood of unknown keys costs the issuer one request each ten seconds.
#[tokio::test]
async fn unknown_keys_do_not_make_a_flood() {
    let one = SigningKey::generate().unwrap();
    let (source, clock) = (Source::of(&[&one]), Clock::manual(1000));
    let cache = KeyCache::new(source.clone(), KeyCacheLimits::default(), clock.clone());
    for number in 0..5000 {
        assert!(!has(&cache, &format!("made-up-{number}")).await.unwrap());
    }
    assert_eq!(source.loads(), 1);
    clock.advance(11);
    assert!(!has(&cache, "made-up-0").await.unwrap(), "it was asked for a moment ago");
    assert_eq!(source.loads(), 1);
    assert!(!has(&cache, "made-up-again").await.unwrap());
    assert_eq!(source.loads(), 2);
}

/// Many requests at once, one fetch.
#[tokio::test]
async fn one_task_fetches_for_all() {
    let one = SigningKey::generate().unwrap();
    let source = Source::of(&[&one]);
    source.gate.forget_permits(1000);
    let cache = Arc::new(KeyCache::new(source.clone(), KeyCacheLimits::default(), Clock::manual(1000)));
    let mut waiting = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let (cache, kid) = (cache.clone(), one.id().to_owned());
        waiting.spawn(async move { has(&cache, &kid).await.unwrap() });
    }
    tokio::task::yield_now().await;
    source.gate.add_permits(1);
    while let Some(found) = waiting.join_next().await {
        assert!(found.unwrap());
    }
    assert_eq!(source.loads(), 1);
}

/// While one task asks a source that hangs, others go on with the keys that are still good.
#[tokio::test(start_paused = true)]
async fn nobody_waits_for_a_source_while_keys_are_good() {
    let one = SigningKey::generate().unwrap();
    let (source, clock) = (Source::of(&[&one]), Clock::manual(1000));
    let cache = Arc::new(KeyCache::new(source.clone(), KeyCacheLimits::default(), clock.clone()));
    assert!(has(&cache, one.id()).await.unwrap());
    source.gate.forget_permits(1000);
    clock.advance(650);
    let mut asking = tokio::task::JoinSet::new();
    let (shared, kid) = (cache.clone(), one.id().to_owned());
    asking.spawn(async move { has(&shared, &kid).await.unwrap() });
    tokio::task::yield_now().await;
    assert_eq!(source.loads(), 2);
    let before = tokio::time::Instant::now();
    assert!(has(&cache, one.id()).await.unwrap());
    assert_eq!(before.elapsed(), Duration::ZERO);
    assert!(asking.join_next().await.unwrap().unwrap());
}

/// T-080: keys outlive a short failure of their source, and not a long one.
#[tokio::test(start_paused = true)]
async fn a_failing_source_is_bridged_for_a_while() {
    let one = SigningKey::generate().unwrap();
    let (source, clock) = (Source::of(&[&one]), Clock::manual(1000));
    let limits = KeyCacheLimits::default();
    let cache = KeyCache::new(source.clone(), limits, clock.clone());
    assert!(has(&cache, one.id()).await.unwrap());
    *source.keys.lock().unwrap() = None;
    clock.advance(650);
    assert!(has(&cache, one.id()).await.unwrap());
    clock.advance(300);
    assert!(matches!(has(&cache, one.id()).await, Err(KeyError::Unavailable(_))));
    let loads = source.loads();
    assert!(matches!(has(&cache, one.id()).await, Err(KeyError::Unavailable(_))));
    assert_eq!(source.loads(), loads, "a dead source is left alone for a while");
    source.gate.forget_permits(1000);
    clock.advance(20);
    let before = tokio::time::Instant::now();
    assert!(has(&cache, one.id()).await.is_err(), "a source that hangs does not hang us");
    assert_eq!(before.elapsed(), Duration::from_secs(10));
}

/// Who goes away while keys are fetched neither stops the fetch nor begins another.
#[tokio::test]
async fn a_fetch_outlives_whoever_began_it() {
    let one = SigningKey::generate().unwrap();
    let source = Source::of(&[&one]);
    source.gate.forget_permits(1000);
    let cache = KeyCache::new(source.clone(), KeyCacheLimits::default(), Clock::manual(1000));
    for _ in 0..10 {
        tokio::select! {
            biased;
            _ = has(&cache, one.id()) => panic!("nothing was loaded yet"),
            () = tokio::task::yield_now() => {}
        }
    }
    source.gate.add_permits(1);
    assert!(has(&cache, one.id()).await.unwrap());
    assert_eq!(source.loads(), 1);
}

/// Mistake: whoever waited while keys were fetched for another was told for a minute that theirs does not exist, though it may have been
/// made since.
#[tokio::test]
async fn a_fetch_for_another_key_settles_nothing() {
    let (one, two) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
    let (source, clock) = (Source::of(&[&one]), Clock::manual(1000));
    source.gate.forget_permits(1000);
    let cache = Arc::new(KeyCache::new(source.clone(), KeyCacheLimits::default(), clock.clone()));
    let mut asking = tokio::task::JoinSet::new();
    for kid in ["made-up", two.id()] {
        let (cache, kid) = (cache.clone(), kid.to_owned());
        asking.spawn(async move { has(&cache, &kid).await.unwrap() });
        tokio::task::yield_now().await;
    }
    source.gate.add_permits(1);
    assert_eq!(asking.join_all().await, [false, false]);
    source.set(&[&one, &two]);
    source.gate.add_permits(1000);
    clock.advance(11);
    assert!(!has(&cache, "made-up").await.unwrap(), "it was asked for a moment ago");
    assert_eq!(source.loads(), 1);
    assert!(has(&cache, two.id()).await.unwrap());
    assert_eq!(source.loads(), 2);
}
