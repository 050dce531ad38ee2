//! `#[tool]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, LitStr, Result};

use crate::call;
use crate::function::{Entry, Function, package};
use crate::parameter::{Parameter, Source, option};

pub(crate) const OPTIONS: &[&str] = &[
    "name",
    "title",
    "description",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "blocking",
    "deny_unknown",
    "validate",
    "output",
    "task",
    "becomes_task",
    "icon",
    "meta",
    "crate",
];

pub(crate) fn entry(function: &Function<'_>) -> Result<Entry> {
    let Function { options, p, output, .. } = function;
    if let Some(uri) = &options.first {
        return Err(Error::new(uri.span(), "a tool has no URI: write `name = \"…\"`, or use `#[resource(\"…\")]`"));
    }
    let deny = options.flag("deny_unknown")?.is_some_and(|flag| flag.value);
    let spec = spec(function, deny)?;
    let rules = rules(function);
    let arguments: Vec<&Parameter> = function.parameters.iter().filter(|p| p.argument().is_some()).collect();
    let names: Vec<_> = arguments.iter().map(|parameter| &parameter.name).collect();
    let whole = function.parameters.iter().any(|parameter| matches!(parameter.source, Source::Whole));
    if let (true, true, Some(span)) = (whole, deny, options.span("deny_unknown")) {
        let message = "the type behind `#[args]` decides this: write `#[serde(deny_unknown_fields)]` above it";
        return Err(Error::new(span, message));
    }
    let prepare = match (whole, deny, names.is_empty()) {
        (true, ..) | (false, false, true) => TokenStream::new(),
        (false, true, _) => quote!(
            let __arguments = #p::Arguments::of(&__arguments, &__cx)?;
            __arguments.deny_others(&[#(#names),*])?;
        ),
        (false, false, false) => quote!(let __arguments = #p::Arguments::of(&__arguments, &__cx)?;),
    };
    let decode = call::decode(
        function,
        &prepare,
        |parameter| decode(parameter, p),
        &quote!(#p::bad_arguments(&bad, &__arguments, &__cx)),
    );
    let finish = call::finish(function, |call| quote_spanned!(output.span()=> #p::tool_done::<#output>(#call)))?;
    let parameters = quote!(__arguments: #p::Bytes, __cx: #p::Cx);
    let joined = call::join(function, &spec, &parameters, &quote!(#decode #finish));
    Ok(Entry { before: rules, value: joined })
}

fn spec(function: &Function<'_>, deny: bool) -> Result<TokenStream> {
    let Function { options, p, output, docs, .. } = function;
    let name = match options.text("name")? {
        Some(name) => name,
        None => LitStr::new(&function.signature.ident.unraw().to_string(), function.signature.ident.span()),
    };
    check_name(&name)?;
    let title = option(options.text("title")?);
    let description = match options.text("description")? {
        Some(text) => option(Some(text)),
        None => option(docs.as_ref()),
    };
    let hint = |name| options.flag(name).map(option);
    let (read_only, destructive) = (hint("read_only")?, hint("destructive")?);
    let (idempotent, open_world) = (hint("idempotent")?, hint("open_world")?);
    let icon = options.text("icon")?.into_iter();
    let validation = match options.word("validate", &["always", "off"], None)?.as_deref() {
        Some("always") => quote!(Always),
        Some(_) => quote!(Off),
        None => quote!(Typed),
    };
    let task = options.word("task", &["optional", "required", "forbidden"], Some("optional"))?;
    let becomes_task = options.flag("becomes_task")?.is_some_and(|flag| flag.value);
    if let (true, Some(span)) = (becomes_task && task.as_deref() == Some("forbidden"), options.span("becomes_task")) {
        return Err(Error::new(span, "`task = \"forbidden\"` says that it never becomes one: remove one of them"));
    }
    let task = match (task.as_deref(), becomes_task) {
        (Some("optional"), _) | (None, true) => quote!(::core::option::Option::Some(#p::TaskSupport::Optional)),
        (Some("required"), _) => quote!(::core::option::Option::Some(#p::TaskSupport::Required)),
        (Some(_), _) => quote!(::core::option::Option::Some(#p::TaskSupport::Forbidden)),
        (None, false) => quote!(::core::option::Option::None),
    };
    let meta = option(options.expr("meta")?.map(|meta| quote!(|| #meta)));
    let (output, typed_output) = match options.output()? {
        Some(output) => (quote_spanned!(output.span()=> #p::output_of::<#output>), false),
        None => (quote_spanned!(output.span()=> #p::tool_output::<#output>), true),
    };
    let whole = option(function.parameters.iter().find_map(|parameter| {
        let written = &parameter.written;
        matches!(parameter.source, Source::Whole).then(|| quote_spanned!(written.span()=> #p::whole_schema::<#written>))
    }));
    let fields = function.parameters.iter().filter_map(|parameter| field(parameter, p));
    let package = package(p);
    Ok(quote! {
        #p::ToolSpec {
            name: #name,
            title: #title,
            description: #description,
            read_only: #read_only,
            destructive: #destructive,
            idempotent: #idempotent,
            open_world: #open_world,
            icons: &[#(#icon),*],
            task: #task,
            becomes_task: #becomes_task,
            meta: #meta,
            validation: #p::Validation::#validation,
            deny_unknown: #deny,
            fields: const { &[#(#fields),*] },
            whole: #whole,
            output: #output,
            typed_output: #typed_output,
            package: #package,
        }
    })
}

/// A constant for the rules of each parameter that has some.
fn rules(function: &Function<'_>) -> TokenStream {
    let p = &function.p;
    let with_rules = function.parameters.iter().filter(|parameter| !parameter.attributes.rules.is_empty());
    let constants = with_rules.map(|parameter| {
        let (name, rules) = (rules_name(parameter), &parameter.attributes.rules);
        quote!(const #name: &[#p::Rule] = &[#(#rules),*];)
    });
    quote!(#(#constants)*)
}

fn rules_name(parameter: &Parameter) -> syn::Ident {
    quote::format_ident!("__RULES_OF_{}", parameter.ident.unraw().to_string().to_uppercase())
}

fn rules_of(parameter: &Parameter) -> TokenStream {
    if parameter.attributes.rules.is_empty() {
        return quote!(&[]);
    }
    let name = rules_name(parameter);
    quote!(#name)
}

fn field(parameter: &Parameter, p: &TokenStream) -> Option<TokenStream> {
    let argument = parameter.argument()?;
    let decoded = &argument.decoded;
    let (name, description) = (&parameter.name, parameter.description());
    let full = if argument.optional { quote!(::core::option::Option<#decoded>) } else { quote!(#decoded) };
    let default = call::default(parameter);
    let required = !argument.optional && default.is_none();
    let default = option(default.map(|value| quote_spanned!(decoded.span()=> || #p::default_value::<#full>(#value))));
    let rules = rules_of(parameter);
    let header = option(parameter.attributes.header.as_ref());
    let extend = &parameter.attributes.extend;
    let extend = option((!extend.is_empty()).then(|| quote!(|| #p::json!({ #(#extend),* }))));
    let schema = if argument.optional {
        quote_spanned!(decoded.span()=> #p::optional_schema_of::<#decoded>)
    } else {
        quote_spanned!(decoded.span()=> #p::schema_of::<#decoded>)
    };
    Some(quote! {
        #p::Field {
            name: #name,
            description: #description,
            required: #required,
            schema: #schema,
            default: #default,
            rules: #rules,
            header: #header,
            extend: #extend,
        }
    })
}

fn decode(parameter: &Parameter, p: &TokenStream) -> TokenStream {
    let Some(argument) = parameter.argument() else {
        let written = &parameter.written;
        return quote_spanned!(written.span()=> #p::whole::<#written>(&__arguments)?);
    };
    let (name, decoded, rules) = (&parameter.name, &argument.decoded, rules_of(parameter));
    let full = if argument.optional { quote!(::core::option::Option<#decoded>) } else { quote!(#decoded) };
    match call::default(parameter) {
        Some(value) => quote_spanned!(decoded.span()=> __arguments.or::<#full>(#name, #rules, || #value)?),
        None if argument.optional => quote_spanned!(decoded.span()=> __arguments.optional::<#decoded>(#name, #rules)?),
        None => quote_spanned!(decoded.span()=> __arguments.required::<#decoded>(#name, #rules)?),
    }
}

fn check_name(name: &LitStr) -> Result<()> {
    let text = name.value();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if (1..=128).contains(&text.len()) && text.chars().all(fits) {
        return Ok(());
    }
    let message = "a tool's name has 1 to 128 characters of `A-Z a-z 0-9 _ - .`: write `name = \"…\"`";
    Err(Error::new(name.span(), message))
}
