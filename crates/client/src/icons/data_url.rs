//! Images that are part of their address.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use jackfield_protocol::uri::percent_decode;

use super::BadIcon;

/// Reads a `data:` URL: its media type, if it names one, and its bytes.
pub(super) fn read(url: &str, limit: usize) -> Result<(Option<String>, Bytes), BadIcon> {
    let (head, body) = url.split_once(':').and_then(|(_, rest)| rest.split_once(',')).ok_or(BadIcon::Data)?;
    let (is_base64, head) = match head.len().checked_sub(";base64".len()).and_then(|at| head.split_at_checked(at)) {
        Some((head, mark)) if mark.eq_ignore_ascii_case(";base64") => (true, head),
        _ => (false, head),
    };
    let said = head.split(';').next().map(str::trim).filter(|said| !said.is_empty());
    // Encoded bytes are longer, so nothing that is allowed is refused here.
    if body.len() > limit.saturating_mul(3).saturating_add(4) {
        return Err(BadIcon::TooLarge("bytes"));
    }
    let bytes = percent_decode(body).ok_or(BadIcon::Data)?;
    let bytes = if is_base64 { STANDARD.decode(bytes).map_err(|_| BadIcon::Data)? } else { bytes };
    if bytes.len() > limit {
        return Err(BadIcon::TooLarge("bytes"));
    }
    Ok((said.map(str::to_ascii_lowercase), bytes.into()))
}
