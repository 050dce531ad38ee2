//! Algorithms of signatures.

use ring::signature::{self, VerificationAlgorithm};

/// An algorithm by which tokens are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// Ed25519.
    EdDsa,
    /// RSA PKCS#1 with SHA-256.
    Rs256,
    /// RSA PKCS#1 with SHA-384.
    Rs384,
    /// RSA PKCS#1 with SHA-512.
    Rs512,
    /// RSA PSS with SHA-256.
    Ps256,
    /// RSA PSS with SHA-384.
    Ps384,
    /// RSA PSS with SHA-512.
    Ps512,
}

impl Algorithm {
    /// Every algorithm that can be checked.
    pub const ALL: &'static [Self] = &[
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
    ];

    /// Returns the name in headers and metadata.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
        }
    }

    /// Finds an algorithm by its exact name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        // RFC 9864 gave Ed25519 a name of its own.
        if name == "Ed25519" {
            return Some(Self::EdDsa);
        }
        Self::ALL.iter().copied().find(|algorithm| algorithm.name() == name)
    }

    /// Which type of key it needs, and which curve.
    pub(super) fn key_type(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Es256 => ("EC", Some("P-256")),
            Self::Es384 => ("EC", Some("P-384")),
            Self::EdDsa => ("OKP", Some("Ed25519")),
            _ => ("RSA", None),
        }
    }

    /// How a signature of a key on a curve is checked.
    pub(super) fn on_curve(self) -> Option<&'static dyn VerificationAlgorithm> {
        match self {
            Self::Es256 => Some(&signature::ECDSA_P256_SHA256_FIXED),
            Self::Es384 => Some(&signature::ECDSA_P384_SHA384_FIXED),
            Self::EdDsa => Some(&signature::ED25519),
            _ => None,
        }
    }

    pub(super) fn rsa(self) -> Option<&'static signature::RsaParameters> {
        match self {
            Self::Rs256 => Some(&signature::RSA_PKCS1_2048_8192_SHA256),
            Self::Rs384 => Some(&signature::RSA_PKCS1_2048_8192_SHA384),
            Self::Rs512 => Some(&signature::RSA_PKCS1_2048_8192_SHA512),
            Self::Ps256 => Some(&signature::RSA_PSS_2048_8192_SHA256),
            Self::Ps384 => Some(&signature::RSA_PSS_2048_8192_SHA384),
            Self::Ps512 => Some(&signature::RSA_PSS_2048_8192_SHA512),
            _ => None,
        }
    }
}
