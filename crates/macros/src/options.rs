//! The options in the parentheses of an attribute.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Error, Expr, ExprLit, Ident, Lit, LitBool, LitStr, Path, Result, Token, Type};

/// The options in the parentheses of an attribute, each at most once, each one of the known.
pub(crate) struct Options {
    /// A text before the options: the URI of a resource.
    pub(crate) first: Option<LitStr>,
    given: Vec<(Ident, Value)>,
}

enum Value {
    Flag,
    Expr(Expr),
    Type(Type),
    Path(Path),
}

impl Options {
    pub(crate) fn parse(attribute: &str, known: &[&str], tokens: TokenStream) -> Result<Self> {
        (|input: ParseStream<'_>| Self::read(attribute, known, input)).parse2(tokens)
    }

    fn read(attribute: &str, known: &[&str], input: ParseStream<'_>) -> Result<Self> {
        let mut options = Self { first: None, given: Vec::new() };
        if input.peek(LitStr) {
            options.first = Some(input.parse()?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        while !input.is_empty() {
            let key = input.call(Ident::parse_any)?;
            let name = key.to_string();
            if !known.contains(&name.as_str()) {
                return Err(unknown(&key, attribute, known));
            }
            if options.given.iter().any(|(earlier, _)| *earlier == key) {
                return Err(Error::new(key.span(), format!("`{key}` is given twice: remove one of them")));
            }
            let value = if !input.peek(Token![=]) {
                Value::Flag
            } else {
                input.parse::<Token![=]>()?;
                match name.as_str() {
                    "output" => Value::Type(input.parse()?),
                    "crate" => Value::Path(input.parse()?),
                    _ => Value::Expr(input.parse()?),
                }
            };
            options.given.push((key, value));
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }

    fn get(&self, name: &str) -> Option<&(Ident, Value)> {
        self.given.iter().find(|(key, _)| key == name)
    }

    /// Where an option stands.
    pub(crate) fn span(&self, name: &str) -> Option<Span> {
        self.get(name).map(|(key, _)| key.span())
    }

    /// An option such as `name = "text"`.
    pub(crate) fn text(&self, name: &str) -> Result<Option<LitStr>> {
        match self.get(name) {
            None => Ok(None),
            Some((_, Value::Expr(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })))) => Ok(Some(text.clone())),
            Some((key, _)) => Err(Error::new(key.span(), format!("`{name}` is a text: write `{name} = \"…\"`"))),
        }
    }

    /// An option such as `read_only`, which may also be `read_only = false`.
    pub(crate) fn flag(&self, name: &str) -> Result<Option<LitBool>> {
        match self.get(name) {
            None => Ok(None),
            Some((key, Value::Flag)) => Ok(Some(LitBool::new(true, key.span()))),
            Some((_, Value::Expr(Expr::Lit(ExprLit { lit: Lit::Bool(flag), .. })))) => Ok(Some(flag.clone())),
            Some((key, _)) => {
                Err(Error::new(key.span(), format!("`{name}` is yes or no: write `{name}` or `{name} = false`")))
            }
        }
    }

    /// An option that is one of a few words, such as `validate = "off"`; `flag` is what it means without a value.
    pub(crate) fn word(&self, name: &str, words: &[&str], flag: Option<&str>) -> Result<Option<String>> {
        let listed = || words.iter().map(|word| format!("`{name} = \"{word}\"`")).collect::<Vec<_>>().join(" or ");
        match (self.get(name), flag) {
            (None, _) => Ok(None),
            (Some((_, Value::Flag)), Some(word)) => Ok(Some(word.to_owned())),
            (Some((_, Value::Expr(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })))), _) => {
                let word = text.value();
                if words.contains(&word.as_str()) {
                    return Ok(Some(word));
                }
                Err(Error::new(text.span(), format!("no such value: write {}", listed())))
            }
            (Some((key, _)), _) => Err(Error::new(key.span(), format!("write {}", listed()))),
        }
    }

    /// An option with any expression, such as `size = 1024`.
    pub(crate) fn expr(&self, name: &str) -> Result<Option<&Expr>> {
        match self.get(name) {
            None => Ok(None),
            Some((_, Value::Expr(expr))) => Ok(Some(expr)),
            Some((key, _)) => Err(Error::new(key.span(), format!("`{name}` needs a value: write `{name} = …`"))),
        }
    }

    /// The option `output = Type`.
    pub(crate) fn output(&self) -> Result<Option<&Type>> {
        match self.get("output") {
            None => Ok(None),
            Some((_, Value::Type(output))) => Ok(Some(output)),
            Some((key, _)) => Err(Error::new(key.span(), "`output` needs a type: write `output = Type`")),
        }
    }

    /// The path of the crate's parts for macros.
    pub(crate) fn private(&self) -> TokenStream {
        match self.get("crate") {
            Some((_, Value::Path(path))) => quote!(#path::__private),
            _ => quote!(::jackfield::__private),
        }
    }
}

/// The error for a word that is none of the known.
pub(crate) fn unknown(key: &Ident, attribute: &str, known: &[&str]) -> Error {
    let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
    Error::new(key.span(), format!("`{attribute}` has no option `{key}`; it has {}", known.join(", ")))
}
