//! Free functions: the function stays as it was written, and an item beside it makes its entry.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Ident, Path, Result, ReturnType, Safety, Signature, Token, Type, Visibility};

use crate::options::Options;
use crate::parameter::{Parameter, Source};
use crate::{attributes, docs, prompt, resource, tool};

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

    /// The type of the entry.
    fn entry_type(self) -> Ident {
        let name = match self {
            Self::Tool => "ToolEntry",
            Self::Resource => "ResourceEntry",
            Self::Prompt => "PromptEntry",
        };
        Ident::new(name, Span::call_site())
    }

    /// The name of the item that makes the entry of a function; `tools![…]` and its siblings write the same.
    pub(crate) fn mangled(self, function: &Ident) -> Ident {
        format_ident!("__{}_{}", self.name(), function.unraw(), span = function.span())
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
    /// Understands a function.
    pub(crate) fn new(
        kind: Kind,
        options: TokenStream,
        attributes: &[Attribute],
        signature: &'a Signature,
        is_method: bool,
    ) -> Result<Self> {
        let options = Options::parse(kind.name(), kind.known(), options);
        let p = options.as_ref().map_or_else(|_| quote!(::jackfield::__private), Options::private);
        let parameters = Parameter::read_all(kind, signature, &p);
        let checked = check(kind, signature, is_method);
        let output = match &signature.output {
            ReturnType::Default => Type::Tuple(syn::TypeTuple {
                attrs: Vec::new(),
                paren_token: syn::token::Paren(signature.ident.span()),
                elems: Punctuated::new(),
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
        let Entry { before, value } = match self.kind {
            Kind::Tool => tool::entry(self)?,
            Kind::Resource => resource::entry(self)?.into(),
            Kind::Prompt => prompt::entry(self)?.into(),
        };
        Ok(Entry { before, value: self.with_requirements(value) })
    }

    /// Says in the entry what the extractors among the parameters need the server to have.
    fn with_requirements(&self, entry: TokenStream) -> TokenStream {
        let p = &self.p;
        let extracted = self.parameters.iter().filter(|parameter| matches!(parameter.source, Source::Extract));
        let requires: Vec<_> = extracted
            .map(|Parameter { written, .. }| {
                quote_spanned!(written.span()=> <#written as #p::FromCx>::requires(&mut __entry.requirements);)
            })
            .collect();
        if requires.is_empty() {
            return entry;
        }
        quote!({ let mut __entry = #entry; #(#requires)* __entry })
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
            return Error::new(Span::call_site(), message).into_compile_error();
        }
        Err(error) => return error.into_compile_error(),
    };
    let Item { attributes, visibility, signature, body } = &mut item;
    let cfgs: Vec<_> = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect();
    let (mangled, entry_type) = (kind.mangled(&signature.ident), kind.entry_type());

    let function = Function::new(kind, options, attributes, signature, false);
    let p = function.as_ref().map_or_else(|_| quote!(::jackfield::__private), |function| function.p.clone());
    let entry = function.and_then(|function| function.entry());
    let Entry { before, value } = entry.unwrap_or_else(|error| error.into_compile_error().into());
    // A mistake in one parameter must not hide the function, nor our attributes reach the compiler.
    attributes::remove(signature);
    let function = quote!(#(#attributes)* #visibility #signature #body);
    if signature.receiver().is_some() {
        // It stands in an impl block, where no other item can.
        return quote!(#before #value #function);
    }

    // An enum takes a name among the types only, and nobody can make a value of it.
    quote! {
        #function

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #visibility enum #mangled {}

        #(#cfgs)*
        #[automatically_derived]
        impl #mangled {
            #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
            #visibility fn entry() -> #p::#entry_type {
                #before
                #value
            }
        }
    }
}

/// Expands `tools![…]` and its siblings: paths of functions become the entries beside these.
pub(crate) fn entries(kind: Kind, paths: TokenStream) -> TokenStream {
    let paths = match Punctuated::<Path, Token![,]>::parse_terminated.parse2(paths) {
        Ok(paths) => paths,
        Err(error) => {
            let name = kind.name();
            let message =
                format!("{error}: write the paths of functions with `#[{name}]`, as in `{name}s![one, module::other]`");
            return Error::new(error.span(), message).into_compile_error();
        }
    };
    let entries = paths.into_iter().map(|mut path| {
        if let Some(last) = path.segments.last_mut() {
            last.ident = kind.mangled(&last.ident);
        }
        quote_spanned!(path.span()=> <#path>::entry())
    });
    quote!([#(#entries),*])
}

/// Whether an attribute is one of ours, and which.
pub(crate) fn kind_of(attribute: &Attribute) -> Option<Kind> {
    let last = attribute.path().segments.last()?;
    [Kind::Tool, Kind::Resource, Kind::Prompt].into_iter().find(|kind| last.ident == kind.name())
}
