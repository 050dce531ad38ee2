//! JSON as editors write it: with comments and commas before a closing bracket.

use std::ops::Range;

/// A text without comments and superfluous commas.
pub(crate) struct Plain {
    /// The characters; blanks stand for what is left out, so that places in error messages stay right.
    pub(crate) chars: Vec<char>,
    /// Where the superfluous commas were.
    pub(crate) commas: Vec<usize>,
    /// Where the comments were; one that ends with its line ends before the line break.
    pub(crate) comments: Vec<Range<usize>>,
}

/// Makes plain JSON of a text.
pub(crate) fn plain(text: &str) -> Plain {
    let (mut commas, mut comments) = (Vec::new(), Vec::new());
    let mut out: Vec<char> = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut last_comma = None;
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                last_comma = None;
                out.push(c);
                while let Some(c) = chars.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '/' if chars.peek() == Some(&'/') => {
                let start = out.len();
                out.push(' ');
                while let Some(c) = chars.next_if(|c| *c != '\n') {
                    out.push(if c == '\r' { c } else { ' ' });
                }
                comments.push(start..out.len());
            }
            '/' if chars.peek() == Some(&'*') => {
                let start = out.len();
                // The star that begins a comment does not end it.
                chars.next();
                out.extend([' ', ' ']);
                let mut before = ' ';
                for c in chars.by_ref() {
                    out.push(if c == '\n' { c } else { ' ' });
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
                comments.push(start..out.len());
            }
            ',' => {
                last_comma = Some(out.len());
                out.push(c);
            }
            '}' | ']' => {
                if let Some(comma) = last_comma.take() {
                    out[comma] = ' ';
                    commas.push(comma);
                }
                out.push(c);
            }
            c => {
                if !c.is_whitespace() {
                    last_comma = None;
                }
                out.push(c);
            }
        }
    }
    Plain { chars: out, commas, comments }
}

#[cfg(test)]
mod tests {
    fn plain(text: &str) -> String {
        super::plain(text).chars.into_iter().collect()
    }

    #[test]
    fn comments_and_superfluous_commas_are_left_out() {
        let text = "// first\n{\"a\": [1, 2, /* two */ ], // \"x\"\n \"u\": \"http://x, ]\\\"//\",\n}\n";
        let value: serde_json::Value = serde_json::from_str(&plain(text)).unwrap();
        assert_eq!(value, serde_json::json!({"a": [1, 2], "u": "http://x, ]\"//"}));
        assert_eq!(plain(text).len(), text.len());
        assert_eq!(plain("[/*/ 1 */ 2 /**/]"), "[         2     ]");
        for broken in ["{,,}", "[1,,]", "/*", "/*/", "\"", "{\"a\": }"] {
            assert!(serde_json::from_str::<serde_json::Value>(&plain(broken)).is_err(), "{broken}");
        }
    }
}
