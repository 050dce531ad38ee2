//! The least a server can do, for comparison: a loop without a framework that knows the requests of `cargo xtask bench`.
//!
//! `bench-limit fixed` finds the method and copies the id into a fixed answer. `bench-limit ideal` reads requests and writes
//! answers with borrowed serde_json, as a careful author would by hand.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Write};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{json, value};

fn main() -> io::Result<()> {
    let answers = Answers::new()?;
    match std::env::args().nth(1).as_deref() {
        Some("fixed") => serve(|line, out| fixed(&answers, line, out)),
        Some("ideal") => serve(|line, out| ideal(&answers, line, out)),
        _ => Err(io::Error::other("say `bench-limit fixed` or `bench-limit ideal`")),
    }
}

/// Answers all complete lines of what was read, then writes once.
#[expect(clippy::disallowed_methods, reason = "this program has no connection to write through")]
fn serve(answer: impl Fn(&[u8], &mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = io::stdout().lock();
    let (mut line, mut out) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line)? > 0 {
        answer(line.trim_ascii_end(), &mut out)?;
        line.clear();
        if !input.buffer().contains(&b'\n') {
            output.write_all(&out)?;
            output.flush()?;
            out.clear();
        }
    }
    Ok(())
}

/// What does not change between requests.
struct Answers {
    initialize: Box<RawValue>,
    list: Box<RawValue>,
    echo: &'static str,
    echo_tagged: &'static str,
    add: &'static str,
    read: String,
    document: String,
}

impl Answers {
    fn new() -> io::Result<Self> {
        let info = json!({"name": "bench-limit", "version": "0.1.0"});
        let capabilities = json!({"tools": {}, "resources": {}});
        let initialize = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info});
        let document = document();
        let contents = [Contents { uri: "bench://doc", mime_type: "text/plain", text: &document }];
        Ok(Self {
            initialize: value::to_raw_value(&initialize)?,
            list: value::to_raw_value(&json!({"tools": tools()}))?,
            echo: r#"{"content":[{"type":"text","text":"The quick brown fox"}]}"#,
            echo_tagged: r#"{"resultType":"complete","content":[{"type":"text","text":"The quick brown fox"}]}"#,
            add: r#"{"content":[{"type":"text","text":"{\"sum\":42}"}],"structuredContent":{"sum":42}}"#,
            read: serde_json::to_string(&ReadResult { contents })?,
            document,
        })
    }
}

fn document() -> String {
    let lines = (0..).map(|number| format!("The quick brown fox jumps over the lazy dog, line {number:04} of it.\n"));
    let mut text: String = lines.take(200).collect();
    text.truncate(10_240);
    text
}

fn tools() -> Vec<serde_json::Value> {
    let tool = |name: &str, properties: serde_json::Value, required: &[&str]| {
        let schema = json!({"type": "object", "properties": properties, "required": required});
        json!({"name": name, "description": "A tool of the benchmark.", "inputSchema": schema})
    };
    let integer = json!({"type": "integer"});
    let mut tools = vec![
        tool("echo", json!({"message": {"type": "string"}}), &["message"]),
        tool("add", json!({"a": integer, "b": integer}), &["a", "b"]),
    ];
    let tags = json!({"type": "array", "items": {"type": "string"}});
    tools.extend((2..50).map(|number| {
        let properties = json!({"query": {"type": "string"}, "limit": integer, "tags": tags});
        tool(&format!("tool_{number:02}"), properties, &["query"])
    }));
    tools
}

/// Knows where id and method stand, and looks at nothing else.
fn fixed(answers: &Answers, line: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let Some(rest) = line.strip_prefix(br#"{"jsonrpc":"2.0","id":"#) else { return Ok(()) };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (id, rest) = rest.split_at(digits);
    let rest = rest.strip_prefix(br#","method":""#).unwrap_or_default();
    let result = match rest {
        // Only a request with `_meta` closes that many objects.
        [b't', .., b'}', b'}', b'}', b'}'] => answers.echo_tagged,
        _ if rest.starts_with(br#"tools/call","params":{"name":"a"#) => answers.add,
        _ if rest.starts_with(b"tools/call") => answers.echo,
        _ if rest.starts_with(b"tools/list") => answers.list.get(),
        _ if rest.starts_with(b"resources/read") => &answers.read,
        _ => answers.initialize.get(),
    };
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id);
    out.extend_from_slice(br#","result":"#);
    out.extend_from_slice(result.as_bytes());
    out.extend_from_slice(b"}\n");
    Ok(())
}

/// Reads the request into borrowed types, one step after the other, and writes a typed answer.
fn ideal(answers: &Answers, line: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
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
struct ReadResult<'a> {
    contents: [Contents<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Contents<'a> {
    uri: &'a str,
    mime_type: &'a str,
    text: &'a str,
}
