//! Rules in attributes of parameters: ranges and lengths.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, Ident, MetaNameValue, RangeLimits, Result, Token};

/// The two ends of a range; an end that is excluded says so.
pub(crate) struct Range {
    least: Option<Expr>,
    most: Option<Expr>,
    excluded: bool,
}

impl Range {
    /// Reads `1..=10`, `1..`, `..10`, or `min = 1, max = 10`.
    pub(crate) fn parse(key: &Ident, tokens: TokenStream) -> Result<Self> {
        (|input: ParseStream<'_>| Self::read(key, input)).parse2(tokens)
    }

    fn read(key: &Ident, input: ParseStream<'_>) -> Result<Self> {
        let wrong = |span| Error::new(span, format!("write `{key}(1..=10)`, `{key}(1..)` or `{key}(..=10)`"));
        if input.peek(Ident) && input.peek2(Token![=]) {
            let mut range = Self { least: None, most: None, excluded: false };
            for pair in Punctuated::<MetaNameValue, Token![,]>::parse_terminated(input)? {
                match &pair.path {
                    path if path.is_ident("min") => range.least = Some(pair.value),
                    path if path.is_ident("max") => range.most = Some(pair.value),
                    path if path.is_ident("equal") => {
                        range.least = Some(pair.value.clone());
                        range.most = Some(pair.value);
                    }
                    _ => return Err(wrong(key.span())),
                }
            }
            return Ok(range);
        }
        match input.parse::<Expr>() {
            Ok(Expr::Range(range)) => Ok(Self {
                least: range.start.map(|end| *end),
                most: range.end.map(|end| *end),
                excluded: matches!(range.limits, RangeLimits::HalfOpen(_)),
            }),
            _ => Err(wrong(key.span())),
        }
    }

    pub(crate) fn numbers(&self, p: &TokenStream) -> Vec<TokenStream> {
        let least = self.least.as_ref().map(|end| quote!(#p::Rule::Minimum((#end) as f64)));
        let most = self.most.as_ref().map(|end| match self.excluded {
            true => quote!(#p::Rule::Below((#end) as f64)),
            false => quote!(#p::Rule::Maximum((#end) as f64)),
        });
        least.into_iter().chain(most).collect()
    }

    pub(crate) fn lengths(&self, p: &TokenStream) -> Vec<TokenStream> {
        let least = self.least.as_ref().map(|end| quote!(#p::Rule::Shortest((#end) as u64)));
        let most = self.most.as_ref().map(|end| match self.excluded {
            true => quote!(#p::Rule::Longest((#end) as u64 - 1)),
            false => quote!(#p::Rule::Longest((#end) as u64)),
        });
        least.into_iter().chain(most).collect()
    }
}
