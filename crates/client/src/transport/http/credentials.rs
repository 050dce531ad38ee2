//! Who is asking, as far as it tells one user from another.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

use http::{HeaderMap, Method, Uri};
use jackfield_http::client::{Asked, Authorizer};

use crate::BoxFuture;

/// Asks an authorizer what it would send now, and returns a number that stands for it; none if it has nothing to send.
pub(super) fn credentials<'a>(authorizer: &'a dyn Authorizer, uri: &'a Uri) -> BoxFuture<'a, Option<u64>> {
    Box::pin(async move {
        let asked = Asked::new(&Method::POST, uri);
        authorizer.headers(asked).await.ok().map(|headers| fingerprint(&headers))
    })
}

/// The same for the same credentials, in this process only. A proof of possession is another one for each request, and is about a token
/// that stands beside it.
fn fingerprint(headers: &HeaderMap) -> u64 {
    static KEY: OnceLock<RandomState> = OnceLock::new();
    let mut hasher = KEY.get_or_init(RandomState::new).build_hasher();
    for (name, value) in headers.iter().filter(|(name, _)| *name != "dpop") {
        for part in [name.as_str().as_bytes(), value.as_bytes()] {
            hasher.write_usize(part.len());
            hasher.write(part);
        }
    }
    hasher.finish()
}
