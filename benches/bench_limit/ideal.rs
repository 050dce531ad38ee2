//! Requests read and answers written with borrowed serde_json, as a careful author would by hand.

use std::borrow::Cow;
use std::io;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::answers::Answers;

/// Reads the request into borrowed types, one step after the other, and writes a typed answer.
pub(crate) fn answer(answers: &Answers, line: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let request: Request<'_> = serde_json::from_slice(line)?;
    let (Some(id), params) = (request.id, request.params.map_or("{}", RawValue::get)) else { return Ok(()) };
    match request.method {
        "initialize" => write(out, id, &answers.initialize),
        "tools/list" => write(out, id, &answers.list),
        "tools/call" => call(&serde_json::from_str(params)?, id, out),
        "resources/read" => {
            let params: Read<'_> = serde_json::from_str(params)?;
            let text = &answers.document;
            write(out, id, &ReadResult { contents: [Contents { uri: &params.uri, mime_type: "text/plain", text }] })
        }
        method => Err(io::Error::other(format!("unknown method {method}"))),
    }
}

fn call(call: &Call<'_>, id: &RawValue, out: &mut Vec<u8>) -> io::Result<()> {
    let arguments = call.arguments.map_or("{}", RawValue::get);
    let result_type = call.meta.as_ref().filter(|meta| meta.is_usable()).map(|_| "complete");
    match call.name {
        "echo" => {
            let Echo { message } = serde_json::from_str(arguments)?;
            let content = [Text { kind: "text", text: &message }];
            write(out, id, &CallResult { result_type, content, structured_content: None })
        }
        "add" => {
            let Add { a, b } = serde_json::from_str(arguments)?;
            let sum = Sum { sum: a + b };
            let content = [Text { kind: "text", text: &serde_json::to_string(&sum)? }];
            write(out, id, &CallResult { result_type, content, structured_content: Some(sum) })
        }
        name => Err(io::Error::other(format!("unknown tool {name}"))),
    }
}

fn write(out: &mut Vec<u8>, id: &RawValue, result: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Answer { jsonrpc: "2.0", id, result })?;
    out.push(b'\n');
    Ok(())
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: &'a str,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    name: &'a str,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: &'a str,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    client: Client<'a>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    _capabilities: IgnoredAny,
}

impl Meta<'_> {
    fn is_usable(&self) -> bool {
        self.version == "2026-07-28" && !self.client.name.is_empty() && !self.client.version.is_empty()
    }
}

#[derive(Deserialize)]
struct Client<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    version: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Echo<'a> {
    #[serde(borrow)]
    message: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Deserialize)]
struct Read<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
}

#[derive(Serialize)]
struct Answer<'a, T> {
    jsonrpc: &'a str,
    id: &'a RawValue,
    result: &'a T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'a str>,
    content: [Text<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Sum>,
}

#[derive(Serialize)]
struct Text<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct Sum {
    sum: i64,
}

#[derive(Serialize)]
pub(crate) struct ReadResult<'a> {
    pub(crate) contents: [Contents<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Contents<'a> {
    pub(crate) uri: &'a str,
    pub(crate) mime_type: &'a str,
    pub(crate) text: &'a str,
}
