//! Servers as child processes: started, watched, started again, ended.

#![cfg(unix)]

use std::future::IntoFuture;
use std::time::Duration;

use jackfield_client::{Client, Command, Event, Restarts, Timeouts};
use jackfield_peer::child::{Command as Child, Ending};
use jackfield_testkit::eventually;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::script::{end_reason, name};

/// A server in Python: legacy, one line in, one line out. What the tool does is its name.
const SERVER: &str = r#"
import json, os, sys, subprocess, signal
def say(message): sys.stdout.write(json.dumps(message) + "\n"); sys.stdout.flush()
for line in sys.stdin:
    m = json.loads(line)
    method, id = m.get("method"), m.get("id")
    if method == "initialize":
        say({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}, "resources": {"subscribe": True}}, "serverInfo": {"name": "py", "version": "1"}}})
    elif method == "tools/call":
        name, a = m["params"]["name"], m["params"].get("arguments") or {}
        out = str(os.getpid())
        if name == "die": os._exit(3)
        if name == "kill": os.kill(os.getpid(), signal.SIGKILL)
        if name == "hang": continue
        if name == "env": out = json.dumps(dict(os.environ))
        if name == "cwd": out = os.getcwd()
        if name == "stderr": sys.stderr.write("x" * a["n"] + "end"); sys.stderr.flush()
        if name == "child": out = str(subprocess.Popen(["sleep", "600"]).pid)
        if name == "deaf": signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if name == "half": sys.stdout.write('{"jsonrpc":"2.0","id":'); sys.stdout.flush(); os._exit(0)
        say({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": out}]}})
    elif method == "resources/subscribe":
        say({"jsonrpc": "2.0", "id": id, "result": {}})
    elif id is not None:
        say({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}})
"#;

fn python(source: &str) -> Command {
    Command::new("python3").args(["-c", source]).grace(Duration::from_secs(20))
}

fn quick() -> Restarts {
    let mut restarts = Restarts::default();
    restarts.first = Duration::from_millis(1);
    restarts.longest = Duration::from_millis(5);
    restarts
}

async fn spawn() -> Client {
    Client::builder().restarts(quick()).spawn(python(SERVER)).await.unwrap()
}

/// Runs a test with a real clock; the limit is far above what any of them takes.
fn real<T>(test: impl Future<Output = T>) -> T {
    real_within(Duration::from_secs(120), test)
}

fn real_within<T>(limit: Duration, test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(limit, test).await.expect("the test hangs") })
}

async fn text(client: &Client, tool: &str, arguments: serde_json::Value) -> String {
    client.call(tool, arguments).await.unwrap().text()
}

/// Whether a process exists and is no zombie.
fn lives(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Whether a process is gone without a trace: not even a zombie is left.
fn is_gone(pid: &str) -> bool {
    !std::path::Path::new(&format!("/proc/{pid}")).exists()
}

/// Waits until a condition holds that the kernel will make true by itself. Processes that are not our children tell us nothing.
async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    eventually(what, async || holds()).await;
}

/// STDIO-002, STDIO-013, LIFE-020: a server is started, used and ended; nothing of it stays.
#[test]
fn a_server_is_started_and_ended() {
    real(async {
        let client = spawn().await;
        assert_eq!(client.server().unwrap().info.as_ref().unwrap().name, "py");
        let pid = text(&client, "pid", json!({})).await;
        assert!(lives(&pid));
        client.close().await;
        assert!(is_gone(&pid));
    });
}

/// T-117, BASE-038: no shell sees the arguments, and only allowed variables are seen by the server, which takes credentials from there.
#[test]
fn arguments_and_environment_are_what_was_given() {
    real(async {
        let hostile = ["$(touch /tmp/pwned)", "; rm x", "`id`", "-x", "--", "\"'\n", "a b"];
        let source = format!(
            "import sys; ARGS = sys.argv[1:]\n{}",
            SERVER.replace("out = os.getcwd()", "out = json.dumps(ARGS)")
        );
        let command = Command::new("python3").args(["-c", &source]).args(hostile).env("GIVEN", "yes").directory("/");
        let client = Client::builder().spawn(command).await.unwrap();
        let seen: Vec<String> = serde_json::from_str(&text(&client, "cwd", json!({})).await).unwrap();
        assert_eq!(seen, hostile);
        let environment: serde_json::Value = serde_json::from_str(&text(&client, "env", json!({})).await).unwrap();
        assert_eq!(environment["GIVEN"], "yes");
        assert!(environment.get("CARGO_MANIFEST_DIR").is_none(), "our own environment leaks");
        assert!(environment.get("PATH").is_some());
        client.close().await;

        let command = python(SERVER).directory("/").inherit("CARGO_MANIFEST_DIR");
        let client = Client::builder().spawn(command).await.unwrap();
        assert_eq!(text(&client, "cwd", json!({})).await, "/");
        let environment: serde_json::Value = serde_json::from_str(&text(&client, "env", json!({})).await).unwrap();
        assert!(environment.get("CARGO_MANIFEST_DIR").is_some());
        client.close().await;
    });
}

/// BASE-035: the server belongs to the client, and outlives the task that started it and each that used it.
#[test]
fn a_server_outlives_the_tasks_that_use_it() {
    real(async {
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(spawn());
        let client = tasks.join_next().await.unwrap().unwrap();
        let mut pids = tokio::task::JoinSet::new();
        for _ in 0..3 {
            let client = client.clone();
            pids.spawn(async move { text(&client, "pid", json!({})).await });
        }
        let pids = pids.join_all().await;
        let pid = text(&client, "pid", json!({})).await;
        assert!(pids.iter().all(|seen| *seen == pid) && lives(&pid), "{pids:?} {pid}");
        // Nor does a task that is ended in the middle of a call take the server along.
        let (given_up, used) = (client.clone(), client.clone());
        tasks.spawn(async move {
            let _ = given_up.call("hang", json!({})).await;
            used
        });
        tasks.shutdown().await;
        assert_eq!(text(&client, "pid", json!({})).await, pid);
        client.close().await;
    });
}

/// STDIO-004, T-117: standard error is kept up to a limit, and means nothing for the protocol.
#[test]
fn standard_error_is_kept_and_bounded() {
    real(async {
        let client = Client::builder().spawn(python(SERVER).stderr_bytes(1000)).await.unwrap();
        for size in [10, 10_000_000] {
            text(&client, "stderr", json!({"n": size})).await;
        }
        until("the end arrives", || {
            client.stderr().unwrap().len() == 1000 && client.stderr().unwrap().ends_with("end")
        })
        .await;
        client.close().await;
    });
}

/// STDIO-015, T-116: a server killed in mid-call ends the call with a clear error, and is started again for the next.
#[test]
fn a_dead_server_is_started_again() {
    real(async {
        let client = spawn().await;
        for (tool, reason) in [("kill", "signal: 9"), ("die", "exit status: 3"), ("half", "exit status: 0")] {
            let before = text(&client, "pid", json!({})).await;
            let (died, waiting) =
                tokio::join!(client.call(tool, ()).into_future(), client.call("hang", ()).into_future());
            for outcome in [died, waiting] {
                let cause = end_reason(outcome);
                assert!(cause.contains(reason) || tool == "half", "{cause}");
            }
            let after = text(&client, "pid", json!({})).await;
            assert_ne!(before, after);
            assert!(is_gone(&before), "a zombie is left");
        }
        client.close().await;
    });
}

/// T-116: killed in mid-call, the caller knows each time. Five times unless the variable `JACKFIELD_KILLS` says how often.
#[test]
fn every_death_is_noticed() {
    let kills = std::env::var("JACKFIELD_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(5);
    real_within(Duration::from_secs(120).saturating_mul(kills), async move {
        let mut restarts = quick();
        restarts.limit = u32::MAX;
        let client = Client::builder().restarts(restarts).spawn(python(SERVER)).await.unwrap();
        let mut longest = Duration::ZERO;
        for _ in 0..kills {
            // The server is there again before the clock starts.
            text(&client, "pid", json!({})).await;
            let begun = std::time::Instant::now();
            assert_eq!(name(&client.call("kill", ()).await), "lost");
            longest = longest.max(begun.elapsed());
        }
        println!("{kills} deaths; the caller knew after {longest:?} at most");
        assert!(lives(&text(&client, "pid", json!({})).await));
        client.close().await;
    });
}

/// A modern server that notes what it is asked to listen for, and tells of a change as soon as it is started again.
const MODERN: &str = r#"
import json, os, signal, sys
def say(message): sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n"); sys.stdout.flush()
notes = open(sys.argv[1], "a+")
for line in sys.stdin:
    m = json.loads(line)
    if m["method"] == "server/discover":
        say({"id": m["id"], "result": {"resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {"listChanged": True}}}})
    elif m["method"] == "tools/call": os.kill(os.getpid(), signal.SIGKILL)
    elif m["method"] == "subscriptions/listen":
        notes.seek(0)
        is_second = bool(notes.read())
        notes.write(json.dumps(m["params"]["notifications"]) + "\n"); notes.flush()
        meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": m["id"]}}
        say({"method": "notifications/subscriptions/acknowledged", "params": {"notifications": m["params"]["notifications"], **meta}})
        if is_second: say({"method": "notifications/tools/list_changed", "params": meta})
"#;

/// A file of a test's own, that is removed in the end.
struct Notes(std::path::PathBuf);

impl Notes {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("jackfield-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        Self(path)
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// PAT-068: a modern server that was killed is asked again to listen, for the same, and its notices are heard.
#[test]
fn listening_survives_a_restart() {
    real(async {
        let notes = Notes::new("listening");
        let command = Command::new("python3").args(["-c", MODERN]).args([&notes.0]);
        let client = Client::builder().restarts(quick()).spawn(command).await.unwrap();
        let mut events = client.subscribe().tools().resource("r://1").await.unwrap();
        assert_eq!(name(&client.call("kill", ()).await), "lost");
        assert_eq!(events.next().await.unwrap().unwrap(), Event::Reconnected);
        assert_eq!(events.next().await.unwrap().unwrap(), Event::ToolsChanged);
        let asked = std::fs::read_to_string(&notes.0).unwrap();
        let asked: Vec<serde_json::Value> = asked.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let filter = json!({"toolsListChanged": true, "resourceSubscriptions": ["r://1"]});
        assert_eq!(asked, [filter.clone(), filter]);
        client.close().await;
    });
}

/// A server that was started again may refuse what it granted before; whoever reads the subscription is told.
#[test]
fn a_subscription_that_is_refused_after_a_restart_ends() {
    real(async {
        let notes = Notes::new("refusing");
        let refuses = SERVER.replace(
            "        say({\"jsonrpc\": \"2.0\", \"id\": id, \"result\": {}})",
            "        end = {'error': {'code': -32602, 'message': 'gone'}} if os.path.exists(sys.argv[1]) else {'result': {}}\n        open(sys.argv[1], 'w')\n        say({'jsonrpc': '2.0', 'id': id, **end})",
        );
        assert_ne!(refuses, SERVER);
        let command = Command::new("python3").args(["-c", &refuses]).args([&notes.0]);
        let client = Client::builder().restarts(quick()).spawn(command).await.unwrap();
        let mut events = client.subscribe().resource("r://1").await.unwrap();
        assert_eq!(name(&client.call("kill", ()).await), "lost");
        assert_eq!(events.next().await.unwrap().unwrap(), Event::Reconnected);
        let refusal = events.next().await.unwrap().unwrap_err();
        assert_eq!(refusal.server_error().map(|error| error.code), Some(-32602), "{refusal:?}");
        assert!(events.next().await.is_none());
        client.close().await;
    });
}

/// Subscriptions to a server of the legacy era are opened again, and the reader is told that notices may have been lost.
#[test]
fn subscriptions_survive_a_restart() {
    real(async {
        let client = spawn().await;
        let mut events = client.subscribe().resource("r://1").await.unwrap();
        assert_eq!(name(&client.call("kill", ()).await), "lost");
        assert_eq!(events.next().await.unwrap().unwrap(), Event::Reconnected);
        client.close().await;
        assert!(events.next().await.is_none());
    });
}

/// STDIO-015: a server that was started again knows the log level that its predecessor was told.
#[test]
fn the_log_level_survives_a_restart() {
    real(async {
        let logs = SERVER
            .replace("\"tools\": {}", "\"tools\": {}, \"logging\": {}")
            .replace("out = os.getcwd()", "out = LEVEL")
            .replace("def say", "LEVEL = 'none'\ndef say")
            .replace("    elif id is not None:", "    elif method == 'logging/setLevel':\n        LEVEL = m['params']['level']\n        say({'jsonrpc': '2.0', 'id': id, 'result': {}})\n    elif id is not None:");
        let client = Client::builder().restarts(quick()).spawn(python(&logs)).await.unwrap();
        assert_eq!(text(&client, "cwd", json!({})).await, "none");
        client.set_log_level(jackfield_protocol::LoggingLevel::Warning).await.unwrap();
        assert_eq!(name(&client.call("kill", ()).await), "lost");
        assert_eq!(text(&client, "cwd", json!({})).await, "warning");
        client.close().await;
    });
}

/// STDIO-015: a server that dies again and again is given up.
#[test]
fn a_server_that_always_dies_is_given_up() {
    real(async {
        let dies = SERVER.replace(
            "for line in sys.stdin:",
            "import pathlib\nfor line in sys.stdin:\n    pathlib.Path(sys.argv[1]).open('a').write('x')",
        );
        let count = std::env::temp_dir().join(format!("jackfield-deaths-{}", std::process::id()));
        let once = format!("import sys, os\nif os.path.exists(sys.argv[1]): sys.exit(5)\n{dies}");
        let mut restarts = quick();
        restarts.limit = 2;
        let command = Command::new("python3").args(["-c", &once]).args([&count]);
        let client = Client::builder().restarts(restarts).spawn(command).await.unwrap();
        assert_eq!(name(&client.call("die", ()).await), "lost");
        assert_eq!(name(&client.call("pid", ()).await), "closed");
        assert!(client.is_closed());
        let _ = std::fs::remove_file(count);
    });
}

/// STDIO-017: a server that ends because the first request is not `initialize` gets a second chance.
#[test]
fn a_server_that_ends_at_the_probe_is_asked_the_old_way() {
    real(async {
        let strict = SERVER.replace(
            "    elif id is not None:",
            "    elif method == 'server/discover': os._exit(1)\n    elif id is not None:",
        );
        let client = Client::builder().spawn(python(&strict)).await.unwrap();
        assert!(lives(&text(&client, "pid", json!({})).await));
        client.close().await;
    });
}

/// T-117: a program that does not exist, or says nothing and ends, is an error at once.
#[test]
fn a_program_that_is_no_server_is_an_error() {
    real(async {
        let missing = Client::spawn("/no/such/program", [""; 0]).await;
        assert_eq!(name(&missing), "unreachable");
        assert!(missing.unwrap_err().is_closed());
        assert_eq!(name(&Client::spawn("true", [""; 0]).await), "lost");
        assert_eq!(name(&Client::spawn("sh", ["-c", "echo Welcome; exit 7"]).await), "lost");
    });
}

/// LIFE-020, STDIO-013, T-117: a server that ignores everything is killed, together with what it started.
#[test]
fn a_deaf_server_is_killed_with_its_children() {
    real(async {
        let deaf = SERVER
            .replace("for line in sys.stdin:", "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nfor line in sys.stdin:");
        let deaf = format!("{deaf}\nwhile True: signal.pause()");
        let command = python(&deaf).grace(Duration::from_millis(50));
        let client = Client::builder().spawn(command).await.unwrap();
        let pid = text(&client, "pid", json!({})).await;
        let child = text(&client, "child", json!({})).await;
        assert!(lives(&child));
        client.close().await;
        assert!(is_gone(&pid));
        until("the grandchild ends too", || !lives(&child)).await;
    });
}

/// T-117: a server that ends by itself does not leave its children behind, even if they hold its output open.
#[test]
fn grandchildren_do_not_outlive_the_server() {
    real(async {
        let client = Client::builder().restarts(quick()).spawn(python(SERVER)).await.unwrap();
        let child = text(&client, "child", json!({})).await;
        assert_eq!(name(&client.call("die", ()).await), "lost");
        until("the grandchild ends", || !lives(&child)).await;
        client.close().await;
    });
}

/// T-117: dropping the client ends the server too.
#[test]
fn a_dropped_client_takes_its_server_along() {
    real(async {
        let client = spawn().await;
        let pid = text(&client, "pid", json!({})).await;
        let child = text(&client, "child", json!({})).await;
        drop(client);
        until("the server ends", || !lives(&pid) && !lives(&child)).await;
    });
}

/// LIFE-020: the steps of ending a process, in order.
#[test]
fn a_child_is_ended_as_gently_as_possible() {
    real(async {
        let cases = [
            ("cat", Ending::Itself),
            ("trap 'exit 0' TERM; echo ready; while :; do sleep 600 & wait; done", Ending::Asked),
            ("trap '' TERM; echo ready; while :; do sleep 600 & wait; done", Ending::Killed),
        ];
        for (script, wanted) in cases {
            let (stream, mut child) = Child::new("sh").args(["-c", script]).grace(GRACE).spawn().unwrap();
            let (mut reader, mut writer) = stream.into_parts();
            if wanted == Ending::Itself {
                writer.write_all(b"ready\n").await.unwrap();
            }
            let mut ready = [0; 6];
            reader.read_exact(&mut ready).await.unwrap();
            let pid = child.id().unwrap().to_string();
            drop(writer);
            assert_eq!(end_after(&wanted, &mut child).await, wanted, "{script}");
            assert!(is_gone(&pid));
        }
    });
}

/// How long a process may take for each step: much longer than a busy machine needs.
const GRACE: Duration = Duration::from_secs(20);

/// Ends a process. The clock jumps over the steps that it ignores, and runs while it should react.
async fn end_after(wanted: &Ending, child: &mut jackfield_peer::child::Child) -> Ending {
    let ignored = match wanted {
        Ending::Killed => 2,
        Ending::Asked => 1,
        _ => 0,
    };
    let mut ending = std::pin::pin!(child.end());
    tokio::time::pause();
    for _ in 0..ignored {
        tokio::select! {
            biased;
            ended = &mut ending => return ended,
            () = tokio::time::advance(GRACE + Duration::from_millis(1)) => {}
        }
    }
    tokio::time::resume();
    ending.await
}

/// LIFE-022: a server that never says anything does not block the start for ever, and is ended.
#[test]
fn a_silent_program_times_out() {
    real(async {
        let mut timeouts = Timeouts::default();
        timeouts.connect = Duration::from_millis(20);
        timeouts.probe = Duration::from_millis(1);
        let silent = Client::builder().timeouts(timeouts).spawn(Command::new("sleep").args(["600"])).await;
        assert_eq!(name(&silent), "timeout");
    });
}

#[test]
fn standard_error_is_heard_as_it_comes() {
    real(async {
        let (heard, mut hears) = tokio::sync::mpsc::channel(64);
        let command = python(SERVER).on_stderr(move |text| heard.try_send(text.to_vec()).unwrap());
        let client = Client::builder().spawn(command).await.unwrap();
        text(&client, "stderr", json!({"n": 3})).await;
        let mut all = Vec::new();
        while all.len() < 6 {
            all.extend(hears.recv().await.unwrap());
        }
        assert_eq!(all, b"xxxend");
        client.close().await;
    });
}

/// A server that ends at the probe is tried as an older one, once. If it refuses that as well, the one who starts it is told; it is not
/// started again and again.
#[test]
fn a_server_that_refuses_both_handshakes_is_given_up() {
    const SERVER: &str = r#"
import json, sys
m = json.loads(sys.stdin.readline())
if m["method"] != "initialize": sys.exit(1)
print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32000, "message": "bad API key"}}), flush=True)
"#;
    real(async {
        let refused = Client::builder().restarts(quick()).spawn(python(SERVER)).await.unwrap_err();
        assert_eq!(refused.server_error().unwrap().message, "bad API key", "{refused:?}");
    });
}
