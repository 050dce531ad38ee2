//! Variables in the value of a header on the command line.

/// Replaces `$NAME` and `${NAME}` in the value of a header; `$$` is a dollar sign.
pub(crate) fn expanded_header(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let (name, after) = if let Some(after) = after.strip_prefix('$') {
            out.push('$');
            rest = after;
            continue;
        } else if let Some(braced) = after.strip_prefix('{') {
            braced.split_once('}').ok_or("has a brace that is not closed")?
        } else {
            let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(after.len());
            after.split_at(end)
        };
        if name.is_empty() {
            return Err("has a dollar sign without a variable; write $$ for a dollar sign".to_owned());
        }
        let value = environment(name);
        out.push_str(&value.ok_or_else(|| format!("needs the environment variable {name}, which is not set"))?);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        (name == "TOKEN").then(|| "s3cret".to_owned())
    }

    #[test]
    fn headers_may_name_variables() {
        for (text, expected) in [
            ("Bearer $TOKEN", Ok("Bearer s3cret")),
            ("${TOKEN}x", Ok("s3cretx")),
            ("$TOKEN-1", Ok("s3cret-1")),
            ("100$$", Ok("100$")),
            ("$NONE", Err("NONE, which is not set")),
            ("$ 5", Err("dollar sign")),
            ("${x", Err("not closed")),
        ] {
            match (expanded_header(text, &environment), expected) {
                (Ok(value), Ok(expected)) => assert_eq!(value, expected, "{text}"),
                (Err(error), Err(part)) => assert!(error.contains(part), "{text}: {error}"),
                (outcome, _) => panic!("{text}: {outcome:?}"),
            }
        }
    }
}
