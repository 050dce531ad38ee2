//! What a resource may return.

use bytes::Bytes;
use jackfield_protocol::{ErrorObject, Outcome, ReadResourceResult, ResourceContents, Revision};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Failure, Json};
use crate::Done;

/// Which resource is being read, by whom.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reading {
    /// The URI as the caller wrote it.
    pub uri: String,
    /// The MIME type that the resource is listed with.
    pub mime_type: Option<String>,
    /// The caller's revision.
    pub revision: Revision,
}

impl Reading {
    /// Says which resource is being read.
    pub fn new(uri: impl Into<String>, mime_type: Option<String>, revision: Revision) -> Self {
        Self { uri: uri.into(), mime_type, revision }
    }

    fn blob(self, bytes: &[u8]) -> Done<ReadResourceResult> {
        let blob = super::media::base64(bytes);
        self.complete(|uri| ResourceContents::blob(uri, blob), None)
    }

    fn complete(
        self,
        contents: impl FnOnce(String) -> ResourceContents,
        usual_type: Option<&'static str>,
    ) -> Done<ReadResourceResult> {
        let contents = contents(self.uri);
        let contents = match self.mime_type.or(usual_type.map(str::to_owned)) {
            Some(mime_type) if contents.mime_type().is_none() => contents.with_mime_type(mime_type),
            _ => contents,
        };
        Ok(Outcome::Complete(ReadResourceResult::new(vec![contents])))
    }
}

/// What a resource may return.
#[diagnostic::on_unimplemented(
    message = "a resource cannot return `{Self}`",
    label = "not the contents of a resource",
    note = "for JSON return `Json<{Self}>` (it must implement `Serialize` and `JsonSchema`)",
    note = "or return text, `Vec<u8>`, `Bytes`, `ResourceContents`, `Vec<ResourceContents>`, `ReadResourceResult`, an `Option` (`None`: not found) or a `Result` of one of these"
)]
pub trait IntoResourceResult {
    /// Turns it into the answer to `resources/read`.
    ///
    /// # Errors
    /// An error of the protocol.
    fn into_resource_result(self, reading: Reading) -> Done<ReadResourceResult>;
}

macro_rules! results {
    ($( $($type:ty),+ => |$value:ident, $reading:ident| $result:expr; )+) => { $( $(
        impl IntoResourceResult for $type {
            fn into_resource_result(self, $reading: Reading) -> Done<ReadResourceResult> {
                let $value = self;
                $result
            }
        }
    )+ )+ };
}

results! {
    String => |text, reading| reading.complete(|uri| ResourceContents::text(uri, text), None);
    &str => |text, reading| reading.complete(|uri| ResourceContents::text(uri, text.to_owned()), None);
    Vec<u8>, Bytes => |bytes, reading| reading.blob(&bytes);
    &[u8] => |bytes, reading| reading.blob(bytes);
    ResourceContents => |contents, reading| reading.complete(|_| contents, None);
    Vec<ResourceContents> => |contents, _reading| Ok(Outcome::Complete(ReadResourceResult::new(contents)));
    ReadResourceResult => |result, _reading| Ok(Outcome::Complete(result));
    Outcome<ReadResourceResult> => |outcome, _reading| Ok(outcome);
}

impl<T: Serialize + JsonSchema> IntoResourceResult for Json<T> {
    fn into_resource_result(self, reading: Reading) -> Done<ReadResourceResult> {
        let text = self.text()?.get().to_owned();
        reading.complete(|uri| ResourceContents::text(uri, text), Some("application/json"))
    }
}

impl<T: IntoResourceResult> IntoResourceResult for Option<T> {
    fn into_resource_result(self, reading: Reading) -> Done<ReadResourceResult> {
        match self {
            Some(contents) => contents.into_resource_result(reading),
            None => Err(ErrorObject::resource_not_found(reading.revision, &reading.uri)),
        }
    }
}

impl<T: IntoResourceResult, E: Failure> IntoResourceResult for Result<T, E> {
    fn into_resource_result(self, reading: Reading) -> Done<ReadResourceResult> {
        self.map_err(Failure::into_error)?.into_resource_result(reading)
    }
}
