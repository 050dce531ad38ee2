//! The macros of Jackfield: functions and methods as tools, resources and prompts.
//!
//! They generate little: a description of the function as data, and a closure that decodes the arguments and calls it. All that
//! works on these is not generic and is compiled once, in `jackfield-server`. Use them through the crate `jackfield`.

mod attributes;
mod call;
mod docs;
mod form;
mod function;
mod options;
mod parameter;
mod prompt;
mod resource;
mod rules;
mod server;
mod template;
mod tool;

use proc_macro::TokenStream;

/// Makes a function a tool. Its doc comment is the tool's description, its parameters are the arguments.
///
/// Options: `name`, `title`, `description` (text), `read_only`, `destructive`, `idempotent`, `open_world` (hints, also `= false`),
/// `blocking` (run on the pool of threads that may block), `deny_unknown` (refuse unknown arguments; not beside `#[args]`, whose type decides), `validate` (`"always"` or
/// `"off"`), `output` (a type whose schema is the output schema), `task` (runs as a task where
/// the client can: `"optional"`, `"required"`, `"forbidden"`), `becomes_task` (only when the handler says so), `icon`, `meta`, `crate`.
///
/// Parameters may have a doc comment, `#[default]` or `#[default(value)]`, and `#[arg(rename, description, range, length, pattern,
/// header)]`. `cx: &Cx` and `State<T>` come from the framework, like every parameter with `#[extract]`; a parameter with `#[args]`
/// takes all arguments as one type.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(function::Kind::Tool, options.into(), item.into()).into()
}

/// Makes a function a resource: `#[resource("scheme://path")]`, or a template of resources: `#[resource("scheme://{variable}")]`.
///
/// Options: `name`, `title`, `description`, `mime_type` (text), `size` (bytes), `audience` (`"user"`, `"assistant"`), `priority` (0 to
/// 1), `blocking`, `icon`, `meta`, `crate`. Parameters with `#[complete(function)]` or `#[complete("one", "other")]` are completed.
#[proc_macro_attribute]
pub fn resource(options: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(function::Kind::Resource, options.into(), item.into()).into()
}

/// Makes a function a prompt. Its doc comment is the prompt's description, its parameters are the arguments.
///
/// Options: `name`, `title`, `description` (text), `blocking`, `icon`, `meta`, `crate`. Parameters with `#[complete(function)]` or
/// `#[complete("one", "other")]` are completed.
#[proc_macro_attribute]
pub fn prompt(options: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(function::Kind::Prompt, options.into(), item.into()).into()
}

/// The tools of functions with `#[tool]`, by their paths: `server.tools(tools![add, notes::save])`.
///
/// `#[tool]` leaves the function as it is and puts a hidden item beside it, which this macro names. So a path says where the function
/// stands: `notes::save`, or `save` after `use notes::*`; an import of `save` alone does not bring the item along.
#[proc_macro]
pub fn tools(paths: TokenStream) -> TokenStream {
    function::entries(function::Kind::Tool, paths.into()).into()
}

/// The resources of functions with `#[resource("…")]`, by their paths; see [`tools!`].
#[proc_macro]
pub fn resources(paths: TokenStream) -> TokenStream {
    function::entries(function::Kind::Resource, paths.into()).into()
}

/// The prompts of functions with `#[prompt]`, by their paths; see [`tools!`].
#[proc_macro]
pub fn prompts(paths: TokenStream) -> TokenStream {
    function::entries(function::Kind::Prompt, paths.into()).into()
}

/// Makes an impl block a server, or a part of one: its methods with `#[tool]`, `#[resource("…")]` and `#[prompt]` are registered
/// together and share `&self`. The doc comment of the block is the instructions for the model.
///
/// Options: `name`, `instructions` (text), `crate`.
#[proc_macro_attribute]
pub fn server(options: TokenStream, item: TokenStream) -> TokenStream {
    server::expand(options.into(), item.into()).into()
}

/// Makes a type one that a person can be asked for, beside `Deserialize` and `JsonSchema`: a struct (each field of which is a single value),
/// an enum without fields, or a tuple struct around one value.
///
/// `#[form(crate = path)]` says where the crate `jackfield` is.
#[proc_macro_derive(Form, attributes(form))]
pub fn form(item: TokenStream) -> TokenStream {
    form::expand(item.into()).into()
}
