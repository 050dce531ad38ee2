//! Braces: `{a,b}` and `{1..3}`.

/// The most patterns that one may stand for.
const MOST: usize = 1000;
/// The most bytes of all of them.
const MOST_BYTES: usize = 1 << 20;

/// Returns the patterns that a pattern with braces stands for.
pub(super) fn expanded(pattern: &str) -> Result<Vec<String>, String> {
    if !pattern.contains('{') {
        return Ok(vec![pattern.to_owned()]);
    }
    let chars: Vec<char> = pattern.chars().collect();
    // Choices among plain names need no expansion, so that twelve of them are no more work than one. Inside a class and inside `!(…)`
    // they would mean something else.
    let may_group = !pattern.contains(['[', '\\', '$']) && !pattern.contains("!(");
    Expansion { may_group }.expand(&chars)
}

struct Expansion {
    may_group: bool,
}

impl Expansion {
    fn expand(&self, chars: &[char]) -> Result<Vec<String>, String> {
        let mut results = vec![String::new()];
        let mut at = 0;
        // Anything that begins with an empty pair keeps it.
        if chars.starts_with(&['{', '}']) {
            results = vec!["{}".to_owned()];
            at = 2;
        }
        while at < chars.len() {
            match chars[at] {
                '\\' => {
                    let end = (at + 2).min(chars.len());
                    append(&mut results, &chars[at..end]);
                    at = end;
                }
                '{' => match end_of_group(chars, at) {
                    Some(end) => {
                        let literal = at > 0 && chars[at - 1] == '$';
                        let body = &chars[at + 1..end];
                        results = if literal {
                            append(&mut results, &chars[at..=end]);
                            results
                        } else {
                            product(&results, &self.group(body)?)?
                        };
                        at = end + 1;
                    }
                    None => {
                        append(&mut results, &['{']);
                        at += 1;
                    }
                },
                c => {
                    append(&mut results, &[c]);
                    at += 1;
                }
            }
        }
        Ok(results)
    }

    /// Returns what the text between two braces stands for.
    fn group(&self, body: &[char]) -> Result<Vec<String>, String> {
        let values = match sequence(body)? {
            Some(values) => values,
            None => {
                let parts = split(body);
                if parts.len() == 1 {
                    // Without a comma the braces are themselves.
                    return Ok(self.expand(body)?.into_iter().map(|inner| format!("{{{inner}}}")).collect());
                }
                let mut values = Vec::new();
                for part in parts {
                    values.extend(self.expand(part)?);
                    check_count(values.len())?;
                }
                values
            }
        };
        if self.may_group && values.iter().all(|value| is_plain(value)) {
            return Ok(vec![format!("@({})", values.join("|"))]);
        }
        Ok(values)
    }
}

/// Whether a text is a piece of a name that means nothing else in a pattern, alone or beside others.
fn is_plain(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric) && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

fn append(results: &mut [String], chars: &[char]) {
    for result in results {
        result.extend(chars);
    }
}

fn product(left: &[String], right: &[String]) -> Result<Vec<String>, String> {
    check_count(left.len().saturating_mul(right.len()))?;
    let all: Vec<String> =
        left.iter().flat_map(|left| right.iter().map(move |right| format!("{left}{right}"))).collect();
    if all.iter().map(String::len).sum::<usize>() > MOST_BYTES {
        return Err("its braces stand for too much text".to_owned());
    }
    Ok(all)
}

fn check_count(count: usize) -> Result<(), String> {
    if count > MOST { Err(format!("its braces stand for more than {MOST} patterns")) } else { Ok(()) }
}

/// Returns where the group ends that begins at a brace.
fn end_of_group(chars: &[char], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (index, c) in chars.iter().enumerate().skip(start) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

/// Splits at the commas that are in no inner group.
fn split(body: &[char]) -> Vec<&[char]> {
    let mut parts = Vec::new();
    let (mut start, mut depth, mut escaped) = (0, 0_usize, false);
    for (index, c) in body.iter().enumerate() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&body[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&body[start..]);
    parts
}

/// Reads `1..9`, `01..10..2` or `a..e`.
fn sequence(body: &[char]) -> Result<Option<Vec<String>>, String> {
    let text: String = body.iter().collect();
    let parts: Vec<&str> = text.split("..").collect();
    let (first, last, step) = match parts[..] {
        [first, last] => (first, last, "1"),
        [first, last, step] => (first, last, step),
        _ => return Ok(None),
    };
    let Some(step) = integer(step).map(|step| step.unsigned_abs().max(1)) else { return Ok(None) };
    if let (Some(from), Some(to)) = (integer(first), integer(last)) {
        let width = if parts.iter().any(|part| is_padded(part)) { first.len().max(last.len()) } else { 0 };
        let values = range(from, to, step)?;
        return Ok(Some(values.map(|value| padded(value, width)).collect()));
    }
    let (Some(from), Some(to)) = (letter(first), letter(last)) else { return Ok(None) };
    let values = range(i64::from(from), i64::from(to), step)?;
    // The backslash between the two alphabets is nothing.
    let character = |value| u8::try_from(value).map_or(String::new(), |byte| char::from(byte).to_string());
    Ok(Some(values.map(character).map(|text| if text == "\\" { String::new() } else { text }).collect()))
}

fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

fn letter(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(*letter),
        _ => None,
    }
}

fn is_padded(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.len() > 1 && digits.starts_with('0')
}

fn padded(value: i64, width: usize) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{:0>width$}", value.unsigned_abs(), width = width.saturating_sub(sign.len()))
}

fn range(from: i64, to: i64, step: u64) -> Result<impl Iterator<Item = i64>, String> {
    let count = from.abs_diff(to) / step + 1;
    check_count(usize::try_from(count).unwrap_or(usize::MAX))?;
    let step = i64::try_from(step).unwrap_or(i64::MAX) * if to < from { -1 } else { 1 };
    Ok((0..count).map(move |index| from + step * index.cast_signed()))
}
