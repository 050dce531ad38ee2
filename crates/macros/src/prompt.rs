//! `#[prompt]`, and what resources share with it: arguments given as text, and completion.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, LitStr, Result};

use crate::attributes::Complete;
use crate::call;
use crate::function::{Function, package};
use crate::parameter::{Parameter, option};

pub(crate) const OPTIONS: &[&str] = &["name", "title", "description", "blocking", "icon", "meta", "crate"];

pub(crate) fn entry(function: &Function<'_>) -> Result<TokenStream> {
    let Function { options, p, output, docs, .. } = function;
    if let Some(uri) = &options.first {
        return Err(Error::new(uri.span(), "a prompt has no URI: write `name = \"…\"`, or use `#[resource(\"…\")]`"));
    }
    let name = name(function)?;
    let title = option(options.text("title")?);
    let description = match options.text("description")? {
        Some(text) => option(Some(text)),
        None => option(docs.as_ref()),
    };
    let icon = options.text("icon")?.into_iter();
    let meta = option(options.expr("meta")?.map(|meta| quote!(|| #meta)));
    let arguments = function.parameters.iter().filter_map(|parameter| {
        let argument = parameter.argument()?;
        let (name, description) = (&parameter.name, parameter.description());
        let required = !argument.optional && argument.items.is_none() && parameter.attributes.default.is_none();
        Some(quote!((#name, #description, #required)))
    });
    let package = package(p);
    let spec = quote! {
        #p::PromptSpec {
            name: #name,
            title: #title,
            description: #description,
            arguments: &[#(#arguments),*],
            icons: &[#(#icon),*],
            meta: #meta,
            package: #package,
        }
    };
    let decode = decode(function, &quote!(comma_list));
    let done = |call| quote_spanned!(output.span()=> #p::prompt_done::<#output>(#call, #description));
    let finish = call::finish(function, done)?;
    let parameters = quote!(__arguments: #p::BTreeMap<#p::String, #p::String>, __cx: #p::Cx);
    completed(function, &call::join(function, &spec, &parameters, &quote!(#decode #finish)))
}

/// The name of a prompt or resource.
pub(crate) fn name(function: &Function<'_>) -> Result<LitStr> {
    let ident = &function.signature.ident;
    Ok(function.options.text("name")?.unwrap_or_else(|| LitStr::new(&ident.unraw().to_string(), ident.span())))
}

/// Decodes arguments that are given as text; `list` is how several values are written.
pub(crate) fn decode(function: &Function<'_>, list: &TokenStream) -> TokenStream {
    let p = &function.p;
    if function.parameters.iter().all(|parameter| parameter.argument().is_none()) {
        return TokenStream::new();
    }
    let prepare = quote!(let __arguments = #p::TextArguments::from(__arguments););
    call::decode(function, &prepare, |parameter| decode_one(parameter, list), &quote!(#p::bad_text(bad)))
}

fn decode_one(parameter: &Parameter, list: &TokenStream) -> TokenStream {
    let Some(argument) = parameter.argument() else { return TokenStream::new() };
    let (name, decoded) = (&parameter.name, &argument.decoded);
    let span = decoded.span();
    match (call::default(parameter), &argument.items) {
        (Some(value), None) if !argument.optional => {
            quote_spanned!(span=> __arguments.optional::<#decoded>(#name)?.unwrap_or_else(|| #value))
        }
        (_, Some(item)) if argument.optional => {
            quote_spanned!(span=> ::core::option::Option::Some(__arguments.#list::<#item>(#name)?).filter(|list| !list.is_empty()))
        }
        (_, Some(item)) => quote_spanned!(span=> __arguments.#list::<#item>(#name)?),
        _ if argument.optional => quote_spanned!(span=> __arguments.optional::<#decoded>(#name)?),
        _ => quote_spanned!(span=> __arguments.required::<#decoded>(#name)?),
    }
}

/// Adds completers to an entry.
pub(crate) fn completed(function: &Function<'_>, entry: &TokenStream) -> Result<TokenStream> {
    let p = &function.p;
    let mut inserts = TokenStream::new();
    for parameter in &function.parameters {
        let completer = match &parameter.attributes.complete {
            None => continue,
            Some(Complete::Function(path)) => quote_spanned!(path.span()=> #p::completer(#path)),
            Some(Complete::Among(values)) => quote!(#p::among(&[#(#values),*])),
            Some(Complete::Method(method)) if function.is_method => quote_spanned!(method.span()=> {
                let __this = #p::Clone::clone(&__this);
                #p::completer(move |typed: &str| __this.#method(typed))
            }),
            Some(Complete::Method(method)) => {
                let message = "a free function has no `self`: write `#[complete(function)]`";
                return Err(Error::new(method.span(), message));
            }
        };
        let name = &parameter.name;
        inserts.extend(quote!(__entry.completers.insert(#p::String::from(#name), #completer);));
    }
    if inserts.is_empty() {
        return Ok(entry.clone());
    }
    Ok(quote!({ let mut __entry = #entry; #inserts __entry }))
}
