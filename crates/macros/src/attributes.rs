//! The attributes of a parameter.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, ExprLit, FnArg, Ident, Lit, LitStr, Meta, Result, Signature, Token};

use crate::docs;
use crate::rules::Range;

/// What the attributes of a parameter say.
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) docs: Option<String>,
    pub(crate) extract: Option<Span>,
    pub(crate) whole: Option<Span>,
    pub(crate) default: Option<Default>,
    pub(crate) rename: Option<LitStr>,
    pub(crate) rules: Vec<TokenStream>,
    pub(crate) header: Option<LitStr>,
    /// Further members of the schema, as the macro `json!` writes them.
    pub(crate) extend: Vec<TokenStream>,
    pub(crate) complete: Option<Complete>,
}

/// What a parameter is when it is not given.
pub(crate) enum Default {
    /// What its type says.
    OfType,
    /// An expression.
    Value(Expr),
}

/// What completes a parameter.
pub(crate) enum Complete {
    /// A function.
    Function(Expr),
    /// A method of `self`.
    Method(Ident),
    /// Fixed values.
    Among(Vec<LitStr>),
}

enum Item {
    Flag,
    Value(Expr),
    List(TokenStream),
}

const ARG: &[&str] = &["rename", "description", "title", "range", "length", "pattern", "header", "example"];
const SERDE: &[&str] = &["rename", "default"];
const SCHEMARS: &[&str] = &["description", "title", "range", "length", "regex", "example", "extend"];

impl Attributes {
    /// Reads what is ours among the attributes of a parameter.
    pub(crate) fn read(attributes: &[Attribute], p: &TokenStream) -> Result<Self> {
        let mut found = Self { docs: docs::text(attributes), ..Self::default() };
        for attribute in attributes {
            match attribute.path().get_ident().map(ToString::to_string).as_deref() {
                Some("extract") => found.extract = Some(attribute.span()),
                Some("args") => found.whole = Some(attribute.span()),
                Some("default") => found.default = Some(default(attribute)?),
                Some("complete") => found.complete = Some(complete(attribute)?),
                Some("arg") => found.items(attribute, "arg", ARG, p)?,
                Some("serde") => found.items(attribute, "serde", SERDE, p)?,
                Some("schemars") => found.items(attribute, "schemars", SCHEMARS, p)?,
                _ => {}
            }
        }
        Ok(found)
    }

    fn items(&mut self, attribute: &Attribute, name: &str, known: &[&str], p: &TokenStream) -> Result<()> {
        let tokens = attribute.meta.require_list()?.tokens.clone();
        let items = (|input: ParseStream<'_>| items(input, name, known)).parse2(tokens)?;
        for (key, item) in items {
            match (key.to_string().as_str(), item) {
                ("rename", Item::Value(value)) => self.rename = Some(text(&key, value)?),
                ("description", Item::Value(value)) => self.docs = Some(text(&key, value)?.value()),
                ("header", Item::Value(value)) => self.header = Some(text(&key, value)?),
                ("title", Item::Value(value)) => self.extend.push(quote!("title": #value)),
                ("example", Item::Value(value)) => self.extend.push(quote!("examples": [#value])),
                ("pattern", Item::Value(value)) => self.rules.push(quote!(#p::Rule::Pattern(#value))),
                ("regex", Item::List(tokens)) => {
                    let pair: syn::MetaNameValue = syn::parse2(tokens)?;
                    let value = pair.value;
                    self.rules.push(quote!(#p::Rule::Pattern(#value)));
                }
                ("extend", Item::List(tokens)) => {
                    let pairs = (|input: ParseStream<'_>| {
                        Punctuated::<(LitStr, Expr), Token![,]>::parse_terminated_with(input, |input| {
                            let key = input.parse()?;
                            input.parse::<Token![=]>()?;
                            Ok((key, input.parse()?))
                        })
                    })
                    .parse2(tokens)?;
                    self.extend.extend(pairs.iter().map(|(key, value)| quote!(#key: #value)));
                }
                ("range", Item::List(tokens)) => self.rules.extend(Range::parse(&key, tokens)?.numbers(p)),
                ("length", Item::List(tokens)) => self.rules.extend(Range::parse(&key, tokens)?.lengths(p)),
                ("default", Item::Flag) => self.default = Some(Default::OfType),
                ("default", Item::Value(value)) => {
                    let path: Expr = text(&key, value)?.parse()?;
                    self.default = Some(Default::Value(syn::parse_quote!(#path())));
                }
                ("range" | "length", _) => {
                    return Err(Error::new(
                        key.span(),
                        format!("write `{key}(1..=10)`, `{key}(1..)` or `{key}(..=10)`"),
                    ));
                }
                _ => return Err(Error::new(key.span(), format!("`{key}` needs a value: write `{key} = \"…\"`"))),
            }
        }
        Ok(())
    }
}

/// Whether the attribute of a parameter is for us.
fn is_ours(attribute: &Attribute) -> bool {
    const OURS: &[&str] = &["extract", "args", "default", "complete", "arg", "serde", "schemars"];
    docs::is_doc(attribute) || OURS.iter().any(|name| attribute.path().is_ident(name))
}

/// Removes our attributes from all parameters.
pub(crate) fn remove(signature: &mut Signature) {
    for input in &mut signature.inputs {
        if let FnArg::Typed(input) = input {
            input.attrs.retain(|attribute| !is_ours(attribute));
        }
    }
}

fn items(input: ParseStream<'_>, attribute: &str, known: &[&str]) -> Result<Vec<(Ident, Item)>> {
    let mut items = Vec::new();
    while !input.is_empty() {
        let key = input.call(Ident::parse_any)?;
        if !known.contains(&key.to_string().as_str()) {
            let error = crate::options::unknown(&key, attribute, known);
            if attribute == "arg" {
                return Err(error);
            }
            let message =
                format!("{error}; for all that {attribute} can do, write a struct and take `#[args] args: Struct`");
            return Err(Error::new(key.span(), message));
        }
        let item = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Item::Value(input.parse()?)
        } else if input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            Item::List(content.parse()?)
        } else {
            Item::Flag
        };
        items.push((key, item));
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(items)
}

fn text(key: &Ident, value: Expr) -> Result<LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text),
        _ => Err(Error::new(key.span(), format!("`{key}` is a text: write `{key} = \"…\"`"))),
    }
}

fn default(attribute: &Attribute) -> Result<Default> {
    match &attribute.meta {
        Meta::Path(_) => Ok(Default::OfType),
        Meta::NameValue(pair) => Ok(Default::Value(pair.value.clone())),
        Meta::List(list) => syn::parse2(list.tokens.clone()).map(Default::Value),
    }
}

fn complete(attribute: &Attribute) -> Result<Complete> {
    let usage = "write `#[complete(function)]` with `fn function(typed: &str) -> Vec<String>`, or `#[complete(\"one\", \"other\")]`";
    let Meta::List(list) = &attribute.meta else { return Err(Error::new(attribute.span(), usage)) };
    let values = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(list.tokens.clone())?;
    let texts: Vec<LitStr> = values
        .iter()
        .filter_map(|value| match value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
            _ => None,
        })
        .collect();
    if !texts.is_empty() && texts.len() == values.len() {
        return Ok(Complete::Among(texts));
    }
    let mut values = values.into_iter();
    match (values.next(), values.next()) {
        (Some(Expr::Field(field)), None) => match (&*field.base, field.member) {
            (Expr::Path(base), syn::Member::Named(method)) if base.path.is_ident("self") => {
                Ok(Complete::Method(method))
            }
            _ => Err(Error::new(attribute.span(), usage)),
        },
        (Some(function), None) => Ok(Complete::Function(function)),
        _ => Err(Error::new(attribute.span(), usage)),
    }
}
