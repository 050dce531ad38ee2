//! Paths of rules, in which `*` stands for anything and a final `$` for the end.

/// Characters that mean the same with and without their escape, but are left as they stand in URLs.
const KEPT_IN_PATHS: &[u8] = b"/%";
/// The same in rules, where `*` is no ordinary character.
const KEPT_IN_PATTERNS: &[u8] = b"/%*";

/// The path of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    text: String,
    /// What stands between the stars.
    parts: Vec<String>,
    is_anchored: bool,
}

impl Pattern {
    /// Reads the value of a rule; none if nothing is left of it.
    pub(super) fn parse(value: &str) -> Option<Self> {
        // A site owner who wrote a whole URL gets what a path with that URL in it matches.
        let is_url = value.starts_with("http://") || value.starts_with("https://");
        let value = if is_url { format!("/{value}") } else { value.to_owned() };
        let (path, anchor) = value.strip_suffix('$').map_or((value.as_str(), ""), |path| (path, "$"));
        let path = normalized(path, KEPT_IN_PATTERNS);
        Self::from_normalized(format!("{path}{anchor}"))
    }

    fn from_normalized(text: String) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let (path, is_anchored) = text.strip_suffix('$').map_or((text.as_str(), false), |path| (path, true));
        let mut parts: Vec<String> = path.split('*').map(str::to_owned).collect();
        let last = parts.len().saturating_sub(1);
        // Several stars in a row are one.
        let mut index = 0;
        parts.retain(|part| {
            let is_edge = index == 0 || index == last;
            index += 1;
            is_edge || !part.is_empty()
        });
        Some(Self { text, parts, is_anchored })
    }

    /// For `/index.html` the folder itself, which shows the same page.
    pub(super) fn folder_of_index(&self) -> Option<Self> {
        let folder = self.text.strip_suffix("index.html").filter(|folder| folder.ends_with('/'))?;
        Self::from_normalized(format!("{folder}$"))
    }

    /// How specific it is: of two rules that match, the longer one counts.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether it matches a path that [`path`] returned. Takes time in proportion to both.
    pub(super) fn matches(&self, path: &str) -> bool {
        let Some((first, others)) = self.parts.split_first() else { return false };
        let Some(mut rest) = path.strip_prefix(first.as_str()) else { return false };
        let Some((last, middle)) = others.split_last() else {
            return !self.is_anchored || rest.is_empty();
        };
        for part in middle {
            match rest.split_once(part.as_str()) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        if self.is_anchored { rest.ends_with(last.as_str()) } else { rest.contains(last.as_str()) }
    }
}

/// Returns path and query of a URL in the form that patterns are compared with.
pub(super) fn path(url: &url::Url) -> String {
    let query = url.query().map_or(String::new(), |query| format!("?{query}"));
    normalized(&format!("{}{query}", url.path()), KEPT_IN_PATHS)
}

/// Spells a path in one way: what needs no escape has none, and everything else has one in upper case.
fn normalized(text: &str, kept: &[u8]) -> String {
    let decoded = String::from_utf8_lossy(&unescaped(text, kept)).into_owned();
    let mut path = String::with_capacity(decoded.len());
    for byte in decoded.bytes() {
        let stays = byte.is_ascii_alphanumeric() || b"_.-~=".contains(&byte) || kept.contains(&byte);
        if stays { path.push(char::from(byte)) } else { path.push_str(&format!("%{byte:02X}")) }
    }
    path
}

/// Decodes escapes, except those of the characters in `kept`.
fn unescaped(text: &str, kept: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let escaped = after.get(..2).filter(|_| *first == b'%').and_then(hex);
        let Some(byte) = escaped else {
            bytes.push(*first);
            continue;
        };
        if kept.contains(&byte) {
            bytes.extend_from_slice(format!("%{byte:02X}").as_bytes());
        } else {
            bytes.push(byte);
        }
        rest = after.get(2..).unwrap_or_default();
    }
    bytes
}

fn hex(digits: &[u8]) -> Option<u8> {
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, target: &str) -> bool {
        let url = url::Url::parse(&format!("http://h{target}")).unwrap();
        Pattern::parse(pattern).unwrap().matches(&path(&url))
    }

    #[test]
    fn patterns_match_beginnings_stars_and_ends() {
        for (pattern, target, wanted) in [
            ("/fish", "/fish", true),
            ("/fish", "/fish.html", true),
            ("/fish", "/catfish", false),
            ("/fish/", "/fish", false),
            ("/fish*", "/fishheads/yummy", true),
            ("/*.php", "/index.php", true),
            ("/*.php", "/folder/filename.php?parameters", true),
            ("/*.php$", "/filename.php", true),
            ("/*.php$", "/filename.php?parameters", false),
            ("/*.php$", "/filename.php5", false),
            ("/fish*.php", "/fishheads/catfish.php?x", true),
            ("/fish*.php", "/Fish.PHP", false),
            ("/a$", "/a", true),
            ("/a$", "/ab", false),
            ("/a**b", "/axxb", true),
            ("/*a*a$", "/a", false),
            ("*", "/anything", true),
            ("/?", "/?q=1", true),
            ("/?", "/", false),
            ("/", "/", true),
        ] {
            assert_eq!(matches(pattern, target), wanted, "{pattern} {target}");
        }
    }

    #[test]
    fn escapes_are_compared_by_what_they_mean() {
        for (pattern, target, wanted) in [
            ("/%66ish", "/fish", true),
            ("/fish", "/%66ish", true),
            ("/ż", "/%C5%BC", true),
            ("/%c5%bc", "/ż", true),
            ("/a%2Fb", "/a/b", false),
            ("/a%2fb", "/a%2Fb", true),
            ("/a%2A", "/ab", false),
            ("/a=b", "/a%3Db", true),
        ] {
            assert_eq!(matches(pattern, target), wanted, "{pattern} {target}");
        }
    }

    /// A matcher that goes back for each star would need years for this.
    #[test]
    fn many_stars_take_no_time() {
        let pattern = Pattern::parse(&"*a".repeat(10_000)).unwrap();
        assert!(!pattern.matches(&format!("/{}", "a".repeat(9_999))));
        assert!(pattern.matches(&format!("/{}", "a".repeat(10_000))));
    }
}
