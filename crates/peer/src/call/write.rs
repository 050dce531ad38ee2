//! How answers become bytes.

use jackfield_protocol::envelope::RawId;
use jackfield_protocol::{ErrorObject, Revision, write_result};

use crate::Reply;

/// Appends the answer to a request. `identity` is what the server calls itself, as JSON text.
pub fn write_reply(out: &mut Vec<u8>, id: &RawId, reply: Reply, revision: Revision, identity: Option<&[u8]>) {
    match reply {
        Ok(outcome) => {
            let start = out.len();
            out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
            out.extend_from_slice(id.as_json());
            out.extend_from_slice(b",\"result\":");
            match write_result(out, outcome, revision, identity) {
                Ok(()) => out.push(b'}'),
                Err(cause) => {
                    out.truncate(start);
                    let error = ErrorObject::internal(format!("the answer cannot be written: {cause}"));
                    write_error(out, Some(id), &error, revision);
                }
            }
        }
        Err(error) => write_error(out, Some(id), &error, revision),
    }
}

/// Appends an error response.
pub fn write_error(out: &mut Vec<u8>, id: Option<&RawId>, error: &ErrorObject, revision: Revision) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",");
    match id {
        Some(id) => {
            out.extend_from_slice(b"\"id\":");
            out.extend_from_slice(id.as_json());
            out.push(b',');
        }
        // JSON-RPC says null; newer revisions say that the member is absent.
        None if revision.requires_error_id() => out.extend_from_slice(b"\"id\":null,"),
        None => {}
    }
    out.extend_from_slice(b"\"error\":");
    let start = out.len();
    if serde_json::to_writer(&mut *out, error).is_err() {
        out.truncate(start);
        out.extend_from_slice(br#"{"code":-32603,"message":"internal error: the error cannot be written"}"#);
    }
    out.push(b'}');
}

/// Makes one line of a message. Text that handlers encoded themselves may be spread over several; in strings a line end is always
/// escaped.
pub fn in_one_line(message: &mut [u8]) {
    let mut rest = message;
    while let Some(at) = memchr::memchr2(b'\n', b'\r', rest)
        && let Some((byte, behind)) = rest.get_mut(at..).and_then(<[u8]>::split_first_mut)
    {
        *byte = b' ';
        rest = behind;
    }
}
