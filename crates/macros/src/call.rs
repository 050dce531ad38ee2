//! The body of a handler: decode, extract, call, and turn the value into a result.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident, Lit, Result};

use crate::attributes::Default;
use crate::function::Function;
use crate::parameter::{Parameter, Pass, Source};

/// The name of a parameter's value in the generated code.
pub(crate) fn value(index: usize) -> Ident {
    format_ident!("__value{index}")
}

/// The expression for the default of a parameter, if it has one.
pub(crate) fn default(parameter: &Parameter) -> Option<TokenStream> {
    match parameter.attributes.default.as_ref()? {
        Default::OfType => {
            let span = parameter.written.span();
            Some(quote_spanned!(span=> ::core::default::Default::default()))
        }
        // A text stands for a `String` too.
        Default::Value(Expr::Lit(literal)) if matches!(literal.lit, Lit::Str(_)) => {
            Some(quote!(::core::convert::Into::into(#literal)))
        }
        Default::Value(value) => Some(quote!(#value)),
    }
}

/// Decodes all arguments at once with `expressions` (one per argument, each may end with `?`), or answers with `refuse(bad)`.
pub(crate) fn decode(
    function: &Function<'_>,
    prepare: &TokenStream,
    expression: impl Fn(&Parameter) -> TokenStream,
    refuse: &TokenStream,
) -> TokenStream {
    let p = &function.p;
    let decoded: Vec<_> = function
        .parameters
        .iter()
        .enumerate()
        .filter(|(_, parameter)| matches!(parameter.source, Source::Argument(_) | Source::Whole))
        .map(|(index, parameter)| (value(index), expression(parameter)))
        .collect();
    if decoded.is_empty() && prepare.is_empty() {
        return TokenStream::new();
    }
    let (names, expressions): (Vec<_>, Vec<_>) = decoded.into_iter().unzip();
    quote! {
        let __decoded = (|| -> ::core::result::Result<_, #p::BadArgument> {
            #prepare
            ::core::result::Result::Ok((#(#expressions,)*))
        })();
        let (#(#names,)*) = match __decoded {
            ::core::result::Result::Ok(decoded) => decoded,
            ::core::result::Result::Err(bad) => return #refuse,
        };
    }
}

/// Extracts, calls, and ends the work; `done` turns the call's value into what the handler answers with.
pub(crate) fn finish(function: &Function<'_>, done: impl Fn(TokenStream) -> TokenStream) -> Result<TokenStream> {
    let p = &function.p;
    let mut extracted = Vec::new();
    let mut values = Vec::new();
    for (index, parameter) in function.parameters.iter().enumerate() {
        let name = value(index);
        values.push(match &parameter.source {
            Source::Context => quote!(#p::Clone::clone(&__cx)),
            Source::ContextRef => quote!(&__cx),
            Source::Whole => quote!(#name),
            Source::Extract => {
                extracted.push((name.clone(), &parameter.written));
                quote!(#name)
            }
            Source::Argument(argument) => match argument.pass {
                Pass::Owned => quote!(#name),
                Pass::Borrowed => quote!(&#name),
                Pass::OptionBorrowed => quote!(#name.as_deref()),
            },
        });
    }
    let ident = &function.signature.ident;
    let call =
        if function.is_method { quote!(Self::#ident(&__this, #(#values),*)) } else { quote!(#ident(#(#values),*)) };
    let end = if function.signature.asyncness.is_some() {
        let done = done(quote!(#call.await));
        quote_spanned!(ident.span()=> #p::Work::later(async move { #done }))
    } else if function.is_blocking()? {
        let done = done(call);
        quote_spanned!(ident.span()=> #p::Work::blocking(move || #done))
    } else {
        let done = done(call);
        quote!(#p::Work::Ready(#done))
    };
    if extracted.is_empty() {
        return Ok(end);
    }
    let (mut names, mut types) = (quote!(()), quote!(()));
    for (name, written) in extracted.into_iter().rev() {
        names = quote!((#name, #names));
        types = quote_spanned!(written.span()=> (#written, #types));
    }
    Ok(quote!(#p::extracted::<#types, _>(__cx, move |#names, __cx| #end)))
}

/// Joins a description with a handler: a closure that captures nothing, with `self` as a parameter if it is a method.
pub(crate) fn join(
    function: &Function<'_>,
    spec: &TokenStream,
    parameters: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let p = &function.p;
    if function.is_method {
        quote!(#spec.method(&__this, |__this: #p::Arc<Self>, #parameters| { #body }))
    } else {
        quote!(#spec.entry(|#parameters| { #body }))
    }
}
