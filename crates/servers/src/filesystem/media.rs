//! Images, sounds and other files as they are.

use std::fmt::Write;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::failure::Failure;
use super::limits::Limits;
use super::location::Location;
use super::read;

/// What kind of content a file is, by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaKind {
    Image(&'static str),
    Audio(&'static str),
    Other,
}

/// A file in base64.
#[derive(Debug)]
pub(crate) struct Media {
    pub(crate) kind: MediaKind,
    pub(crate) base64: String,
}

pub(crate) fn read_media(location: &Location, limits: &Limits) -> Result<Media, Failure> {
    // Four characters for three bytes.
    let mut raw = *limits;
    raw.answer_bytes = limits.answer_bytes / 4 * 3;
    let bytes = read::read_bytes(location, &raw)?;
    Ok(Media { kind: kind(&location.path), base64: STANDARD.encode(bytes) })
}

fn kind(path: &Path) -> MediaKind {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "png" => MediaKind::Image("image/png"),
        "jpg" | "jpeg" => MediaKind::Image("image/jpeg"),
        "gif" => MediaKind::Image("image/gif"),
        "webp" => MediaKind::Image("image/webp"),
        "bmp" => MediaKind::Image("image/bmp"),
        "svg" => MediaKind::Image("image/svg+xml"),
        "mp3" => MediaKind::Audio("audio/mpeg"),
        "wav" => MediaKind::Audio("audio/wav"),
        "ogg" => MediaKind::Audio("audio/ogg"),
        "flac" => MediaKind::Audio("audio/flac"),
        _ => MediaKind::Other,
    }
}

/// Returns the `file:` URI of an absolute path.
pub(crate) fn file_uri(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'"' | b'#' | b'%' | b'<' | b'>' | b'?' | b'[' | b'\\' | b']' | b'^' | b'`' | b'{' | b'|' | b'}' | b'~' => {
                let _ = write!(uri, "%{byte:02X}");
            }
            0x21..=0x7e => uri.push(char::from(*byte)),
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_whatever_its_case() {
        assert_eq!(kind(Path::new("/a/Song.MP3")), MediaKind::Audio("audio/mpeg"));
        assert_eq!(kind(Path::new("/a/b.jpeg")), MediaKind::Image("image/jpeg"));
        assert_eq!(kind(Path::new("/a/.png")), MediaKind::Other);
        assert_eq!(kind(Path::new("/a/png")), MediaKind::Other);
    }

    #[cfg(unix)]
    #[test]
    fn a_uri_has_what_is_special_in_it_escaped() {
        assert_eq!(file_uri(Path::new("/a b/é#?%~")), "file:///a%20b/%C3%A9%23%3F%25%7E");
        assert_eq!(file_uri(Path::new("/a!$&'()*+,;=:@-._z")), "file:///a!$&'()*+,;=:@-._z");
    }
}
