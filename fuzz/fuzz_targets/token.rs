//! Any text as a token, a challenge, a set of keys or a document of metadata: nothing panics, nothing forged is believed.
#![no_main]

use std::sync::LazyLock;

use http::HeaderValue;
use jackfield_auth::challenge::Challenge;
use jackfield_auth::jose::{Claims, JwkSet, Jws, SigningKey};
use jackfield_auth::metadata::{AuthorizationServerMetadata, ClientMetadata, ProtectedResourceMetadata};
use jackfield_auth::{Scopes, metadata};
use libfuzzer_sys::fuzz_target;

static KEY: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::generate().expect("a key"));

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Ok(token) = Jws::parse(&text) {
        assert!(token.verify(KEY.public()).is_err(), "a token that we did not sign");
    }
    // A token of ours with one byte changed is not ours any more.
    if let [place, byte, claims @ ..] = data
        && let Ok(claims) = serde_json::from_slice::<serde_json::Value>(claims)
        && let Ok(token) = KEY.sign("at+jwt", &claims)
    {
        let mut forged = token.clone().into_bytes();
        let place = usize::from(*place) % forged.len();
        forged[place] = *byte;
        if let Ok(forged) = String::from_utf8(forged)
            && let Ok(read) = Jws::parse(&forged)
        {
            assert_eq!(read.verify(KEY.public()).is_ok(), forged == token, "{forged}");
        }
    }
    let _ = serde_json::from_slice::<Claims>(data);
    let _ = serde_json::from_slice::<AuthorizationServerMetadata>(data);
    let _ = serde_json::from_slice::<ProtectedResourceMetadata>(data);
    let _ = serde_json::from_slice::<ClientMetadata>(data);
    let _ = metadata::canonical_resource(&text);
    let _ = Scopes::parse(&text);
    if let Some(keys) = JwkSet::parse(data) {
        for key in &keys.keys {
            let _ = key.thumbprint();
        }
    }
    let challenges = Challenge::parse(&text);
    for challenge in &challenges {
        let header: HeaderValue = challenge.to_header();
        assert!(!Challenge::read([&header]).is_empty(), "{header:?}");
    }
});
