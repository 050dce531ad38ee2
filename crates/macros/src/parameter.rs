//! The parameters of a function, and where their values come from.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, FnArg, GenericArgument, Ident, Pat, PatType, PathArguments, Result, Signature, Type};

use crate::attributes::Attributes;
use crate::function::Kind;

/// A parameter and where its value comes from.
pub(crate) struct Parameter {
    /// Its name in Rust.
    pub(crate) ident: Ident,
    /// Its name for callers.
    pub(crate) name: String,
    /// Its type as it is written.
    pub(crate) written: Type,
    pub(crate) source: Source,
    pub(crate) attributes: Attributes,
}

/// Where the value of a parameter comes from.
pub(crate) enum Source {
    /// The context, owned.
    Context,
    /// The context, borrowed.
    ContextRef,
    /// `FromCx`.
    Extract,
    /// All arguments at once.
    Whole,
    /// One argument.
    Argument(Box<Argument>),
}

/// One argument as it is decoded, and how it is passed on.
pub(crate) struct Argument {
    /// The type without `Option`.
    pub(crate) decoded: Type,
    pub(crate) optional: bool,
    /// The type of the items, if it is a `Vec`.
    pub(crate) items: Option<Type>,
    pub(crate) pass: Pass,
}

/// How a decoded argument is passed on.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Pass {
    Owned,
    Borrowed,
    OptionBorrowed,
}

impl Parameter {
    /// Reads the parameters of a function.
    pub(crate) fn read_all(kind: Kind, signature: &Signature, p: &TokenStream) -> Result<Vec<Self>> {
        let mut parameters = Vec::new();
        let mut errors: Option<Error> = None;
        for input in &signature.inputs {
            let FnArg::Typed(input) = input else { continue };
            match Self::read(kind, input, p) {
                Ok(parameter) => parameters.push(parameter),
                Err(error) => match &mut errors {
                    Some(errors) => errors.combine(error),
                    None => errors = Some(error),
                },
            }
        }
        match errors {
            Some(errors) => Err(errors),
            None => check(kind, parameters),
        }
    }

    fn read(kind: Kind, input: &PatType, p: &TokenStream) -> Result<Self> {
        let attributes = Attributes::read(&input.attrs, p)?;
        let Pat::Ident(pattern) = &*input.pat else {
            return Err(Error::new(
                input.pat.span(),
                "a parameter needs a name: write `name: Type`, and take it apart inside the function",
            ));
        };
        let ident = pattern.ident.clone();
        let source = source(kind, &ident, &input.ty, &attributes)?;
        let name = attributes.rename.as_ref().map_or_else(|| ident.unraw().to_string(), syn::LitStr::value);
        Ok(Self { ident, name, written: (*input.ty).clone(), source, attributes })
    }

    /// The argument, if it is one.
    pub(crate) fn argument(&self) -> Option<&Argument> {
        match &self.source {
            Source::Argument(argument) => Some(argument),
            _ => None,
        }
    }

    /// The documentation as tokens of an `Option<&'static str>`.
    pub(crate) fn description(&self) -> TokenStream {
        option(self.attributes.docs.as_ref())
    }
}

/// An optional value as tokens.
pub(crate) fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

fn check(kind: Kind, parameters: Vec<Parameter>) -> Result<Vec<Parameter>> {
    let arguments = || parameters.iter().filter(|parameter| parameter.argument().is_some());
    let whole = parameters.iter().find(|parameter| matches!(parameter.source, Source::Whole));
    if let (Some(whole), Some(other)) = (whole, arguments().next()) {
        let message = format!("`#[args] {}` takes all arguments: move this one into its struct", whole.ident);
        return Err(Error::new(other.ident.span(), message));
    }
    for (index, parameter) in arguments().enumerate() {
        if arguments().take(index).any(|earlier| earlier.name == parameter.name) {
            let message = format!("there are two arguments called `{}`: rename one", parameter.name);
            return Err(Error::new(parameter.ident.span(), message));
        }
        if parameter.attributes.complete.is_some() && kind == Kind::Tool {
            let message = "arguments of tools are not completed: only those of prompts and resource templates are";
            return Err(Error::new(parameter.ident.span(), message));
        }
        let for_tools = !parameter.attributes.rules.is_empty() || parameter.attributes.header.is_some();
        if for_tools && kind != Kind::Tool {
            let message = "rules and headers are for arguments of tools: check the value inside the function";
            return Err(Error::new(parameter.ident.span(), message));
        }
    }
    Ok(parameters)
}

fn source(kind: Kind, ident: &Ident, written: &Type, attributes: &Attributes) -> Result<Source> {
    if attributes.extract.is_some() {
        return Ok(Source::Extract);
    }
    if let Some(span) = attributes.whole {
        return match kind {
            Kind::Tool => Ok(Source::Whole),
            _ => Err(Error::new(span, "`#[args]` is for tools: take each argument as a parameter of its own")),
        };
    }
    let argument = |decoded: Type, optional, pass| {
        let items = generic(&decoded, "Vec").cloned();
        Ok(Source::Argument(Box::new(Argument { decoded, optional, items, pass })))
    };
    match written {
        Type::Reference(reference) if reference.mutability.is_some() => Err(Error::new(
            written.span(),
            format!("a {} cannot change its argument in place: take it by value", kind.name()),
        )),
        Type::Reference(reference) => match &*reference.elem {
            inner if is_named(inner, "Cx") => Ok(Source::ContextRef),
            inner if is_named(inner, "str") => {
                argument(syn::parse_quote!(::std::string::String), false, Pass::Borrowed)
            }
            Type::Slice(slice) => {
                let item = &slice.elem;
                argument(syn::parse_quote!(::std::vec::Vec<#item>), false, Pass::Borrowed)
            }
            inner if generic(inner, "State").is_some() => {
                let inner = shown(inner);
                Err(Error::new(written.span(), format!("take `{ident}: {inner}` without `&`: it is a handle already")))
            }
            inner => {
                let inner = shown(inner);
                Err(Error::new(written.span(), format!("an argument is owned: take `{ident}: {inner}` without `&`")))
            }
        },
        Type::ImplTrait(_) => Err(Error::new(written.span(), "an argument needs a type: name it instead of `impl …`")),
        written if is_named(written, "Cx") => Ok(Source::Context),
        written if generic(written, "State").is_some() => Ok(Source::Extract),
        written => match generic(written, "Option") {
            Some(Type::Reference(inner)) if is_named(&inner.elem, "str") && inner.mutability.is_none() => {
                argument(syn::parse_quote!(::std::string::String), true, Pass::OptionBorrowed)
            }
            Some(Type::Reference(inner)) => {
                let inner = shown(&inner.elem);
                Err(Error::new(written.span(), format!("an argument is owned: take `{ident}: Option<{inner}>`")))
            }
            Some(inner) => argument(inner.clone(), true, Pass::Owned),
            None => argument(written.clone(), false, Pass::Owned),
        },
    }
}

/// A type as a person writes it.
fn shown(written: &Type) -> String {
    let text = written.to_token_stream().to_string();
    [(" :: ", "::"), (" < ", "<"), (" >", ">"), (" ,", ",")]
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to))
}

/// Whether a type is a path that ends in `name` and has no parameters.
fn is_named(written: &Type, name: &str) -> bool {
    match written {
        Type::Path(path) if path.qself.is_none() => {
            path.path.segments.last().is_some_and(|last| last.ident == name && last.arguments.is_none())
        }
        Type::Group(group) => is_named(&group.elem, name),
        Type::Paren(paren) => is_named(&paren.elem, name),
        _ => false,
    }
}

/// The parameter of a type such as `Option<T>`.
fn generic<'a>(written: &'a Type, name: &str) -> Option<&'a Type> {
    match written {
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last().filter(|last| last.ident == name)?;
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
            match arguments.args.first() {
                Some(GenericArgument::Type(inner)) if arguments.args.len() == 1 => Some(inner),
                _ => None,
            }
        }
        Type::Group(group) => generic(&group.elem, name),
        _ => None,
    }
}
