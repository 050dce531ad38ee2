//! Challenges: what `WWW-Authenticate` says, read and written (RFC 9110, section 11).

use std::fmt;

use http::HeaderValue;

use crate::Scopes;

/// One challenge: a scheme and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// The scheme, as it was written. Schemes are compared without case.
    pub scheme: String,
    /// The parameters, names in lower case, in the order they came.
    pub params: Vec<(String, String)>,
}

/// How many challenges and parameters are read; the rest is ignored.
const MOST: usize = 64;

impl Challenge {
    /// A challenge without parameters.
    pub fn new(scheme: impl Into<String>) -> Self {
        Self { scheme: scheme.into(), params: Vec::new() }
    }

    /// A challenge for a bearer token.
    #[must_use]
    pub fn bearer() -> Self {
        Self::new("Bearer")
    }

    /// Adds a parameter. Characters that a quoted text cannot hold become `?`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.params.push((name.to_ascii_lowercase(), value.to_string()));
        self
    }

    /// Adds a parameter if there is something to say.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl fmt::Display>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Whether this is a challenge of a scheme.
    #[must_use]
    pub fn is(&self, scheme: &str) -> bool {
        self.scheme.eq_ignore_ascii_case(scheme)
    }

    /// Returns a parameter; none if it is missing or was given more than once.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.params.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        let (_, value) = found.next()?;
        found.next().is_none().then_some(value)
    }

    /// Returns the scopes that are asked for.
    #[must_use]
    pub fn scopes(&self) -> Option<Scopes> {
        self.get("scope").and_then(Scopes::parse)
    }

    /// Returns the value of the header.
    #[must_use]
    pub fn to_header(&self) -> HeaderValue {
        HeaderValue::from_str(&self.to_string()).unwrap_or_else(|_| HeaderValue::from_static("Bearer"))
    }

    /// Reads all challenges of all `WWW-Authenticate` headers. What cannot be understood is left out.
    pub fn read<'a>(values: impl IntoIterator<Item = &'a HeaderValue>) -> Vec<Self> {
        values.into_iter().filter_map(|value| value.to_str().ok()).flat_map(Self::parse).take(MOST).collect()
    }

    /// Reads the challenges of one header.
    #[must_use]
    pub fn parse(text: &str) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let mut rest = text;
        while found.len() < MOST {
            rest = rest.trim_start_matches([' ', '\t', ',']);
            let Some((word, after)) = token(rest) else { break };
            let spaced = after.trim_start_matches([' ', '\t']);
            match spaced.strip_prefix('=') {
                // `name = value` belongs to the challenge before it.
                Some(value) if !value.starts_with('=') && !is_token68_end(value) => {
                    let Some((value, after)) = param_value(value.trim_start_matches([' ', '\t'])) else { break };
                    if let Some(challenge) = found.last_mut()
                        && challenge.params.len() < MOST
                    {
                        challenge.params.push((word.to_ascii_lowercase(), value));
                    }
                    rest = after;
                }
                _ => {
                    let mut challenge = Self::new(word);
                    rest = after;
                    if let Some((value, after)) = token68(spaced) {
                        challenge.params.push(("token68".to_owned(), value.to_owned()));
                        rest = after;
                    }
                    found.push(challenge);
                }
            }
        }
        found
    }
}

impl fmt::Display for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.scheme)?;
        for (place, (name, value)) in self.params.iter().enumerate() {
            f.write_str(if place > 0 { ", " } else { " " })?;
            write!(f, "{name}=\"")?;
            for character in value.chars() {
                match character {
                    '"' | '\\' => write!(f, "\\{character}")?,
                    ' '..='~' => write!(f, "{character}")?,
                    _ => f.write_str("?")?,
                }
            }
            f.write_str("\"")?;
        }
        Ok(())
    }
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn token(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().position(|byte| !is_token_byte(byte)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Credentials without a name, such as the padding of a base64 text: `abc==`.
fn token68(text: &str) -> Option<(&str, &str)> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
    let end = text.bytes().position(|byte| !is_part(byte)).unwrap_or(text.len());
    let padding = text.get(end..)?.bytes().take_while(|byte| *byte == b'=').count();
    let (value, after) = text.split_at_checked(end.checked_add(padding)?)?;
    let is_alone = after.trim_start_matches([' ', '\t']).is_empty() || after.trim_start().starts_with(',');
    // A word alone, followed by others, is the scheme of the next challenge.
    (end > 0 && is_alone).then_some((value, after))
}

fn is_token68_end(after_equals: &str) -> bool {
    let rest = after_equals.trim_start_matches([' ', '\t']);
    rest.is_empty() || rest.starts_with(',')
}

/// A value: a token or a quoted text.
fn param_value(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        return token(text).map(|(value, after)| (value.to_owned(), after));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return quoted.get(at.checked_add(1)?..).map(|after| (value, after)),
            '\\' => value.push(characters.next()?.1),
            _ => value.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &[(&str, &str)])]) {
        let found = Challenge::parse(text);
        let found: Vec<_> = found
            .iter()
            .map(|one| {
                (one.scheme.as_str(), one.params.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect::<Vec<_>>())
            })
            .collect();
        let expected: Vec<_> = expected.iter().map(|(scheme, params)| (*scheme, params.to_vec())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn challenges_are_read() {
        check("Bearer", &[("Bearer", &[])]);
        check(r#"Bearer realm="a, b", scope="x y""#, &[("Bearer", &[("realm", "a, b"), ("scope", "x y")])]);
        check(
            r#"bearer  Error = invalid_token ,scope = "x\"y""#,
            &[("bearer", &[("error", "invalid_token"), ("scope", "x\"y")])],
        );
        check(
            r#"DPoP algs="ES256", Bearer resource_metadata="https://a/b?c=d", Basic realm="r""#,
            &[
                ("DPoP", &[("algs", "ES256")]),
                ("Bearer", &[("resource_metadata", "https://a/b?c=d")]),
                ("Basic", &[("realm", "r")]),
            ],
        );
        check("Negotiate YWJj==, Bearer a=b", &[("Negotiate", &[("token68", "YWJj==")]), ("Bearer", &[("a", "b")])]);
        check("Negotiate, Bearer", &[("Negotiate", &[]), ("Bearer", &[])]);
        check(r#"Bearer realm="never closed"#, &[("Bearer", &[])]);
        check(",,  ,", &[]);
    }

    #[test]
    fn a_doubled_parameter_says_nothing() {
        let challenge = &Challenge::parse(r#"Bearer scope="a", scope="b", realm="r""#)[0];
        assert_eq!((challenge.get("scope"), challenge.get("REALM")), (None, Some("r")));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(scheme in "[A-Za-z]{1,8}", values in proptest::collection::vec("[ -~]{0,20}", 0..5)) {
            let challenge = values.iter().enumerate().fold(Challenge::new(scheme), |challenge, (place, value)| {
                challenge.with(&format!("p{place}"), value)
            });
            prop_assert_eq!(Challenge::parse(&challenge.to_string()), vec![challenge]);
        }

        #[test]
        fn no_header_breaks_the_reader(text in "\\PC{0,200}") {
            let _ = Challenge::parse(&text);
        }
    }
}
