//! `#[derive(Form)]`: types that a person can be asked for.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Field, Fields, Generics, Ident, Item, ItemEnum, LitStr, Path, Result, Token, Type};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    syn::parse2(item).and_then(|item| derive(&item)).unwrap_or_else(|error| error.into_compile_error())
}

fn derive(item: &Item) -> Result<TokenStream> {
    match item {
        Item::Struct(item) => {
            let p = private(&item.attrs, &item.generics)?;
            of_struct(&p, &item.ident, &item.fields)
        }
        Item::Enum(item) => of_enum(&private(&item.attrs, &item.generics)?, item),
        other => Err(Error::new(other.span(), "a form is a struct or an enum")),
    }
}

fn of_struct(p: &TokenStream, name: &Ident, fields: &Fields) -> Result<TokenStream> {
    match fields {
        Fields::Named(fields) => {
            let types =
                fields.named.iter().map(checked_type).filter_map(Result::transpose).collect::<Result<Vec<_>>>()?;
            let (checks, form) = (must_be_fields(p, &types), form(p, name, &quote!(Fields)));
            Ok(quote!(#checks #form))
        }
        // It is written as the value in it.
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let types: Vec<Type> = fields.unnamed.iter().map(|field| field.ty.clone()).collect();
            let (checks, form) = (must_be_fields(p, &types), form(p, name, &quote!(Value)));
            Ok(quote!(#checks #form impl #p::FormField for #name {}))
        }
        _ => Err(Error::new(name.span(), "a form is a struct with named fields, or a tuple struct around one value")),
    }
}

fn of_enum(p: &TokenStream, item: &ItemEnum) -> Result<TokenStream> {
    let name = &item.ident;
    if let Some(variant) = item.variants.iter().find(|variant| !matches!(variant.fields, Fields::Unit)) {
        return Err(Error::new(variant.span(), "a choice has no fields: a person chooses its name, no more"));
    }
    if item.variants.is_empty() {
        return Err(Error::new(name.span(), "there is nothing to choose from"));
    }
    refuse(&item.attrs, &["tag", "content", "untagged"], "a choice is written as its name, and nothing else")?;
    let form = form(p, name, &quote!(Value));
    Ok(quote!(#form impl #p::FormField for #name {} impl #p::FormChoice for #name {}))
}

fn form(p: &TokenStream, name: &Ident, layout: &TokenStream) -> TokenStream {
    quote! {
        impl #p::Form for #name {
            const LAYOUT: #p::FormLayout = #p::FormLayout::#layout;
        }
    }
}

/// Has the compiler check the types of fields, with its errors at the types.
fn must_be_fields(p: &TokenStream, types: &[Type]) -> TokenStream {
    let checks = types.iter().map(|checked| quote_spanned!(checked.span()=> field::<#checked>();));
    quote! {
        const _: fn() = || {
            fn field<T: #p::FormField>() {}
            #(#checks)*
        };
    }
}

/// Returns the type that describes a field in the form; none if the field is not in it, or describes itself.
fn checked_type(field: &Field) -> Result<Option<Type>> {
    refuse(&field.attrs, &["flatten"], "forms are flat, and do not say which of their fields belong together")?;
    let mut found = Some(field.ty.clone());
    each_option(&field.attrs, |attribute, meta| {
        let is = |name: &str| meta.path.is_ident(name);
        if is("skip") || is("skip_deserializing") || (attribute == "schemars" && is("schema_with")) {
            found = None;
        } else if attribute == "schemars" && is("with") {
            found = Some(meta.value()?.parse::<LitStr>()?.parse()?);
            return Ok(());
        }
        skip_value(meta)
    })?;
    Ok(found)
}

fn refuse(attributes: &[Attribute], words: &[&str], why: &str) -> Result<()> {
    each_option(attributes, |_, meta| match words.iter().any(|word| meta.path.is_ident(word)) {
        true => Err(meta.error(why)),
        false => skip_value(meta),
    })
}

/// Looks at the options of serde and schemars.
fn each_option(attributes: &[Attribute], mut look: impl FnMut(&str, &ParseNestedMeta<'_>) -> Result<()>) -> Result<()> {
    for attribute in attributes {
        for name in ["serde", "schemars"] {
            if attribute.path().is_ident(name) {
                attribute.parse_nested_meta(|meta| look(name, &meta))?;
            }
        }
    }
    Ok(())
}

/// Passes over `= value` and `(…)`.
fn skip_value(meta: &ParseNestedMeta<'_>) -> Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let inner;
        syn::parenthesized!(inner in meta.input);
        inner.parse::<TokenStream>()?;
    }
    Ok(())
}

/// The path of the crate's parts for macros: `#[form(crate = path)]`.
fn private(attributes: &[Attribute], generics: &Generics) -> Result<TokenStream> {
    if !generics.params.is_empty() {
        return Err(Error::new(generics.span(), "a form has no type parameters or lifetimes"));
    }
    let mut found = quote!(::jackfield::__private);
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("form")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("`form` has no such option; it has `crate`"));
            }
            let path: Path = meta.value()?.parse()?;
            found = quote!(#path::__private);
            Ok(())
        })?;
    }
    Ok(found)
}
