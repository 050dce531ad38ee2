//! URI templates (RFC 6570), as far as the macros must understand them: well-formed, and which variables.

use syn::{Error, LitStr, Result};

/// The URI of a resource, or a template of URIs.
pub(crate) struct Template {
    pub(crate) source: LitStr,
    pub(crate) variables: Vec<String>,
}

impl Template {
    pub(crate) fn parse(source: LitStr) -> Result<Self> {
        let text = source.value();
        let fail = |message: String| Err(Error::new(source.span(), message));
        let start = text.split('{').next().unwrap_or_default();
        let scheme = start.split_once(':').map(|(scheme, _)| scheme);
        if !scheme.is_some_and(is_scheme) {
            return fail(format!("`{text}` is not a URI: begin with a scheme, such as `notes://{text}`"));
        }
        let mut variables: Vec<String> = Vec::new();
        let mut rest = text.as_str();
        while let Some(open) = rest.find(['{', '}']) {
            let Some(inside) = rest.get(open..).and_then(|rest| rest.strip_prefix('{')) else {
                return fail("this `}` closes nothing: write `{variable}`".to_owned());
            };
            let Some((expression, after)) = inside.split_once('}') else {
                return fail(format!("`{{{inside}` is not closed: write `{{variable}}`"));
            };
            for variable in names(expression).map_err(|message| Error::new(source.span(), message))? {
                if variables.contains(&variable) {
                    return fail(format!("the variable `{variable}` is in the template twice: give one another name"));
                }
                variables.push(variable);
            }
            rest = after;
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control() || "<>\"\\^`|".contains(c)) {
            return fail(
                "a URI has no spaces, quotes, `<`, `>`, `\\`, `^`, `|`: write them as `%20` and so on".to_owned(),
            );
        }
        Ok(Self { source, variables })
    }
}

/// Returns the variables of one expression, such as `?query,page*`.
fn names(expression: &str) -> std::result::Result<Vec<String>, String> {
    let list = expression.strip_prefix(['+', '#', '.', '/', ';', '?', '&']).unwrap_or(expression);
    list.split(',')
        .map(|variable| {
            let name = variable.strip_suffix('*').unwrap_or(variable);
            let name = match name.split_once(':') {
                Some((name, digits)) if digits.parse::<u16>().is_ok_and(|count| (1..10_000).contains(&count)) => name,
                Some(_) => return Err(format!("`{variable}`: after `:` comes a number from 1 to 9999")),
                None => name,
            };
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '%');
            if name.is_empty() || !name.chars().all(fits) {
                return Err(format!("`{{{expression}}}` is not a variable: write a name of letters, digits and `_`"));
            }
            Ok(name.to_owned())
        })
        .collect()
}

fn is_scheme(scheme: &str) -> bool {
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}
