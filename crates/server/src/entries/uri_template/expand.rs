//! Putting values into a template (RFC 6570, section 3).

use super::class::encode;
use super::parse::{Expression, Part, Style, Variable};

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateValue {
    /// One text.
    Text(String),
    /// Several texts; none at all is as if the variable was absent.
    List(Vec<String>),
    /// Names and texts.
    Map(Vec<(String, String)>),
}

impl From<&str> for TemplateValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl TemplateValue {
    fn is_absent(&self) -> bool {
        match self {
            Self::Text(_) => false,
            Self::List(list) => list.is_empty(),
            Self::Map(map) => map.is_empty(),
        }
    }
}

pub(super) fn expand(parts: &[Part], value: impl Fn(&str) -> Option<TemplateValue>) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Literal(text) => literal(&mut out, text),
            Part::Expression(expression) => expression_into(&mut out, expression, &value),
        }
    }
    out
}

/// Literals are copied; what may not stand in a URI is encoded.
fn literal(out: &mut String, text: &str) {
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            encode(out, c.encode_utf8(&mut [0; 4]), true);
        }
    }
}

fn expression_into(out: &mut String, expression: &Expression, value: &impl Fn(&str) -> Option<TemplateValue>) {
    let style = expression.operator.style();
    let mut is_first = true;
    for variable in &expression.variables {
        let Some(value) = value(&variable.name).filter(|value| !value.is_absent()) else { continue };
        if is_first {
            out.push_str(style.first);
        } else {
            out.push(style.separator);
        }
        is_first = false;
        if variable.explode { exploded(out, variable, &style, &value) } else { whole(out, variable, &style, &value) }
    }
}

fn whole(out: &mut String, variable: &Variable, style: &Style, value: &TemplateValue) {
    let mut text = String::new();
    match value {
        TemplateValue::Text(value) => {
            let prefix = variable.prefix.unwrap_or(usize::MAX);
            encode(&mut text, &value.chars().take(prefix).collect::<String>(), style.keeps_reserved);
        }
        TemplateValue::List(list) => join(&mut text, list.iter().map(String::as_str), style),
        TemplateValue::Map(map) => {
            join(&mut text, map.iter().flat_map(|(key, value)| [key.as_str(), value.as_str()]), style)
        }
    }
    if style.named {
        encode(out, &variable.name, true);
        out.push_str(if text.is_empty() { style.if_empty } else { "=" });
    }
    out.push_str(&text);
}

fn join<'a>(out: &mut String, values: impl Iterator<Item = &'a str>, style: &Style) {
    for (at, value) in values.enumerate() {
        if at > 0 {
            out.push(',');
        }
        encode(out, value, style.keeps_reserved);
    }
}

fn exploded(out: &mut String, variable: &Variable, style: &Style, value: &TemplateValue) {
    let pairs: Vec<(Option<&str>, &str)> = match value {
        TemplateValue::Text(value) => vec![(style.named.then_some(variable.name.as_str()), value)],
        TemplateValue::List(list) => {
            list.iter().map(|value| (style.named.then_some(variable.name.as_str()), value.as_str())).collect()
        }
        TemplateValue::Map(map) => map.iter().map(|(key, value)| (Some(key.as_str()), value.as_str())).collect(),
    };
    for (at, (name, value)) in pairs.into_iter().enumerate() {
        if at > 0 {
            out.push(style.separator);
        }
        if let Some(name) = name {
            encode(out, name, style.keeps_reserved);
            out.push_str(if style.named && value.is_empty() { style.if_empty } else { "=" });
        }
        encode(out, value, style.keeps_reserved);
    }
}
