//! Servers that do what a test wants, in Python.

/// A legacy server: one line in, one line out. What a tool does is its name.
pub(crate) const LEGACY: &str = r#"
import json, os, sys, time
def say(message): sys.stdout.write(json.dumps(message) + "\n"); sys.stdout.flush()
def answer(id, result): say({"jsonrpc": "2.0", "id": id, "result": result})
EVIL = "evil\x1b]0;title\x07\u202e\r\nsecond"
TOOLS = [
    {"name": "text", "description": EVIL, "inputSchema": {"type": "object", "properties": {"n": {"type": "integer", "description": EVIL}}}},
    {"name": "fail", "inputSchema": {"type": "object"}},
    {"name": "refuse", "inputSchema": {"type": "object"}},
    {"name": "hang", "inputSchema": {"type": "object"}},
    {"name": "die", "inputSchema": {"type": "object"}},
    {"name": "env", "inputSchema": {"type": "object"}},
    {"name": "arguments", "inputSchema": {"type": "object", "additionalProperties": True}},
    {"name": "progress", "inputSchema": {"type": "object"}},
    {"name": "junk", "inputSchema": {"type": "object"}},
]
for line in sys.stdin:
    m = json.loads(line)
    method, id, params = m.get("method"), m.get("id"), m.get("params") or {}
    if method == "initialize":
        answer(id, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}, "prompts": {}, "resources": {}, "logging": {}},
            "serverInfo": {"name": "py\x1b[31m", "version": "1"}, "instructions": "Be\x9bkind."})
    elif method == "tools/list": answer(id, {"tools": TOOLS})
    elif method == "resources/list": answer(id, {"resources": []})
    elif method == "prompts/list": answer(id, {"prompts": [{"name": "p", "arguments": [{"name": "a", "required": True}]}]})
    elif method == "prompts/get": answer(id, {"messages": [
        {"role": "user", "content": {"type": "text", "text": params["arguments"]["a"]}},
        {"role": "assistant", "content": {"type": "text", "text": "yes"}}]})
    elif method == "resources/read": answer(id, {"contents": [{"uri": params["uri"], "blob": "AAEC/w=="}]})
    elif method == "logging/setLevel":
        say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "error", "logger": "py", "data": "log\x1b[2J"}})
        answer(id, {})
    elif method == "tools/call":
        name, a = params["name"], params.get("arguments") or {}
        text, wrong = EVIL, False
        if name == "fail": text, wrong = "it went wrong", True
        if name == "refuse":
            say({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": "no\x1b[2J"}}); continue
        if name == "hang": continue
        if name == "die": sys.stderr.write("out of cheese\x1b[2J\n"); sys.stderr.flush(); os._exit(3)
        if name == "env": text = json.dumps({"env": dict(os.environ), "cwd": os.getcwd()})
        if name == "arguments": text = json.dumps(a, sort_keys=True)
        if name == "junk":
            say({"jsonrpc": "2.0", "id": id, "result": {"content": "nonsense"}}); continue
        if name == "progress":
            for n in (1, 2):
                say({"jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": params["_meta"]["progressToken"], "progress": n, "total": 2, "message": "step"}})
        answer(id, {"content": [{"type": "text", "text": text}], "isError": wrong})
    elif id is not None:
        say({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no such method"}})
"#;

/// The words that start it.
pub(crate) fn legacy() -> [&'static str; 3] {
    ["python3", "-c", LEGACY]
}
