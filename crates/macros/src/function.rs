//! Free functions: from the attribute to a unit struct that can be registered and still be called.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Error, Ident, Result, ReturnType, Safety, Signature, Type, Visibility};

use crate::options::Options;
use crate::parameter::Parameter;
use crate::{docs, prompt, resource, tool};

/// What a function becomes.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Tool,
    Resource,
    Prompt,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Prompt => "prompt",
        }
    }

    fn known(self) -> &'static [&'static str] {
        match self {
            Self::Tool => tool::OPTIONS,
            Self::Resource => resource::OPTIONS,
            Self::Prompt => prompt::OPTIONS,
        }
    }

    /// The trait, its method, and the type of the entry.
    fn registration(self) -> (TokenStream, TokenStream, TokenStream) {
        match self {
            Self::Tool => (quote!(IntoTool), quote!(into_tool), quote!(ToolEntry)),
            Self::Resource => (quote!(IntoResource), quote!(into_resource), quote!(ResourceEntry)),
            Self::Prompt => (quote!(IntoPrompt), quote!(into_prompt), quote!(PromptEntry)),
        }
    }
}

/// A function or method with one of our attributes, understood.
pub(crate) struct Function<'a> {
    pub(crate) kind: Kind,
    pub(crate) options: Options,
    pub(crate) docs: Option<String>,
    pub(crate) signature: &'a Signature,
    pub(crate) parameters: Vec<Parameter>,
    /// What it returns; `()` if nothing is written.
    pub(crate) output: Type,
    /// The path of the crate's parts for macros.
    pub(crate) p: TokenStream,
    pub(crate) is_method: bool,
}

impl<'a> Function<'a> {
    /// Understands a function, and takes our attributes off its parameters.
    pub(crate) fn new(
        kind: Kind,
        options: TokenStream,
        attributes: &[Attribute],
        signature: &'a mut Signature,
        is_method: bool,
    ) -> Result<Self> {
        let options = Options::parse(kind.name(), kind.known(), options);
        let p = options.as_ref().map_or_else(|_| quote!(::jackfield::__private), Options::private);
        let parameters = Parameter::take_all(kind, signature, &p);
        let checked = check(kind, signature, is_method);
        let output = match &signature.output {
            ReturnType::Default => Type::Tuple(syn::TypeTuple {
                attrs: Vec::new(),
                paren_token: syn::token::Paren(signature.ident.span()),
                elems: syn::punctuated::Punctuated::new(),
            }),
            ReturnType::Type(_, output) => (**output).clone(),
        };
        let options = options?;
        checked?;
        Ok(Self {
            kind,
            options,
            docs: docs::text(attributes),
            signature,
            parameters: parameters?,
            output,
            p,
            is_method,
        })
    }

    /// The code for its entry in the registry.
    pub(crate) fn entry(&self) -> Result<Entry> {
        if let Some(span) = self.options.span("blocking")
            && self.signature.asyncness.is_some()
        {
            let message =
                "a blocking function is not async: remove `async`, or remove `blocking` and wait with `.await`";
            return Err(Error::new(span, message));
        }
        match self.kind {
            Kind::Tool => tool::entry(self),
            Kind::Resource => resource::entry(self).map(Entry::from),
            Kind::Prompt => prompt::entry(self).map(Entry::from),
        }
    }

    pub(crate) fn is_blocking(&self) -> Result<bool> {
        Ok(self.options.flag("blocking")?.is_some_and(|flag| flag.value))
    }
}

/// The code for an entry: items that come before it, and its value.
pub(crate) struct Entry {
    pub(crate) before: TokenStream,
    pub(crate) value: TokenStream,
}

impl From<TokenStream> for Entry {
    fn from(value: TokenStream) -> Self {
        Self { before: TokenStream::new(), value }
    }
}

/// The crate that the function is written in.
pub(crate) fn package(p: &TokenStream) -> TokenStream {
    quote!(#p::Package::new(
        ::core::env!("CARGO_PKG_NAME"),
        ::core::env!("CARGO_PKG_VERSION"),
        ::core::env!("CARGO_PKG_DESCRIPTION"),
        ::core::env!("CARGO_PKG_HOMEPAGE"),
    ))
}

fn check(kind: Kind, signature: &Signature, is_method: bool) -> Result<()> {
    let name = kind.name();
    let fail = |span, message: String| Err(Error::new(span, message));
    if let Some(receiver) = signature.receiver().filter(|_| !is_method) {
        let message =
            format!("`#[{name}]` on a method needs `#[server]` above its impl block; a free function has no `self`");
        return fail(receiver.span(), message);
    }
    if is_method {
        let good = signature.receiver().is_some_and(|receiver| {
            matches!(receiver.kind, syn::ReceiverKind::Reference(_, _, None)) && receiver.mutability.is_none()
        });
        if !good {
            let span = signature.inputs.first().map_or_else(|| signature.ident.span(), Spanned::span);
            let mutable =
                matches!(signature.receiver().map(|receiver| &receiver.kind), Some(syn::ReceiverKind::Reference(..)));
            let message = if mutable {
                format!("a {name} takes `&self`, because calls run at the same time: keep what changes in a `Mutex`")
            } else {
                format!("a {name} of a `#[server]` takes `&self` first")
            };
            return fail(span, message);
        }
    }
    if !signature.generics.params.is_empty() {
        let message = format!("a {name} cannot be generic, since its schema is made once: name the types");
        return fail(signature.generics.span(), message);
    }
    if let Some(token) = &signature.constness {
        return fail(token.span(), format!("a {name} cannot be `const`: remove it"));
    }
    if let Safety::Unsafe(token) = &signature.safety {
        return fail(token.span(), format!("a {name} is called by others and must be safe: remove `unsafe`"));
    }
    if let Some(abi) = &signature.abi {
        return fail(abi.span(), format!("a {name} is an ordinary Rust function: remove `extern`"));
    }
    match &signature.output {
        ReturnType::Type(_, output) if matches!(**output, Type::ImplTrait(_)) => {
            fail(output.span(), format!("a {name} needs a return type with a name: write it instead of `impl …`"))
        }
        _ => Ok(()),
    }
}

/// A free function with its body as it is: the macro does not look into it.
struct Item {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    signature: Signature,
    body: TokenStream,
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature = input.parse()?;
        Ok(Self { attributes, visibility, signature, body: input.parse()? })
    }
}

/// Expands the attribute of a free function.
pub(crate) fn expand(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let mut item = match syn::parse2::<Item>(item.clone()) {
        Ok(item) => item,
        Err(_) if !item.clone().into_iter().any(|token| token.to_string() == "fn") => {
            let message = format!("`#[{}]` goes above a function", kind.name());
            return Error::new(proc_macro2::Span::call_site(), message).into_compile_error();
        }
        Err(error) => return error.into_compile_error(),
    };
    let Item { attributes, visibility, signature, body } = &mut item;
    let (docs, others): (Vec<_>, Vec<_>) = attributes.iter().partition(|attribute| docs::is_doc(attribute));
    let cfgs: Vec<_> = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect();
    let ident = signature.ident.clone();
    let (name, method, entry_type) = kind.registration();

    let function = Function::new(kind, options, attributes, signature, false);
    let p = function.as_ref().map_or_else(|_| quote!(::jackfield::__private), |function| function.p.clone());
    let made = function.and_then(|function| Ok((function.entry()?, callable(&function))));
    let (entry, callable) = made.unwrap_or_else(|error| (error.into_compile_error().into(), TokenStream::new()));
    let Entry { before, value } = entry;
    // After a mistake the function itself is left out: its parameters may still carry what only we understand.
    if signature.receiver().is_some() {
        // It stands in an impl block, where neither a struct nor a nameless constant can.
        return quote!(#before #value #(#others)* #visibility #signature #body);
    }
    let written = (!callable.is_empty()).then(|| quote!(#(#others)* #signature #body));

    quote! {
        #(#docs)*
        #(#cfgs)*
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        #visibility struct #ident;

        #(#cfgs)*
        #[doc(hidden)]
        const _: () = {
            #written

            #[automatically_derived]
            impl #p::#name for #ident {
                #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
                fn #method(self) -> #p::#entry_type {
                    #before
                    #value
                }
            }

            #callable
        };
    }
}

/// Lets the function be called as before, through the struct that took its name.
fn callable(function: &Function<'_>) -> TokenStream {
    let Function { signature, output, p, .. } = function;
    let ident = &signature.ident;
    if signature.asyncness.is_none() {
        let types = function.parameters.iter().map(|parameter| &parameter.written);
        let pointer = quote!(fn(#(#types),*) -> #output);
        return deref(ident, &pointer, &quote!(&(#ident as #pointer)));
    }
    let lifetime: syn::Lifetime = syn::parse_quote!('call);
    let borrows = function.parameters.iter().any(|parameter| borrows(&parameter.written));
    let types: Vec<Type> =
        function.parameters.iter().map(|parameter| with_lifetime(parameter.written.clone(), &lifetime)).collect();
    let output = with_lifetime(output.clone(), &lifetime);
    let (generics, bound) = if borrows { (quote!(<#lifetime>), quote!(+ #lifetime)) } else { (quote!(), quote!()) };
    let higher = borrows.then(|| quote!(for<#lifetime>));
    let future = quote!(#p::Pin<#p::Box<dyn ::core::future::Future<Output = #output> + ::core::marker::Send #bound>>);
    let pointer = quote!(#higher fn(#(#types),*) -> #future);
    let names: Vec<Ident> = (0..types.len()).map(|index| quote::format_ident!("argument{index}")).collect();
    let deref = deref(ident, &pointer, &quote!(&(boxed as #pointer)));
    quote! {
        fn boxed #generics (#(#names: #types),*) -> #future {
            #p::Box::pin(#ident(#(#names),*))
        }

        #deref
    }
}

fn deref(ident: &Ident, pointer: &TokenStream, value: &TokenStream) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::core::ops::Deref for #ident {
            type Target = #pointer;

            fn deref(&self) -> &Self::Target {
                #value
            }
        }
    }
}

fn borrows(written: &Type) -> bool {
    match written {
        Type::Reference(_) => true,
        other => other.to_token_stream().into_iter().any(|token| token.to_string() == "&"),
    }
}

/// Gives a reference without a lifetime one; also the reference in an `Option`.
fn with_lifetime(mut written: Type, lifetime: &syn::Lifetime) -> Type {
    match &mut written {
        Type::Reference(reference) => {
            reference.lifetime.get_or_insert_with(|| lifetime.clone());
        }
        Type::Path(path) => {
            if let Some(last) = path.path.segments.last_mut()
                && let syn::PathArguments::AngleBracketed(arguments) = &mut last.arguments
            {
                for argument in &mut arguments.args {
                    if let syn::GenericArgument::Type(inner) = argument {
                        *inner = with_lifetime(inner.clone(), lifetime);
                    }
                }
            }
        }
        _ => {}
    }
    written
}

/// Whether an attribute is one of ours, and which.
pub(crate) fn kind_of(attribute: &Attribute) -> Option<Kind> {
    let last = attribute.path().segments.last()?;
    [Kind::Tool, Kind::Resource, Kind::Prompt].into_iter().find(|kind| last.ident == kind.name())
}
