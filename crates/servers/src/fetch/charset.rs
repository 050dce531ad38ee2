//! Turns bodies into text.

use encoding_rs::{Encoding, UTF_8};

/// How far into a page its charset is looked for, as in HTML.
const SNIFFED_BYTES: usize = 1024;

/// Turns a body into text: by the charset of its content type, else as UTF-8. A body that is not UTF-8 and does not say what else it
/// is may say so in its first bytes, as pages do. What cannot be decoded becomes U+FFFD.
pub(super) fn text(body: Vec<u8>, content_type: &str) -> String {
    let named = charset(content_type).and_then(encoding);
    let mut body = body;
    if named.is_none_or(|encoding| encoding == UTF_8) {
        match String::from_utf8(body) {
            Ok(text) => return text,
            Err(error) => body = error.into_bytes(),
        }
    }
    let encoding = named.or_else(|| sniffed(&body)).unwrap_or(UTF_8);
    let (text, _) = encoding.decode_without_bom_handling(&body);
    text.into_owned()
}

/// Returns the charset that a content type names.
fn charset(content_type: &str) -> Option<&str> {
    let parameters = content_type.split(';').skip(1);
    parameters.filter_map(|parameter| parameter.split_once('=')).find_map(|(name, value)| {
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
    })
}

fn encoding(label: &str) -> Option<&'static Encoding> {
    // A spelling that is usual outside the web.
    let label = if label.eq_ignore_ascii_case("latin-1") { "latin1" } else { label };
    Encoding::for_label(label.as_bytes())
}

/// Looks for a byte order mark, or for a charset among the first tags of a page.
fn sniffed(body: &[u8]) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return Some(encoding);
    }
    let beginning = body.get(..SNIFFED_BYTES).unwrap_or(body);
    let beginning = String::from_utf8_lossy(beginning).to_ascii_lowercase();
    let (_, after) = beginning.split_once("<meta").and_then(|(_, metas)| metas.split_once("charset"))?;
    let value = after.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let label = value.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '>' | '/')).next()?;
    encoding(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_type_names_the_charset() {
        for (body, content_type, wanted) in [
            ("żółć".as_bytes(), "text/plain; charset=utf-8", "żółć"),
            ("żółć".as_bytes(), "text/plain", "żółć"),
            ("żółć".as_bytes(), "", "żółć"),
            (b"caf\xe9", "text/html;Charset=\"ISO-8859-1\"", "café"),
            (b"caf\xe9", "text/html; charset=latin-1", "café"),
            (b"\xbf\xf3\xb3\xe6", "text/plain; charset=iso-8859-2", "żółć"),
            (b"\x8a\xbf\x8e\x9a", "text/plain; charset=Shift_JIS", "漢字"),
            (b"x\xe9y", "text/plain; charset=nonsense", "x\u{fffd}y"),
            (b"ok \xff\xfe\xc3( end", "text/plain; charset=utf-8", "ok \u{fffd}\u{fffd}\u{fffd}( end"),
            (b"\xef\xbb\xbfx", "text/plain", "\u{feff}x"),
        ] {
            assert_eq!(text(body.to_vec(), content_type), wanted, "{content_type}");
        }
    }

    #[test]
    fn a_page_that_is_not_utf_8_may_name_its_charset() {
        let page =
            b"<html><head><META http-equiv=content-type content=\"text/html; charset=windows-1252\"></head>caf\xe9";
        assert!(text(page.to_vec(), "text/html").ends_with("café"));
        assert!(text(b"<meta charset='iso-8859-2'>\xbf".to_vec(), "text/html").ends_with('ż'));
        assert!(text(b"<meta charset=utf-8>\xbf".to_vec(), "text/html").ends_with('\u{fffd}'));
        assert_eq!(text(b"\xff\xfea\0b\0".to_vec(), "text/plain"), "\u{feff}ab");
        // The server knows better.
        assert!(text(b"<meta charset=iso-8859-2>\xe9".to_vec(), "text/html; charset=latin1").ends_with('é'));
    }
}
