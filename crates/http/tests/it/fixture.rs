//! A server to test the transport with: a handler written by hand.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::request::Parts;
use jackfield_http::{Authentication, Authenticator, BoundServer, HttpConfig, HttpServer, StreamableService};
use jackfield_peer::{
    Answering, CallLimits, Caller, Handler, Incoming, Principal, Reply, Session, Shutdown, ShutdownTrigger,
};
use jackfield_protocol::envelope::MethodName;
use jackfield_protocol::{AnyResult, ErrorObject, Method, Outcome, ParamHeader, Revision, Schema, param_headers};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, broadcast, mpsc};
use tokio::task::JoinSet;

/// The handler: a few tools, and what tests want to know of it.
pub(crate) struct Tools {
    /// Tools that wait, wait for a permit of this.
    pub(crate) gate: Arc<Semaphore>,
    /// Tells what happens inside handlers.
    pub(crate) seen: mpsc::Sender<String>,
    /// Notices for listen streams.
    pub(crate) notices: broadcast::Sender<Value>,
    /// The session that was ready last.
    pub(crate) session: Mutex<Option<Arc<Session>>>,
    /// Who called the tool `who`.
    pub(crate) callers: Mutex<Vec<Arc<Caller>>>,
    pub(crate) running: Arc<AtomicUsize>,
    pub(crate) revisions: Vec<Revision>,
    limits: CallLimits,
    routed: Arc<[ParamHeader]>,
}

impl Tools {
    pub(crate) fn new() -> (Arc<Self>, mpsc::Receiver<String>) {
        Self::of(&Revision::ALL)
    }

    pub(crate) fn of(revisions: &[Revision]) -> (Arc<Self>, mpsc::Receiver<String>) {
        Self::with(revisions, CallLimits::default())
    }

    /// Tools with limits of their own.
    pub(crate) fn limited(change: impl FnOnce(&mut CallLimits)) -> (Arc<Self>, mpsc::Receiver<String>) {
        let mut limits = CallLimits::default();
        change(&mut limits);
        Self::with(&Revision::ALL, limits)
    }

    fn with(revisions: &[Revision], limits: CallLimits) -> (Arc<Self>, mpsc::Receiver<String>) {
        let (seen, receiver) = mpsc::channel(10_000);
        let schema = json!({ "type": "object", "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "count": { "type": "integer", "x-mcp-header": "Count" },
            "deep": { "type": "object", "properties": { "flag": { "type": "boolean", "x-mcp-header": "Flag" } } },
        }});
        let tools = Self {
            gate: Arc::new(Semaphore::new(0)),
            seen,
            notices: broadcast::channel(100).0,
            session: Mutex::new(None),
            callers: Mutex::default(),
            running: Arc::default(),
            revisions: revisions.to_vec(),
            limits,
            routed: param_headers(&Schema::new(&schema).unwrap()).unwrap().into(),
        };
        (Arc::new(tools), receiver)
    }

    fn call(&self, incoming: Incoming) -> Answering {
        let call: Call = match incoming.params.decode() {
            Ok(call) => call,
            Err(error) => return Answering::ready(Err(error)),
        };
        let argument = |name: &str| call.arguments.get(name).cloned().unwrap_or_default();
        match call.name.as_str() {
            "echo" | "routed" => Answering::ready(text(argument("text").as_str().unwrap_or("nothing"))),
            "missing" => {
                Answering::ready(Err(ErrorObject::missing_capability("sampling is needed", json!({ "sampling": {} }))))
            }
            "panic" => panic!("as asked"),
            "headers" => {
                let parts = incoming.extensions.get::<Parts>().unwrap();
                let names: Vec<_> = parts.headers.keys().map(|name| name.as_str().to_owned()).collect();
                Answering::ready(text(&format!("{} {}", parts.uri, names.join(","))))
            }
            "who" => {
                let caller = incoming.caller;
                let reply = text(&format!("{:?}", caller.principal.as_ref().map(|user| &user.subject)));
                self.callers.lock().unwrap().push(caller);
                Answering::ready(reply)
            }
            "count" => {
                let guard = Guard::new(self);
                let to = argument("to").as_u64().unwrap_or(3);
                Answering::later(async move {
                    let reply = count(incoming, to).await;
                    drop(guard);
                    reply
                })
            }
            "bulk" | "bulk_wait" | "reconnect_bulk" => {
                let gate = (call.name == "reconnect_bulk").then(|| self.gate.clone());
                let then = (call.name == "bulk_wait").then(|| self.gate.clone());
                let guard = Guard::new(self);
                let (to, bytes) = (argument("to").as_u64().unwrap_or(3), argument("bytes").as_u64().unwrap_or(1));
                Answering::later(async move {
                    if let Some(gate) = gate {
                        incoming.outlet.release(Duration::from_millis(25));
                        gate.acquire().await.unwrap().forget();
                    }
                    let padding = "x".repeat(bytes as usize);
                    for number in 1..=to {
                        let params = json!({ "progressToken": 1, "progress": number, "message": padding });
                        let message = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
                        let _ = incoming.outlet.notify(incoming.key, message.to_string().into_bytes()).await;
                    }
                    if let Some(gate) = then {
                        guard.tell("sent");
                        gate.acquire().await.unwrap().forget();
                    }
                    drop(guard);
                    text("sent")
                })
            }
            "post" | "try_post" => {
                let session = incoming.session.clone().unwrap();
                let times = argument("times").as_u64().unwrap_or(1) as usize;
                let params =
                    json!({ "level": "info", "data": argument("text").as_str().unwrap_or_default().repeat(times) });
                let message = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
                let message = message.to_string().into_bytes();
                if call.name == "try_post" {
                    return Answering::ready(text(&session.outlet().try_notify(None, message).to_string()));
                }
                Answering::later(async move { text(&format!("{:?}", session.outlet().notify(None, message).await)) })
            }
            "wait" => Answering::later(wait(incoming, self.gate.clone(), Guard::new(self))),
            "wait_after_notice" => {
                let (gate, guard) = (self.gate.clone(), Guard::new(self));
                Answering::later(async move {
                    notify(&incoming, 0).await;
                    wait(incoming, gate, guard).await
                })
            }
            "panic_later" => Answering::later(async {
                tokio::task::yield_now().await;
                panic!("as asked")
            }),
            "ask" => Answering::later(async move {
                let params = json!({ "message": "name?", "requestedSchema": { "type": "object", "properties": {} } });
                match incoming.outlet.ask("elicitation/create", params.to_string().into_bytes()).await {
                    Ok(answer) => text(&format!("answered {}", String::from_utf8_lossy(&answer))),
                    Err(error) => text(&format!("failed: {error}")),
                }
            }),
            "ask_elsewhere" => Answering::later(async move {
                let session = incoming.session.clone().unwrap();
                match session.outlet().ask("roots/list", Vec::new()).await {
                    Ok(answer) => text(&format!("answered {}", String::from_utf8_lossy(&answer))),
                    Err(error) => text(&format!("failed: {error}")),
                }
            }),
            "reconnect" => {
                let (gate, guard) = (self.gate.clone(), Guard::new(self));
                Answering::later(async move {
                    let released = incoming.outlet.release(Duration::from_millis(25));
                    guard.tell(&format!("released {released}"));
                    wait(incoming, gate, guard).await
                })
            }
            name => Answering::ready(Err(ErrorObject::invalid_params(format!("unknown tool {name}")))),
        }
    }

    fn listen(&self, incoming: Incoming) -> Answering {
        let mut notices = self.notices.subscribe();
        let guard = Guard::new(self);
        Answering::later(async move {
            let acknowledged =
                json!({ "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {} });
            let _ = incoming.outlet.notify(incoming.key, acknowledged.to_string().into_bytes()).await;
            guard.tell("listening");
            let shutdown = incoming.outlet.shutdown();
            loop {
                tokio::select! {
                    () = shutdown.triggered() => return Ok(Outcome::Complete(AnyResult::from(json!({})))),
                    Ok(notice) = notices.recv() => {
                        let _ = incoming.outlet.notify(incoming.key, notice.to_string().into_bytes()).await;
                    }
                }
            }
        })
    }
}

#[derive(serde::Deserialize)]
struct Call {
    name: String,
    #[serde(default)]
    arguments: HashMap<String, Value>,
}

impl Handler for Tools {
    fn handle(&self, incoming: Incoming) -> Answering {
        let revision = incoming.caller.revision;
        let MethodName::Known(method) = incoming.method else {
            return Answering::ready(Err(ErrorObject::method_not_found(incoming.method.as_str())));
        };
        match method {
            Method::Initialize if incoming.params.get("hang").is_some() => {
                let guard = Guard::new(self);
                Answering::later(async move {
                    let _guard = guard;
                    std::future::pending().await
                })
            }
            Method::Initialize => match incoming.params.get("fail") {
                Some(_) => Answering::ready(Err(ErrorObject::internal("as asked"))),
                None => ready(
                    json!({ "protocolVersion": revision, "capabilities": {}, "serverInfo": { "name": "test", "version": "1" } }),
                ),
            },
            Method::Initialized => {
                *self.session.lock().unwrap() = incoming.session;
                ready(json!({}))
            }
            Method::Discover => {
                ready(json!({ "resultType": "complete", "supportedVersions": [revision], "capabilities": {} }))
            }
            Method::Ping => ready(json!({})),
            Method::ListTools => ready(json!({ "tools": [] })),
            Method::ReadResource => ready(json!({ "contents": [] })),
            Method::CallTool => self.call(incoming),
            Method::Listen => self.listen(incoming),
            Method::RootsListChanged => {
                let guard = Guard::new(self);
                let gate = self.gate.clone();
                Answering::later(async move { wait(incoming, gate, guard).await })
            }
            _ => Answering::ready(Err(ErrorObject::method_not_found(method.name()))),
        }
    }

    fn revisions(&self) -> &[Revision] {
        &self.revisions
    }

    fn call_limits(&self) -> CallLimits {
        self.limits.clone()
    }

    fn param_headers(&self, tool: &str) -> Option<Arc<[ParamHeader]>> {
        (tool == "routed").then(|| self.routed.clone())
    }
}

fn ready(value: Value) -> Answering {
    Answering::ready(Ok(Outcome::Complete(AnyResult::from(value))))
}

fn text(text: &str) -> Reply {
    Ok(Outcome::Complete(AnyResult::from(json!({ "content": [{ "type": "text", "text": text }] }))))
}

async fn notify(incoming: &Incoming, progress: u64) {
    let message = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progressToken": 1, "progress": progress } });
    let _ = incoming.outlet.notify(incoming.key, message.to_string().into_bytes()).await;
}

async fn count(incoming: Incoming, to: u64) -> Reply {
    for number in 1..=to {
        notify(&incoming, number).await;
    }
    text("counted")
}

async fn wait(incoming: Incoming, gate: Arc<Semaphore>, guard: Guard) -> Reply {
    guard.tell(&format!(
        "waiting {}",
        incoming.id.as_ref().map_or("-".into(), |id| String::from_utf8_lossy(id.as_json()).into_owned())
    ));
    gate.acquire().await.unwrap().forget();
    guard.tell("released");
    text("waited")
}

/// Tells when a handler is dropped.
pub(crate) struct Guard(mpsc::Sender<String>, Arc<AtomicUsize>);

impl Guard {
    fn new(tools: &Tools) -> Self {
        tools.running.fetch_add(1, Ordering::SeqCst);
        Self(tools.seen.clone(), tools.running.clone())
    }

    fn tell(&self, what: &str) {
        self.0.try_send(what.to_owned()).unwrap();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Ordering::SeqCst);
        let _ = self.0.try_send("dropped".to_owned());
    }
}

/// A gate that believes the header `user`: a name, or `name through program`.
#[derive(Debug)]
pub(crate) struct Users;

impl Authenticator for Users {
    fn authenticate<'a>(&'a self, request: &'a mut Parts) -> Authentication<'a> {
        Box::pin(async move {
            if let Some(user) = request.headers.get("user").and_then(|user| user.to_str().ok()) {
                let principal = match user.split_once(" through ") {
                    Some((user, program)) => Principal::new("test", user).through(program),
                    None => Principal::new("test", user),
                };
                request.extensions.insert(principal);
            }
            Ok(())
        })
    }
}

/// A server that runs.
pub(crate) struct Fixture {
    pub(crate) address: SocketAddr,
    pub(crate) tools: Arc<Tools>,
    pub(crate) seen: mpsc::Receiver<String>,
    pub(crate) service: StreamableService,
    pub(crate) trigger: ShutdownTrigger,
    pub(crate) task: JoinSet<Result<(), jackfield_http::Error>>,
}

impl Fixture {
    pub(crate) async fn start() -> Self {
        Self::with(HttpConfig::default()).await
    }

    pub(crate) async fn with(config: HttpConfig) -> Self {
        let (tools, seen) = Tools::new();
        Self::run(tools, seen, config).await
    }

    /// A server whose handler has limits of its own.
    pub(crate) async fn limited(config: HttpConfig, change: impl FnOnce(&mut CallLimits)) -> Self {
        let (tools, seen) = Tools::limited(change);
        Self::run(tools, seen, config).await
    }

    pub(crate) async fn of(revisions: &[Revision]) -> Self {
        let (tools, seen) = Tools::of(revisions);
        Self::run(tools, seen, HttpConfig::default()).await
    }

    pub(crate) async fn run(tools: Arc<Tools>, seen: mpsc::Receiver<String>, config: HttpConfig) -> Self {
        let bound = HttpServer::new(tools.clone()).config(config).bind("127.0.0.1:0").await.unwrap();
        Self::serve(tools, seen, bound)
    }

    fn serve(tools: Arc<Tools>, seen: mpsc::Receiver<String>, bound: BoundServer) -> Self {
        let (trigger, shutdown) = Shutdown::new();
        let (address, service) = (bound.local_addr(), bound.service());
        let mut task = JoinSet::new();
        task.spawn(bound.serve(shutdown));
        Self { address, tools, seen, service, trigger, task }
    }

    pub(crate) async fn ask(&self, ask: &crate::client::Ask) -> crate::client::Answer {
        crate::client::Client::connect(self.address).await.ask(ask).await
    }

    /// Waits until a handler says so.
    pub(crate) async fn see(&mut self, what: &str) {
        loop {
            let seen = self.seen.recv().await.unwrap();
            if seen == what {
                return;
            }
        }
    }

    /// Lets so many waiting handlers go on.
    pub(crate) fn let_go(&self, count: usize) {
        self.tools.gate.add_permits(count);
    }
}
