//! Doc comments as descriptions.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// Joins the doc comments among `attributes`.
pub(crate) fn text(attributes: &[Attribute]) -> Option<String> {
    let lines: Vec<String> = attributes.iter().filter_map(line).flat_map(|text| clean(&text)).collect();
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Whether an attribute is a doc comment.
pub(crate) fn is_doc(attribute: &Attribute) -> bool {
    line(attribute).is_some()
}

fn line(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Removes the space after `///`, and the stars of a block comment.
fn clean(comment: &str) -> Vec<String> {
    let mut lines = comment.lines().peekable();
    if lines.peek().is_none() {
        return vec![String::new()];
    }
    let many = comment.contains('\n');
    lines
        .map(|line| {
            let line = if many { line.trim_start().trim_start_matches('*') } else { line };
            line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
        })
        .collect()
}
