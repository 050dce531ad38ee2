//! `requestState`: what a call knows from its earlier rounds, on its way through the client.
//!
//! The server keeps nothing between the rounds of a call, so that any node can take the next one. What it has to know again travels with the
//! client, which must neither read nor change it nor use it elsewhere: it is encrypted and authenticated, bound to the user, the method and
//! what is wanted, and expires. The questions are kept as digests, because the handler asks them again; answers that came in earlier
//! rounds and results of steps are kept whole, because the client sends each answer once.

use std::collections::BTreeMap;

use jackfield_peer::Principal;
use jackfield_protocol::{ErrorObject, InputRequest, RawJson};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::QuestionError;
use crate::Cx;
use crate::questions::seal::{context, now};

/// The longest state.
const MAX_STATE_BYTES: usize = 64 * 1024;

/// What earlier rounds of a call left.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RequestState {
    /// What each question was, as a number.
    #[serde(rename = "q", default)]
    pub(super) questions: BTreeMap<String, u64>,
    #[serde(rename = "a", default)]
    pub(super) answers: BTreeMap<String, RawJson>,
    #[serde(rename = "s", default)]
    pub(super) steps: BTreeMap<String, RawJson>,
}

#[derive(Serialize, Deserialize)]
struct Sealed<T> {
    /// When it is too old, in seconds since 1970.
    #[serde(rename = "e")]
    expires: u64,
    #[serde(rename = "n")]
    nonce: u64,
    #[serde(rename = "p")]
    payload: T,
}

impl RequestState {
    /// Checks that a key stands for the same question as in earlier rounds. The handler runs again from the top, so a key that stands for
    /// another question would get the answer to the first one.
    pub(super) fn check(&self, key: &str, digest: u64) -> Result<(), QuestionError> {
        match self.questions.get(key) {
        Some(known) if *known != digest => Err(QuestionError::BadQuestion {
            key: key.to_owned(),
            problem:
                "another question was asked with the same key; a key must stand for one question in all runs of a call"
                    .to_owned(),
        }),
        _ => Ok(()),
    }
    }
}

/// Tells two questions apart (FNV-1a). Nobody but the server can choose what is compared, so it needs no secret.
pub(super) fn digest_of(question: &InputRequest) -> u64 {
    let text = serde_json::to_vec(question).unwrap_or_default();
    text.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

pub(super) fn seal_bytes(cx: &Cx, bytes: &[u8]) -> Option<String> {
    seal(cx, &bytes).ok()
}

pub(super) fn open_bytes(cx: &Cx, sealed: &str) -> Result<Vec<u8>, ErrorObject> {
    open(cx, sealed)
}

/// Seals a payload for this call.
pub(super) fn seal<T: Serialize>(cx: &Cx, payload: &T) -> Result<String, ErrorObject> {
    let mut nonce = [0; 8];
    crate::questions::seal::random(&mut nonce);
    let expires = now().saturating_add(cx.call().outer.fixed().sealer.life());
    let sealed = Sealed { expires, nonce: u64::from_le_bytes(nonce), payload };
    let plain = serde_json::to_vec(&sealed).map_err(|error| ErrorObject::internal(format!("state: {error}")))?;
    let state = cx.call().outer.fixed().sealer.seal(&plain, &binding(cx));
    let state = state.ok_or_else(|| ErrorObject::internal("the state of the call cannot be sealed"))?;
    if state.len() > MAX_STATE_BYTES {
        let message = format!("the answers and steps of this call are longer than {MAX_STATE_BYTES} bytes");
        return Err(ErrorObject::internal(message));
    }
    Ok(state)
}

/// Opens what [`seal`] made in an earlier round of the same call.
pub(super) fn open<T: DeserializeOwned>(cx: &Cx, state: &str) -> Result<T, ErrorObject> {
    let refuse = || ErrorObject::invalid_params("`requestState` is not valid for this request");
    if state.len() > MAX_STATE_BYTES {
        return Err(refuse());
    }
    let plain = cx.call().outer.fixed().sealer.open(state, &binding(cx)).ok_or_else(refuse)?;
    let sealed: Sealed<T> = serde_json::from_slice(&plain).map_err(|_| refuse())?;
    if sealed.expires <= now() {
        return Err(ErrorObject::invalid_params("`requestState` is too old; call again without it"));
    }
    Ok(sealed.payload)
}

/// What a state is bound to: the user and the program they came through, the method, and the parameters that say what is wanted.
fn binding(cx: &Cx) -> Vec<u8> {
    let user = cx.auth();
    let of_user = |part: fn(&Principal) -> Option<&str>| user.and_then(part).unwrap_or_default().as_bytes();
    let salient = |name: &str| cx.params().get(name).map(canonical).unwrap_or_default();
    context(&[
        b"requestState",
        &[u8::from(user.is_some())],
        of_user(|user| Some(&user.issuer)),
        of_user(|user| Some(&user.subject)),
        of_user(|user| user.client.as_deref()),
        cx.method().as_bytes(),
        &salient("name"),
        &salient("uri"),
        &salient("arguments"),
    ])
}

/// The same value written in another way, such as with another order of members, is the same request.
fn canonical(json: &[u8]) -> Vec<u8> {
    serde_json::from_slice::<serde_json::Value>(json)
        .and_then(|value| serde_json::to_vec(&value))
        .unwrap_or_else(|_| json.to_vec())
}
