//! Sealing: what travels through a client and must come back unchanged.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use crate::sync::RwLock;

/// The keys that seal `requestState` and cursors.
///
/// By default a server makes its own key and replaces it each hour, or less often if questions live for more than a day; then only the process that asked a question can take the
/// answer. Nodes that share keys can continue each other's calls; those that share a [store](crate::Server::store) do it by themselves.
/// The first key seals, all of them open: to rotate, put a new one in front, and drop the old one when nothing sealed with it lives any
/// more. Questions live for ten minutes unless that is changed; cursors and handles live longer, and clients begin again without them.
#[derive(Clone)]
pub struct Keys(Vec<[u8; 32]>);

impl Keys {
    /// Takes the key that seals.
    #[must_use]
    pub fn new(current: [u8; 32]) -> Self {
        Self(vec![current])
    }

    /// Adds a key that still opens what it sealed before.
    #[must_use]
    pub fn with_previous(mut self, previous: [u8; 32]) -> Self {
        self.0.push(previous);
        self
    }

    fn random() -> Self {
        let mut key = [0; 32];
        random(&mut key);
        Self::new(key)
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys([redacted])")
    }
}

/// Seals and opens. The nonce has 192 random bits (XChaCha20), so any number of messages may be sealed with one key.
pub(crate) struct Sealer {
    ring: RwLock<Ring>,
    /// For what has no end, such as cursors in pages that are kept: a key that is not replaced.
    lasting: RwLock<Ring>,
    given: bool,
    /// How many seconds what is sealed for a while has to open.
    life: u64,
}

struct Ring {
    ciphers: Arc<Vec<XChaCha20Poly1305>>,
    /// When a key of our own was made; keys that were given are never replaced.
    made: Option<SystemTime>,
    /// When those behind the first stopped sealing.
    stopped: Vec<SystemTime>,
}

/// How long a key of our own seals at least.
const KEY_LIFE: u64 = 60 * 60;
/// How many keys there are at most for each time that a key has to open: where that is long, keys seal for longer.
const KEYS_PER_LIFE: u64 = 24;
/// How long a client may take to answer a question, unless it is said.
pub(crate) const QUESTION_LIFE: Duration = Duration::from_secs(10 * 60);
const NONCE_BYTES: usize = 24;

/// How many seconds a key seals if what it seals has to open for so long.
pub(crate) fn seals_for(life: u64) -> u64 {
    KEY_LIFE.max(life.div_ceil(KEYS_PER_LIFE))
}

/// How many seconds a key opens after it has stopped sealing.
pub(crate) fn opens_for(life: u64) -> u64 {
    KEY_LIFE.max(life)
}

impl Sealer {
    /// Makes a sealer with the given keys, or with its own. What is sealed for a while has to open for `life`.
    pub(crate) fn new(given: Option<&Keys>, life: Duration) -> Self {
        let (ring, lasting) = match given {
            Some(keys) => (Ring::new(keys, None), Ring::new(keys, None)),
            None => (Ring::new(&Keys::random(), Some(SystemTime::now())), Ring::new(&Keys::random(), None)),
        };
        let (ring, lasting) = (RwLock::new(ring), RwLock::new(lasting));
        Self { ring, lasting, given: given.is_some(), life: life.as_secs() }
    }

    /// Returns how many seconds what is sealed for a while has to open.
    pub(crate) fn life(&self) -> u64 {
        self.life
    }

    /// Whether the keys were given, so that they are nobody else's business.
    pub(crate) fn has_given_keys(&self) -> bool {
        self.given
    }

    /// Takes keys that are replaced by whoever shares them.
    pub(crate) fn share(&self, keys: &Keys) {
        *self.ring.write() = Ring::new(keys, None);
    }

    /// Takes the key for what has no end.
    pub(crate) fn share_lasting(&self, keys: &Keys) {
        *self.lasting.write() = Ring::new(keys, None);
    }

    /// Seals `plain` for a while. Only who gives the same `context` can open it.
    pub(crate) fn seal(&self, plain: &[u8], context: &[u8]) -> Option<String> {
        seal_with(&self.current(), plain, context)
    }

    /// Opens what was sealed with the same `context`.
    pub(crate) fn open(&self, sealed: &str, context: &[u8]) -> Option<Vec<u8>> {
        open_with(&self.current(), sealed, context)
    }

    /// Seals `plain` for as long as the process lives, or the keys that were given.
    pub(crate) fn seal_lasting(&self, plain: &[u8], context: &[u8]) -> Option<String> {
        seal_with(&self.lasting.read().ciphers, plain, context)
    }

    /// Opens what [`seal_lasting`](Self::seal_lasting) sealed.
    pub(crate) fn open_lasting(&self, sealed: &str, context: &[u8]) -> Option<Vec<u8>> {
        open_with(&self.lasting.read().ciphers, sealed, context)
    }

    fn current(&self) -> Arc<Vec<XChaCha20Poly1305>> {
        let life = self.life();
        let ring = self.ring.read();
        if !ring.is_old(life) {
            return ring.ciphers.clone();
        }
        drop(ring);
        let mut ring = self.ring.write();
        if ring.is_old(life) {
            ring.rotate(life);
        }
        ring.ciphers.clone()
    }
}

fn seal_with(ciphers: &[XChaCha20Poly1305], plain: &[u8], context: &[u8]) -> Option<String> {
    let mut nonce = [0; NONCE_BYTES];
    random(&mut nonce);
    let sealed = ciphers.first()?.encrypt(&XNonce::from(nonce), Payload { msg: plain, aad: context }).ok()?;
    let mut bytes = nonce.to_vec();
    bytes.extend_from_slice(&sealed);
    Some(URL_SAFE_NO_PAD.encode(bytes))
}

fn open_with(ciphers: &[XChaCha20Poly1305], sealed: &str, context: &[u8]) -> Option<Vec<u8>> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>()?;
    ciphers.iter().find_map(|c| c.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: context }).ok())
}

impl Ring {
    fn new(keys: &Keys, made: Option<SystemTime>) -> Self {
        let ciphers = keys.0.iter().map(|key| XChaCha20Poly1305::new(&(*key).into())).collect();
        Self { ciphers: Arc::new(ciphers), made, stopped: Vec::new() }
    }

    fn is_old(&self, life: u64) -> bool {
        self.made.is_some_and(|made| made.elapsed().map_or(true, |age| age.as_secs() >= seals_for(life)))
    }

    /// Makes a new key; those before still open for as long as something that they sealed may come back.
    fn rotate(&mut self, life: u64) {
        let now = SystemTime::now();
        let mut next = Self::new(&Keys::random(), Some(now));
        next.stopped.push(now);
        // They stopped one after the other, so that those which still open come first. A clock that was set back makes none older.
        let opens =
            |stopped: &&SystemTime| now.duration_since(**stopped).map_or(true, |age| age.as_secs() < opens_for(life));
        next.stopped.extend(self.stopped.iter().take_while(opens));
        let most = usize::try_from(KEYS_PER_LIFE).unwrap_or(usize::MAX).saturating_add(1);
        next.stopped.truncate(most);
        let before = self.ciphers.iter().take(next.stopped.len()).cloned();
        next.ciphers = Arc::new(next.ciphers.iter().cloned().chain(before).collect());
        *self = next;
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Fills a buffer with unguessable bytes.
pub(crate) fn random(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the system has a source of random numbers");
}

/// Puts texts together so that no two different lists of them become the same bytes.
pub(crate) fn context(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_context_and_untouched_bytes_open() {
        let sealer = Sealer::new(None, QUESTION_LIFE);
        let sealed = sealer.seal(b"secret", b"call 1").unwrap();
        assert_eq!(sealer.open(&sealed, b"call 1").as_deref(), Some(b"secret".as_slice()));
        assert_eq!(sealer.open(&sealed, b"call 2"), None);
        for at in 0..sealed.len() {
            let mut touched = sealed.clone().into_bytes();
            touched[at] = if touched[at] == b'A' { b'B' } else { b'A' };
            let touched = String::from_utf8(touched).unwrap();
            // The last character may hold bits that are not part of any byte; those are refused by the decoder.
            assert_eq!(sealer.open(&touched, b"call 1"), None, "{at}");
        }
        assert_eq!(sealer.open("", b"call 1"), None);
    }

    #[test]
    fn shared_keys_open_on_every_node_and_rotate() {
        let with = |keys: Keys| Sealer::new(Some(&keys), QUESTION_LIFE);
        let (one, other) = (with(Keys::new([1; 32])), with(Keys::new([2; 32]).with_previous([1; 32])));
        let sealed = one.seal(b"x", b"").unwrap();
        assert!(other.open(&sealed, b"").is_some());
        let newer = other.seal(b"x", b"").unwrap();
        assert!(one.open(&newer, b"").is_none());
    }

    /// Lets time pass for the keys.
    fn age(sealer: &Sealer, seconds: u64) {
        let mut ring = sealer.ring.write();
        let ring = &mut *ring;
        for time in ring.made.iter_mut().chain(&mut ring.stopped) {
            *time -= Duration::from_secs(seconds);
        }
    }

    #[test]
    fn own_keys_are_replaced_and_the_one_before_still_opens() {
        let sealer = Sealer::new(None, QUESTION_LIFE);
        let sealed = sealer.seal(b"x", b"").unwrap();
        age(&sealer, KEY_LIFE);
        let newer = sealer.seal(b"y", b"").unwrap();
        assert!(sealer.open(&sealed, b"").is_some());
        age(&sealer, KEY_LIFE);
        assert!(sealer.open(&sealed, b"").is_none());
        assert!(sealer.open(&newer, b"").is_some());
    }

    /// What was sealed opens as long as it is said to, however often keys are replaced meanwhile; and there are never many.
    #[test]
    fn keys_open_as_long_as_what_they_sealed_lives() {
        let mut sealer = Sealer::new(None, Duration::from_secs(3 * KEY_LIFE));
        let sealed = sealer.seal(b"x", b"").unwrap();
        for _ in 0..3 {
            age(&sealer, KEY_LIFE);
            sealer.seal(b"y", b"").unwrap();
            assert!(sealer.open(&sealed, b"").is_some());
        }
        age(&sealer, KEY_LIFE);
        assert!(sealer.open(&sealed, b"").is_none());
        assert!(sealer.current().len() <= 5);

        let week = 7 * 24 * KEY_LIFE;
        sealer.life = week;
        let sealed = sealer.seal(b"x", b"").unwrap();
        for _ in 0..7 * 24 {
            age(&sealer, KEY_LIFE);
            assert!(sealer.open(&sealed, b"").is_some());
            assert!(sealer.current().len() <= 26);
        }
        sealer.life = Duration::MAX.as_secs();
        assert!(sealer.open(&sealed, b"").is_some());
    }
}
