//! Secrets in texts.

use super::{BEARER, REMOVED, Replaced, SECRET, is_name_of_secret, is_separator, speaks_of_secrets};

/// Returns a text without bearer tokens and what is given to names of secrets, if it has any.
pub(super) fn without_secrets(text: &str) -> Option<String> {
    if !speaks_of_secrets(text) {
        return None;
    }
    let mut out = Replaced::new(text);
    let mut from = 0;
    while let Some((start, end)) = next_value(text, from) {
        if text.get(start..end) != Some(REMOVED) {
            out.replace(start, end, REMOVED);
        }
        from = end;
    }
    out.finish()
}

/// Returns where a text first has a word in it that has to do with secrets.
pub(super) fn first_word(text: &str) -> Option<usize> {
    if !speaks_of_secrets(text) {
        return None;
    }
    let starts = text.char_indices().map(|(at, _)| at);
    let speaks = |at: &usize| {
        let rest = text.get(*at..).unwrap_or_default();
        starts_with_word(rest, BEARER) || SECRET.iter().any(|word| starts_with_word(rest, word))
    };
    // Whatever separates words is looked at once, from before it.
    starts.filter(|at| !text.get(..*at).unwrap_or_default().ends_with(is_separator)).find(speaks)
}

fn starts_with_word(text: &str, word: &str) -> bool {
    let mut letters = text.chars().filter(|letter| !is_separator(*letter)).map(|letter| letter.to_ascii_lowercase());
    word.chars().all(|letter| letters.next() == Some(letter))
}

/// Returns where the next secret value begins and ends, from a place on.
fn next_value(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        let (found, sign) = rest.char_indices().find(|(_, c)| matches!(c, '=' | ':') || c.is_whitespace())?;
        let sign_at = at.checked_add(found)?;
        at = sign_at.checked_add(sign.len_utf8())?;
        let before = text.get(..sign_at)?;
        let after = text.get(at..)?;
        let value = match sign {
            '=' => Name::before(before).and_then(|_| given(after)),
            ':' => match Name::before(before) {
                Some(Name::Quoted) => given(after).filter(|(start, _)| after.get(..*start).is_some_and(is_quoted)),
                Some(Name::FirstOfLine) => rest_of_line(after),
                Some(Name::InLine) | None => None,
            },
            _ if ends_with_bearer(before) => token(after),
            _ => None,
        };
        if let Some((start, end)) = value {
            return Some((at.checked_add(start)?, at.checked_add(end)?));
        }
    }
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

fn is_quoted(lead: &str) -> bool {
    lead.ends_with(QUOTES)
}

/// How the name of a secret stands in a text.
enum Name {
    Quoted,
    FirstOfLine,
    InLine,
}

impl Name {
    /// Finds the name that a text ends with, if it is that of a secret.
    fn before(text: &str) -> Option<Self> {
        let text = text.trim_end_matches([' ', '\t']);
        let unquoted = text.strip_suffix(QUOTES).map(|text| text.trim_end_matches('\\'));
        let inner = unquoted.unwrap_or(text);
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || is_separator(letter) || letter == '.';
        let lead = inner.trim_end_matches(is_part);
        let name = inner.get(lead.len()..)?;
        if !is_name_of_secret(name) {
            return None;
        }
        let mut line = lead.chars().rev().take_while(|c| !matches!(c, '\n' | '\r'));
        Some(match unquoted {
            Some(_) if lead.ends_with(QUOTES) => Self::Quoted,
            _ if line.all(|c| c.is_whitespace() || "-+*>#".contains(c)) => Self::FirstOfLine,
            _ => Self::InLine,
        })
    }
}

/// Finds what is given to a name: in quotes, or up to what ends it.
fn given(text: &str) -> Option<(usize, usize)> {
    let blanks = text.len().checked_sub(text.trim_start_matches([' ', '\t']).len())?;
    value(text, blanks)
}

/// Finds a token: it may stand on the next line.
fn token(text: &str) -> Option<(usize, usize)> {
    let blanks = text.len().checked_sub(text.trim_start().len())?;
    value(text, blanks)
}

fn value(text: &str, blanks: usize) -> Option<(usize, usize)> {
    let rest = text.get(blanks..)?;
    let escaped = rest.len().checked_sub(rest.trim_start_matches('\\').len())?;
    let quote = rest.get(escaped..)?.chars().next().filter(|c| QUOTES.contains(c));
    let (start, length) = match quote {
        Some(quote) => {
            let start = blanks.checked_add(escaped)?.checked_add(1)?;
            (start, until_quote(text.get(start..)?, quote, escaped > 0))
        }
        None => {
            let ends = |c: char| c.is_whitespace() || "\"'`,;&#)}]=".contains(c);
            let length = match rest.chars().next() {
                // Nothing is given.
                None | Some(',' | ';' | '&' | '=') => 0,
                // What was left out once has brackets of its own.
                _ if rest.starts_with(REMOVED) => REMOVED.len(),
                Some(first) => {
                    let behind = rest.get(first.len_utf8()..)?;
                    first.len_utf8().checked_add(behind.find(ends).unwrap_or(behind.len()))?
                }
            };
            (blanks, length)
        }
    };
    (length > 0).then_some((start, start.checked_add(length)?))
}

/// How long a text in quotes is. In a text that is itself in quotes, they are escaped. One that does not end with its line, such as a key, is
/// all of the rest: which quote is its end cannot be told.
fn until_quote(text: &str, quote: char, is_escaped: bool) -> usize {
    let mut skip = false;
    let end = text.char_indices().find(|(_, c)| {
        let found = *c == quote && (is_escaped || !skip);
        skip = *c == '\\' && !skip;
        found || *c == '\n'
    });
    let length = end.filter(|(_, c)| *c == quote).map_or(text.len(), |(at, _)| at);
    let inner = text.get(..length).unwrap_or_default();
    if is_escaped { inner.trim_end_matches('\\').len() } else { length }
}

fn rest_of_line(text: &str) -> Option<(usize, usize)> {
    let line = text.split(['\n', '\r']).next()?;
    let blanks = line.len().checked_sub(line.trim_start().len())?;
    let end = line.trim_end().len();
    // A number is a count.
    let is_count = line.trim().parse::<f64>().is_ok();
    (end > blanks && !is_count).then_some((blanks, end))
}

fn ends_with_bearer(text: &str) -> bool {
    let start = text.len().saturating_sub(BEARER.len());
    text.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(BEARER))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `p1` stands for a secret.
    #[track_caller]
    fn check(text: &str) {
        let expected = text.replace("p1", REMOVED);
        let clean = without_secrets(text);
        assert_eq!(clean.as_deref().unwrap_or(text), expected);
        assert_eq!(without_secrets(&expected), None, "twice");
    }

    #[test]
    fn bearer_tokens() {
        check("Bearer p1");
        check("sent Bearer p1, then bearer p1");
        check("Bearer \t p1\nand bearer");
        check("Bearer\u{a0}p1");
        check("Bearer \"p1\"");
        check("Bearer ");
        assert_eq!(without_secrets("bearer Bearer p1").unwrap(), "bearer [removed] [removed]");
    }

    #[test]
    fn what_is_given_to_names() {
        check("see https://h/?a=1&access_token=p1&b=2#x, or psql://h?user=u;Password=p1;x=y");
        check("PASSWORD=\"p1\"\nAPI_KEY='p1'\nexport my.secret = p1 # that one\nNAME=x");
        check(r#"curl -d "password=p1" and {"password": "p1", 'token':'p1', \"api_key\": \"p1\"}"#);
        check("password=\"a\\\"b\"".replace("a\\\"b", "p1").as_str());
        check("Authorization: p1\r\nAccept: x\n  password: p1\n- token: p1");
        check("token: 5\ntokens: there are p2".replace("there are p2", "p1").as_str());
    }

    #[test]
    fn escaped_quotes_belong_to_the_secret() {
        assert_eq!(without_secrets(r#"password="a\"b" c"#).unwrap(), r#"password="[removed]" c"#);
        assert_eq!(without_secrets("password=\"never ends").unwrap(), "password=\"[removed]");
        assert_eq!(without_secrets("key: 1\nprivate_key=\"a\nb\"\nx").unwrap(), "key: 1\nprivate_key=\"[removed]");
        assert_eq!(without_secrets("Bearer \"\npassword = \"p1\"").unwrap(), "Bearer \"[removed]");
        assert_eq!(without_secrets("Authorization: Basic a b\nx").unwrap(), "Authorization: [removed]\nx");
    }

    #[test]
    fn what_only_speaks_of_secrets_stays() {
        for text in [
            "the secret of tokens: there are many",
            "if token == other { }",
            "?token=&a=b",
            "password=",
            "password=\"\"",
            "\"max_tokens\": 5, \"token\": null",
            "tokens: 7",
            "a secret b=c",
        ] {
            assert_eq!(without_secrets(text), None, "{text}");
        }
    }
}
