//! The tool and the prompt.

use std::collections::BTreeMap;

use jackfield::middleware::MethodName;
use jackfield::middleware::{Incoming, Next, Reply};
use jackfield::protocol::code;
use jackfield::protocol::{
    CallToolResult, ErrorObject, GetPromptResult, Meta, Method, Prompt, PromptArgument, PromptMessage,
};
use jackfield::server::{PromptEntry, ToolEntry, Work};
use jackfield::{Cx, Outcome, Server};
use serde::Deserialize;
use url::Url;

use super::failure::{Failure, Problem};
use super::fetcher::Fetcher;
use super::options::{Options, Purpose};
use super::paging;
use crate::python::{self, Numbers};
use crate::tool::{definition, hints, tool};
use crate::untrusted;

const NAME: &str = "fetch";
const ABOUT_TOOL: &str = "Fetches a web page and returns it as Markdown, or other text as it is. A long page comes in parts: the end \
    of a part says which start_index gets the next one. What a page says was written by strangers.";
const ABOUT_PROMPT: &str = "Fetch a URL and extract its contents as markdown";

const INPUT: &str = r#"{"type":"object","properties":{
    "url":{"type":"string","format":"uri","minLength":1,"description":"The address of the page: an http or https URL."},
    "max_length":{"type":"integer","minimum":1,"maximum":999999,"default":5000,"description":"How many characters to return at most."},
    "start_index":{"type":"integer","minimum":0,"default":0,"description":"At which character to begin, for the next part of a long page."},
    "raw":{"type":"boolean","default":false,"description":"Return the page as it was sent, not as Markdown."}},
    "required":["url"]}"#;

#[derive(Deserialize)]
struct Arguments {
    url: String,
    #[serde(default = "default_length")]
    max_length: usize,
    #[serde(default)]
    start_index: usize,
    #[serde(default)]
    raw: bool,
}

fn default_length() -> usize {
    5000
}

/// Makes the fetch server.
pub fn server(options: Options) -> Server {
    let fetcher = Fetcher::new(options);
    python::server("mcp-fetch")
        .version(env!("CARGO_PKG_VERSION"))
        .middleware(name_missing_url)
        .tool(python::tool(fetch_tool(fetcher.clone()), Numbers::Strict))
        .prompt(fetch_prompt(fetcher))
}

fn fetch_tool(fetcher: Fetcher) -> ToolEntry {
    let definition =
        definition(NAME, ABOUT_TOOL, INPUT).with_annotations(hints([Some(true), Some(false), Some(true), Some(true)]));
    tool(definition, move |arguments: Arguments, _: Cx| {
        let fetcher = fetcher.clone();
        async move { call(&fetcher, arguments).await }
    })
}

async fn call(fetcher: &Fetcher, arguments: Arguments) -> Result<CallToolResult, String> {
    let url = Url::parse(&arguments.url).map_err(|problem| {
        format!("1 validation error for {NAME}Arguments\nurl\n  Input should be a valid URL, {problem}")
    })?;
    let name = url.to_string();
    let page =
        fetcher.page(&name, url, Purpose::Autonomous, arguments.raw).await.map_err(|failure| failure.to_string())?;
    let content = paging::part(&page.content, arguments.start_index, arguments.max_length);
    let text = format!("{}Contents of {name}:\n{content}", page.prefix);
    Ok(untrusted::marked(CallToolResult::text(text)))
}

fn fetch_prompt(fetcher: Fetcher) -> PromptEntry {
    let mut url = PromptArgument::new("url");
    url.description = Some("The address of the page.".to_owned());
    url.required = Some(true);
    let mut prompt = Prompt::new(NAME);
    prompt.description = Some(ABOUT_PROMPT.to_owned());
    prompt.arguments = Some(vec![url]);
    PromptEntry::new(prompt, move |mut arguments: BTreeMap<String, String>, _: Cx| {
        let fetcher = fetcher.clone();
        let url = arguments.remove("url").unwrap_or_default();
        Work::later(async move { Ok(Outcome::Complete(ask(&fetcher, &url).await)) })
    })
}

/// Fetches what a person asked for. They see a failure as the message.
async fn ask(fetcher: &Fetcher, url: &str) -> GetPromptResult {
    let page = match Url::parse(url) {
        Ok(parsed) => fetcher.page(url, parsed, Purpose::UserSpecified, false).await,
        Err(_) => Err(Failure::Failed { url: url.to_owned(), problem: Problem::BadUrl }),
    };
    let text = page.map_or_else(|failure| failure.to_string(), |page| page.prefix + &page.content);
    GetPromptResult::new(vec![PromptMessage::user(text)])
        .with_description(ABOUT_PROMPT.to_owned())
        .with_meta(Meta::new().with(untrusted::KEY, true))
}

/// Says in the original's words that a prompt without a URL is no prompt.
async fn name_missing_url(incoming: Incoming, next: Next) -> Reply {
    let is_prompt = matches!(incoming.method, MethodName::Known(Method::GetPrompt));
    let lacks_url =
        |error: &ErrorObject| error.code == code::INVALID_PARAMS && error.message.contains("needs the argument");
    next.run(incoming).await.map_err(|error| match is_prompt && lacks_url(&error) {
        true => ErrorObject::invalid_params("URL is required"),
        false => error,
    })
}
