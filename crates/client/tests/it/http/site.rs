//! A scripted HTTP server in memory, so that waiting takes no time.
//!
//! ```text
//! modern                          it answers the probe; or `legacy 2025-11-25`: it refuses that, then shakes hands with a session
//! @ call = ok                     the user does something; the outcome is compared, `or` stands between several
//! > tools/call                    from here on: what it does about POSTs of this method, about GET, or about DELETE
//! < 200 json {"result":{}}        answers with JSON, `jsonrpc` and `id` filled in; the last answer stays for all that follow
//! < 200 sse id: 1|data: {}||      answers with events, `|` for a line end; then the stream ends, or `…` keeps it open
//! < 307 [location: /x]            answers with a header and no body
//! < after 60 200 json {}          the same after so many seconds
//! < raw HTTP/1.1 200 OK\r\n…      writes this; `close` closes the connection, `hold` says nothing
//! = GET 2                         so many were seen; or `= GET last-event-id: 1`: one had this header, `!` none had
//! ```
//!
//! `$id` is the id of the last request. A connection to any other host fails the test.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex};

use jackfield_client::{ByteStream, Client, EraCache, Http};
use jackfield_http::client::{Agent, AgentConfig, Boxed, Dial};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::JoinSet;

use crate::script::{act, discovery, greeting, name, paused};

pub(crate) const URL: &str = "http://server.test/mcp";

/// A request that was seen.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) verb: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Seen {
    /// The method of the message, or of the request if there is none.
    fn what(&self) -> &str {
        match &self.body {
            Value::Null => &self.verb,
            body => body["method"].as_str().unwrap_or("answer"),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The server, and what it has seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Site(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    replies: HashMap<String, VecDeque<String>>,
    last_id: Value,
    seen: Vec<Seen>,
    foreign: Vec<String>,
    connections: JoinSet<()>,
    opened: usize,
    /// No connection is opened any more.
    is_shut: bool,
}

impl Dial for Site {
    fn dial<'a>(&'a self, uri: &'a http::Uri) -> Boxed<'a, io::Result<ByteStream>> {
        let mut state = self.0.lock().unwrap();
        state.opened += 1;
        let outcome = if state.is_shut {
            Err(io::ErrorKind::ConnectionRefused.into())
        } else if uri.host() == Some("server.test") {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            state.connections.spawn(serve(self.clone(), theirs));
            Ok(ByteStream::both(ours))
        } else {
            state.foreign.push(uri.to_string());
            Err(io::ErrorKind::ConnectionRefused.into())
        };
        Box::pin(async move { outcome })
    }
}

impl Site {
    /// What a client connects to.
    pub(crate) fn http(&self) -> Http {
        let mut config = AgentConfig::default();
        config.dial = Some(Arc::new(self.clone()));
        Http::new(URL).agent(Agent::new(config)).eras(EraCache::default())
    }

    pub(crate) fn reply(&self, what: &str, reply: impl Into<String>) {
        self.0.lock().unwrap().replies.entry(what.to_owned()).or_default().push_back(reply.into());
    }

    /// Forgets what to do about a method.
    pub(crate) fn forget(&self, what: &str) {
        self.0.lock().unwrap().replies.remove(what);
    }

    /// Opens no more connections; those that are open stay, as long as they are in use.
    pub(crate) fn refuse(&self) {
        self.0.lock().unwrap().is_shut = true;
    }

    /// Opens connections again.
    pub(crate) fn open(&self) {
        self.0.lock().unwrap().is_shut = false;
    }

    /// Is gone, with all of its connections.
    pub(crate) fn shut(&self) {
        self.refuse();
        let connections = std::mem::take(&mut self.0.lock().unwrap().connections);
        drop(connections);
    }

    pub(crate) fn modern(&self) {
        self.reply("server/discover", format!("200 json {}", json!({"result": discovery()})));
        self.reply("tools/list", r#"200 json {"result":{"resultType":"complete","tools":[]}}"#);
    }

    pub(crate) fn legacy(&self, version: &str) {
        self.reply("server/discover", "400 text/plain no session");
        let greeting = json!({"result": greeting(version)});
        self.reply("initialize", format!("200 [mcp-session-id: s1] json {greeting}"));
        self.reply("tools/list", r#"200 json {"result":{"tools":[]}}"#);
        self.reply("GET", "405");
        self.reply("DELETE", "200");
    }

    pub(crate) fn seen(&self, what: &str) -> Vec<Seen> {
        self.0.lock().unwrap().seen.iter().filter(|seen| seen.what() == what).cloned().collect()
    }

    /// All requests that were seen.
    pub(crate) fn all(&self) -> Vec<Seen> {
        self.0.lock().unwrap().seen.clone()
    }

    pub(crate) fn foreign(&self) -> Vec<String> {
        self.0.lock().unwrap().foreign.clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.0.lock().unwrap().opened
    }

    /// Notes a request and returns what to do about it.
    fn answer(&self, seen: Seen) -> String {
        let mut state = self.0.lock().unwrap();
        if seen.body.get("id").is_some() {
            state.last_id = seen.body["id"].clone();
        }
        let what = seen.what().to_owned();
        state.seen.push(seen);
        let id = state.last_id.to_string();
        let Some(queue) = state.replies.get_mut(&what) else {
            return if what.starts_with("notifications/") || what == "answer" { "202" } else { "404" }.to_owned();
        };
        let reply = if queue.len() > 1 { queue.pop_front() } else { queue.front().cloned() };
        reply.unwrap().replace("$id", &id)
    }
}

/// Serves one connection.
pub(crate) async fn serve(site: Site, mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mut buffer = Vec::new();
    while let Some(seen) = read(&mut stream, &mut buffer).await {
        let id = seen.body.get("id").cloned();
        let mut reply = site.answer(seen);
        if let Some((seconds, rest)) = reply.strip_prefix("after ").and_then(|rest| rest.split_once(' ')) {
            jackfield_testkit::pass(std::time::Duration::from_secs(seconds.parse().unwrap())).await;
            reply = rest.to_owned();
        }
        let Some(bytes) = written(&reply, id.as_ref()) else {
            match reply.as_str() {
                "close" => return,
                _ => return hold(stream).await,
            }
        };
        let goes_on = !reply.ends_with('…') && !reply.starts_with("raw");
        if stream.write_all(&bytes).await.is_err() {
            return;
        }
        if !goes_on && reply.ends_with('…') {
            return hold(stream).await;
        }
        if !goes_on {
            return;
        }
    }
}

/// Keeps a connection open until the client closes it.
async fn hold(mut stream: impl AsyncRead + Unpin) {
    let mut nothing = [0; 64];
    while stream.read(&mut nothing).await.is_ok_and(|count| count > 0) {}
}

async fn read(stream: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) -> Option<Seen> {
    let end = loop {
        if let Some(at) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(buffer[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap().split(' ');
    let (verb, target) = (first.next().unwrap().to_owned(), first.next().unwrap().to_owned());
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(':').unwrap())
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim_matches(' ').to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, n)| n.parse().unwrap());
    while buffer.len() < end + 4 + length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    let body = &buffer[end + 4..end + 4 + length];
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(body).unwrap() };
    buffer.drain(..end + 4 + length);
    Some(Seen { verb, target, headers, body })
}

/// Returns the bytes of a reply; none for `close` and `hold`.
fn written(reply: &str, id: Option<&Value>) -> Option<Vec<u8>> {
    if let Some(raw) = reply.strip_prefix("raw ") {
        return Some(raw.replace("\\r", "\r").replace("\\n", "\n").replace("\\0", "\0").into_bytes());
    }
    let (status, mut rest) = reply.split_once(' ').unwrap_or((reply, ""));
    status.parse::<u16>().ok()?;
    let mut head = format!("HTTP/1.1 {status} X\r\n");
    while let Some((header, tail)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        head.push_str(&format!("{header}\r\n"));
        rest = tail.trim_start();
    }
    let (kind, text) = rest.split_once(' ').unwrap_or((rest, ""));
    match kind {
        "sse" => {
            let ends = !text.ends_with('…');
            let text = text.trim_end_matches('…').trim_end_matches(' ').replace('|', "\n");
            head.push_str("content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
            if !text.is_empty() {
                head.push_str(&format!("{:x}\r\n{text}\r\n", text.len()));
            }
            if ends {
                head.push_str("0\r\n\r\n");
            }
            return Some(head.into_bytes());
        }
        "json" => {
            let mut message: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
            if let (Some(object), Some(id)) = (message.as_object_mut(), id) {
                object.entry("jsonrpc").or_insert("2.0".into());
                object.entry("id").or_insert(id.clone());
            }
            let text = message.to_string();
            head.push_str(&format!("content-type: application/json\r\ncontent-length: {}\r\n\r\n{text}", text.len()));
        }
        "" => head.push_str("content-length: 0\r\n\r\n"),
        kind => head.push_str(&format!("content-type: {kind}\r\ncontent-length: {}\r\n\r\n{text}", text.len())),
    }
    Some(head.into_bytes())
}

/// Plays a script.
#[track_caller]
pub(crate) fn check(script: &str) {
    let lines: Vec<String> = script.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    paused(async move {
        let site = Site::default();
        let mut what = String::new();
        for line in &lines {
            match line.split_once(' ').unwrap_or((line, "")) {
                ("modern", _) => site.modern(),
                ("legacy", version) => site.legacy(version),
                (">", method) => {
                    site.0.lock().unwrap().replies.remove(method);
                    method.clone_into(&mut what);
                }
                ("<", reply) => site.reply(&what, reply),
                ("@" | "=", _) => {}
                (other, _) => panic!("the script says {other:?}"),
            }
        }
        let mut client = None;
        for line in &lines {
            match line.split_once(' ').unwrap_or((line, "")) {
                ("@", rest) => {
                    let (action, wanted) = rest.rsplit_once(" = ").expect("`@ action = outcome`");
                    let outcome = perform(&site, &mut client, action).await;
                    assert!(
                        wanted.split(" or ").any(|wanted| wanted == outcome),
                        "@ {action} = {outcome}, not {wanted}"
                    );
                }
                ("=", rest) => look(&site, rest),
                _ => {}
            }
        }
        drop(client);
        assert_eq!(site.foreign(), [] as [String; 0], "the client went elsewhere");
    });
}

async fn perform(site: &Site, client: &mut Option<Client>, action: &str) -> String {
    if action == "close" {
        client.take().expect("a client").close().await;
        return "ok".to_owned();
    }
    if client.is_none() {
        match Client::builder().connect(site.http().header("x-key", "secret")).await {
            Ok(connected) => *client = Some(connected),
            error if action == "connect" => return name(&error),
            error => panic!("the connection failed: {error:?}"),
        }
    }
    let client = client.as_ref().unwrap();
    match action {
        "connect" => "ok".to_owned(),
        "revision" => client.revision().map_or("none".to_owned(), |revision| revision.to_string()),
        "wait" => {
            jackfield_testkit::pass(std::time::Duration::from_secs(600)).await;
            "ok".to_owned()
        }
        action => act(client, action).await,
    }
}

#[track_caller]
fn look(site: &Site, rest: &str) {
    let (what, wanted) = rest.split_once(' ').unwrap();
    let seen = site.seen(what);
    if let Ok(count) = wanted.parse::<usize>() {
        assert_eq!(seen.len(), count, "{what}: {seen:?}");
    } else if let Some(name) = wanted.strip_prefix('!') {
        assert!(!seen.is_empty() && seen.iter().all(|seen| seen.header(name.trim()).is_none()), "{seen:?}");
    } else {
        let (name, value) = wanted.split_once(':').unwrap();
        assert!(seen.iter().any(|seen| seen.header(name) == Some(value.trim())), "no {wanted}: {seen:?}");
    }
}
