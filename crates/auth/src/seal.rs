//! What is kept so that only those who have the key can read it.

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::NoRandomness;

/// Something could not be sealed.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(crate) enum SealError {
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("it is too long to be sealed")]
    TooLong,
}

#[derive(Debug)]
pub(crate) struct Sealer(LessSafeKey);

impl Sealer {
    pub(crate) fn new(key: Option<[u8; 32]>) -> Result<Self, NoRandomness> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
        let key = UnboundKey::new(&CHACHA20_POLY1305, &key.unwrap_or(bytes)).map_err(|_| NoRandomness)?;
        Ok(Self(LessSafeKey::new(key)))
    }

    /// Seals a text for one place; it cannot be opened under another name.
    pub(crate) fn seal(&self, name: &str, plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|_| NoRandomness)?;
        let mut sealed = plain.to_vec();
        let aad = Aad::from(name.as_bytes());
        let done = self.0.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut sealed);
        done.map_err(|_| SealError::TooLong)?;
        Ok([&nonce[..], &sealed].concat())
    }

    pub(crate) fn open(&self, name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, rest) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut rest = rest.to_vec();
        let plain = self.0.open_in_place(nonce, Aad::from(name.as_bytes()), &mut rest).ok()?;
        Some(plain.to_vec())
    }
}
