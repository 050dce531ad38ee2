//! Reading a template.

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Text that stands for itself.
    Literal(String),
    /// `{…}`.
    Expression(Expression),
}

/// An operator and its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expression {
    pub(super) operator: Operator,
    pub(super) variables: Vec<Variable>,
}

/// One variable of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: String,
    /// `*`: each element is a value of its own.
    pub(super) explode: bool,
    /// `:n`: only so many characters.
    pub(super) prefix: Option<usize>,
}

/// What an expression begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Simple,
    Reserved,
    Fragment,
    Label,
    Path,
    Parameter,
    Query,
    QueryMore,
}

/// The columns of the table in appendix A of the RFC.
pub(super) struct Style {
    pub(super) first: &'static str,
    pub(super) separator: char,
    pub(super) named: bool,
    pub(super) if_empty: &'static str,
    pub(super) keeps_reserved: bool,
}

impl Operator {
    pub(super) fn style(self) -> Style {
        let (first, separator, named, if_empty, keeps_reserved) = match self {
            Self::Simple => ("", ',', false, "", false),
            Self::Reserved => ("", ',', false, "", true),
            Self::Fragment => ("#", ',', false, "", true),
            Self::Label => (".", '.', false, "", false),
            Self::Path => ("/", '/', false, "", false),
            Self::Parameter => (";", ';', true, "", false),
            Self::Query => ("?", '&', true, "=", false),
            Self::QueryMore => ("&", '&', true, "=", false),
        };
        Style { first, separator, named, if_empty, keeps_reserved }
    }
}

/// The longest template.
const MAX_LENGTH: usize = 4096;

pub(super) fn parse(source: &str) -> Result<Vec<Part>, String> {
    if source.len() > MAX_LENGTH {
        return Err(format!("the template is longer than {MAX_LENGTH} bytes"));
    }
    let mut parts = Vec::new();
    let mut rest = source;
    while !rest.is_empty() {
        let end = rest.find(['{', '}']).unwrap_or(rest.len());
        let (literal, tail) = rest.split_at(end);
        if !literal.is_empty() {
            check_literal(literal)?;
            parts.push(Part::Literal(literal.to_owned()));
        }
        if tail.starts_with('}') {
            return Err("`}` without `{`".to_owned());
        }
        let Some(inner) = tail.strip_prefix('{') else { break };
        let (expression, tail) = inner.split_once('}').ok_or("`{` without `}`")?;
        parts.push(Part::Expression(self::expression(expression)?));
        rest = tail;
    }
    check_names(&parts)?;
    Ok(parts)
}

fn check_literal(text: &str) -> Result<(), String> {
    let bad = |c: &char| c.is_control() || matches!(c, ' ' | '"' | '\'' | '<' | '>' | '\\' | '^' | '`' | '|');
    match text.chars().find(bad) {
        Some(c) => Err(format!("{c:?} cannot stand in a template")),
        None => Ok(()),
    }
}

fn expression(text: &str) -> Result<Expression, String> {
    let operators = [
        ('+', Operator::Reserved),
        ('#', Operator::Fragment),
        ('.', Operator::Label),
        ('/', Operator::Path),
        (';', Operator::Parameter),
        ('?', Operator::Query),
        ('&', Operator::QueryMore),
    ];
    let found = operators.iter().find(|(sign, _)| text.starts_with(*sign));
    let (operator, names) =
        found.map_or((Operator::Simple, text), |(sign, op)| (*op, text.strip_prefix(*sign).unwrap_or(text)));
    let variables = names.split(',').map(variable).collect::<Result<Vec<_>, _>>()?;
    Ok(Expression { operator, variables })
}

fn variable(text: &str) -> Result<Variable, String> {
    let (text, explode) = text.strip_suffix('*').map_or((text, false), |name| (name, true));
    let (name, prefix) = match text.split_once(':') {
        Some((name, length)) => {
            let length: usize = length.parse().map_err(|_| format!("`{text}`: a prefix is a number"))?;
            if explode || length == 0 || length >= 10_000 {
                return Err(format!("`{text}`: a prefix is a number below 10000, and not together with `*`"));
            }
            (name, Some(length))
        }
        None => (text, None),
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '%');
    if name.is_empty() || !name.chars().all(fits) || name.starts_with('.') || name.ends_with('.') {
        return Err(format!("`{name}` is not the name of a variable"));
    }
    Ok(Variable { name: name.to_owned(), explode, prefix })
}

fn check_names(parts: &[Part]) -> Result<(), String> {
    let mut seen: Vec<&str> = Vec::new();
    for part in parts {
        let Part::Expression(expression) = part else { continue };
        for variable in &expression.variables {
            if seen.contains(&variable.name.as_str()) {
                return Err(format!("the variable `{}` stands twice", variable.name));
            }
            seen.push(&variable.name);
        }
    }
    Ok(())
}
