//! The requests that are measured.

use std::net::SocketAddr;

use super::conversation::Turn;

/// A request that is repeated.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    /// Whether the conversation begins with a handshake; otherwise each request speaks for itself.
    pub(super) is_legacy: bool,
    method: &'static str,
    /// The tool's name or the resource's address.
    name_header: Option<&'static str>,
    params: &'static str,
    /// Most instructions per request, on standard input and output and over HTTP.
    pub(super) instructions: Option<u64>,
    pub(super) http_instructions: Option<u64>,
    /// Whether it is counted over HTTP too.
    pub(super) over_http: bool,
}

/// The plainest call.
pub(super) const ECHO: Scenario = Scenario {
    name: "echo legacy",
    is_legacy: true,
    method: "tools/call",
    name_header: Some("echo"),
    params: r#"{"name":"echo","arguments":{"message":"The quick brown fox"}}"#,
    instructions: Some(9_000),
    http_instructions: Some(26_000),
    over_http: true,
};

pub(super) const SCENARIOS: &[Scenario] = &[
    ECHO,
    Scenario {
        name: "echo modern",
        is_legacy: false,
        method: "tools/call",
        name_header: Some("echo"),
        params: concat!(
            r#"{"name":"echo","arguments":{"message":"The quick brown fox"},"_meta":{"#,
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
            r#""io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"#,
            r#""io.modelcontextprotocol/clientCapabilities":{}}}"#
        ),
        instructions: Some(13_000),
        http_instructions: Some(26_000),
        over_http: true,
    },
    Scenario {
        name: "add legacy",
        is_legacy: true,
        method: "tools/call",
        name_header: Some("add"),
        params: r#"{"name":"add","arguments":{"a":20,"b":22}}"#,
        instructions: None,
        http_instructions: None,
        over_http: false,
    },
    Scenario {
        name: "tools/list legacy",
        is_legacy: true,
        method: "tools/list",
        name_header: None,
        params: "{}",
        instructions: Some(30_000),
        http_instructions: None,
        over_http: false,
    },
    Scenario {
        name: "resources/read legacy",
        is_legacy: true,
        method: "resources/read",
        name_header: Some("bench://doc"),
        params: r#"{"uri":"bench://doc"}"#,
        instructions: Some(110_000),
        http_instructions: None,
        over_http: false,
    },
];

pub(super) const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"#,
    r#""clientInfo":{"name":"bench","version":"1.0.0"}}}"#,
    "\n"
);

pub(super) const INITIALIZED: &str = concat!(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "\n");

/// The revisions that the requests speak.
const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

/// Returns a request over HTTP, as clients write it. They name the port too, and there are servers that insist on it.
pub(super) fn post(to: SocketAddr, headers: &str, body: &str) -> Vec<u8> {
    let (port, length) = (to.port(), body.len());
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// Returns the request that opens the stream of a session.
pub(super) fn opening_get(to: SocketAddr, session: &str) -> Vec<u8> {
    let port = to.port();
    format!(
        "GET /mcp HTTP/1.1\r\nHost: localhost:{port}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\
         MCP-Protocol-Version: {LEGACY}\r\n\r\n"
    )
    .into_bytes()
}

/// Returns the request that opens a stream without a session.
pub(super) fn listen(to: SocketAddr) -> Vec<u8> {
    let headers = format!("MCP-Protocol-Version: {MODERN}\r\nMcp-Method: subscriptions/listen\r\n");
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{{"notifications":{{"toolsListChanged":true}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"{MODERN}","io.modelcontextprotocol/clientInfo":{{"name":"bench","version":"1.0.0"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    );
    post(to, &headers, &body)
}

impl Scenario {
    /// Returns the conversation that sends requests in `rounds`, each with `depth` requests under way at once.
    pub(super) fn turns(&self, rounds: u64, depth: u64) -> Vec<Turn> {
        let mut turns = Vec::new();
        if self.is_legacy {
            turns.push(Turn { lines: INITIALIZE.into(), answers: 1 });
            turns.push(Turn { lines: INITIALIZED.into(), answers: 0 });
        }
        turns.extend((0..rounds).map(|round| {
            let lines = (1..=depth).map(|place| self.request(round * depth + place)).collect();
            Turn { lines, answers: depth }
        }));
        turns
    }

    /// Returns the head and body of a request over HTTP.
    pub(super) fn post(&self, to: SocketAddr, id: u64, session: Option<&str>) -> Vec<u8> {
        let mut headers = match session {
            Some(session) => format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: {LEGACY}\r\n"),
            None => format!("MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {}\r\n", self.method),
        };
        if let (None, Some(name)) = (session, self.name_header) {
            headers += &format!("Mcp-Name: {name}\r\n");
        }
        post(to, &headers, self.request(id).trim_end())
    }

    fn request(&self, id: u64) -> String {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{}\",\"params\":{}}}\n", self.method, self.params)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_request_is_one_line_of_json_with_its_own_id() {
        for scenario in SCENARIOS {
            let turns = scenario.turns(3, 4);
            let lines: String = turns.iter().map(|turn| turn.lines.as_str()).collect();
            let ids: BTreeSet<u64> = lines
                .lines()
                .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
                .filter(|message| message["method"] == scenario.method)
                .map(|message| message["id"].as_u64().unwrap())
                .collect();
            assert_eq!(ids, (1..=12).collect(), "{}", scenario.name);
            let requests = lines.lines().filter(|line| line.contains("\"id\"")).count() as u64;
            assert_eq!(turns.iter().map(|turn| turn.answers).sum::<u64>(), requests);
        }
    }
}
