//! `#[resource]`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, Lit, Result};

use crate::call;
use crate::function::{Function, package};
use crate::parameter::option;
use crate::prompt;
use crate::template::Template;

pub(crate) const OPTIONS: &[&str] =
    &["name", "title", "description", "mime_type", "size", "audience", "priority", "blocking", "icon", "meta", "crate"];

pub(crate) fn entry(function: &Function<'_>) -> Result<TokenStream> {
    let Function { options, p, output, docs, .. } = function;
    let Some(uri) = options.first.clone() else {
        let message =
            "a resource needs a URI: write `#[resource(\"scheme://path\")]` or `#[resource(\"scheme://{variable}\")]`";
        return Err(Error::new(Span::call_site(), message));
    };
    let template = Template::parse(uri)?;
    match_variables(function, &template)?;
    let uri = &template.source;
    let name = prompt::name(function)?;
    let title = option(options.text("title")?);
    let description = match options.text("description")? {
        Some(text) => option(Some(text)),
        None => option(docs.as_ref()),
    };
    let mime_type = option(options.text("mime_type")?);
    let size = option(options.expr("size")?);
    if let Some(span) = options.span("size").filter(|_| !template.variables.is_empty()) {
        return Err(Error::new(span, "only a static resource has a size: remove `size`"));
    }
    let priority = option(options.expr("priority")?.map(|value| quote!((#value) as f64)));
    let audience = audience(function)?;
    let icon = options.text("icon")?.into_iter();
    let meta = option(options.expr("meta")?.map(|meta| quote!(|| #meta)));
    let package = package(p);
    let spec = quote! {
        #p::ResourceSpec {
            uri: #uri,
            name: #name,
            title: #title,
            description: #description,
            mime_type: #mime_type,
            size: #size,
            audience: &[#(#audience),*],
            priority: #priority,
            icons: &[#(#icon),*],
            meta: #meta,
            package: #package,
        }
    };
    let decode = prompt::decode(function, &quote!(list));
    let done = |call| quote_spanned!(output.span()=> #p::resource_done::<#output>(#call, __reading));
    let finish = call::finish(function, done)?;
    let parameters = quote!(__reading: #p::Reading, __arguments: #p::Variables, __cx: #p::Cx);
    prompt::completed(function, &call::join(function, &spec, &parameters, &quote!(#decode #finish)))
}

/// Each variable needs a parameter, each argument a variable.
fn match_variables(function: &Function<'_>, template: &Template) -> Result<()> {
    let arguments: Vec<_> = function.parameters.iter().filter(|parameter| parameter.argument().is_some()).collect();
    for parameter in &arguments {
        if template.variables.contains(&parameter.name) {
            continue;
        }
        let name = &parameter.name;
        let message = if template.variables.is_empty() {
            format!("the URI has no variables: remove the parameter `{name}`, or write `{{{name}}}` into the URI")
        } else {
            let known: Vec<_> = template.variables.iter().map(|name| format!("`{name}`")).collect();
            format!("the template has no variable `{name}`, only {}: write `{{{name}}}` into it", known.join(", "))
        };
        return Err(Error::new(parameter.ident.span(), message));
    }
    match template.variables.iter().find(|name| !arguments.iter().any(|parameter| parameter.name == **name)) {
        None => Ok(()),
        Some(name) => {
            let message = format!("no parameter takes the variable `{name}`: add `{name}: String` to the function");
            Err(Error::new(template.source.span(), message))
        }
    }
}

fn audience(function: &Function<'_>) -> Result<Vec<TokenStream>> {
    let p = &function.p;
    let Some(expr) = function.options.expr("audience")? else { return Ok(Vec::new()) };
    let values = match expr {
        Expr::Array(array) => array.elems.iter().collect(),
        single => vec![single],
    };
    values
        .into_iter()
        .map(|value| match value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value() == "user" => Ok(quote!(#p::Role::User)),
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value() == "assistant" => {
                Ok(quote!(#p::Role::Assistant))
            }
            other => Err(Error::new(
                other.span(),
                "write `audience = \"user\"`, `audience = \"assistant\"` or `audience = [\"user\", \"assistant\"]`",
            )),
        })
        .collect()
}
