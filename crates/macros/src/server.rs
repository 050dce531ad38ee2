//! `#[server]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Error, ImplItem, ItemImpl, Meta, Result};

use crate::function::{Entry, Function, Kind, kind_of, package};
use crate::options::Options;
use crate::parameter::option;
use crate::{attributes, docs};

const OPTIONS: &[&str] = &["name", "instructions", "crate"];

/// Expands the attribute of an impl block.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut block = match syn::parse2::<ItemImpl>(item.clone()) {
        Ok(block) => block,
        Err(_) if !item.clone().into_iter().any(|token| token.to_string() == "impl") => {
            let message = "`#[server]` goes above the impl block whose methods are tools, resources and prompts";
            return Error::new(Span::call_site(), message).into_compile_error();
        }
        Err(error) => return error.into_compile_error(),
    };
    let options = Options::parse("server", OPTIONS, options);
    let p = options.as_ref().map_or_else(|_| quote!(::jackfield::__private), Options::private);
    let parts = parts(&mut block);
    let body = options.and_then(|options| body(&options, &block, &p, parts?)).unwrap_or_else(Error::into_compile_error);
    let (generics, _, bounds) = block.generics.split_for_impl();
    let this = &block.self_ty;
    quote! {
        #block

        #[automatically_derived]
        impl #generics #p::ServerParts for #this #bounds {
            #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
            fn into_parts(self) -> #p::Parts {
                #body
            }
        }
    }
}

fn body(options: &Options, block: &ItemImpl, p: &TokenStream, parts: Vec<TokenStream>) -> Result<TokenStream> {
    if let Some((path, _)) = &block.trait_ {
        let message = "`#[server]` goes above an impl block of a type, not of a trait";
        return Err(Error::new_spanned(path, message));
    }
    if let Some(first) = &options.first {
        return Err(Error::new(first.span(), "write `name = \"…\"`"));
    }
    if parts.is_empty() {
        let message =
            "no method is a tool, resource or prompt: write `#[tool]`, `#[resource(\"…\")]` or `#[prompt]` above one";
        return Err(Error::new(Span::call_site(), message));
    }
    let name = option(options.text("name")?);
    let instructions = match options.text("instructions")? {
        Some(text) => option(Some(text)),
        None => option(docs::text(&block.attrs)),
    };
    let package = package(p);
    Ok(quote! {
        let __this = #p::Arc::new(self);
        let mut __parts = #p::parts(#name, #instructions, #package);
        #(#parts)*
        __parts
    })
}

/// Takes our attributes off the methods, and returns the statements that register them.
fn parts(block: &mut ItemImpl) -> Result<Vec<TokenStream>> {
    let mut parts = Vec::new();
    let mut errors: Option<Error> = None;
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let Some(at) = method.attrs.iter().position(|attribute| kind_of(attribute).is_some()) else { continue };
        let attribute = method.attrs.remove(at);
        let Some(kind) = kind_of(&attribute) else { continue };
        let tokens = match attribute.meta {
            Meta::List(list) => list.tokens,
            _ => TokenStream::new(),
        };
        let cfgs: Vec<_> = method.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect();
        let field = match kind {
            Kind::Tool => quote!(tools),
            Kind::Resource => quote!(resources),
            Kind::Prompt => quote!(prompts),
        };
        let span = method.sig.ident.span();
        let entry = match method.attrs.iter().find(|attribute| kind_of(attribute).is_some()) {
            Some(second) => {
                Err(Error::new_spanned(second, "a method is one of tool, resource and prompt: remove one attribute"))
            }
            None => Function::new(kind, tokens, &method.attrs, &method.sig, true).and_then(|function| function.entry()),
        };
        attributes::remove(&mut method.sig);
        match entry {
            Ok(Entry { before, value }) => {
                parts.push(quote::quote_spanned!(span=> #(#cfgs)* { #before __parts.#field.push(#value); }));
            }
            Err(error) => match &mut errors {
                Some(errors) => errors.combine(error),
                None => errors = Some(error),
            },
        }
    }
    errors.map_or(Ok(parts), Err)
}
