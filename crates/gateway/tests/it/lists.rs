//! Lists of servers that cannot be read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jackfield::Server;
use jackfield::middleware::MethodName;
use jackfield::protocol::AnyResult;
use jackfield::protocol::{CallToolResult, Method, Outcome, Revision, Schema, Tool};
use jackfield_client::{Client, Event};
use jackfield_gateway::Gateway;
use serde_json::json;
use tokio::task::JoinSet;

use crate::backend::{Place, behind, client_of, demo};

/// What a server does when it is asked for its prompts.
#[derive(Clone, Copy)]
enum Prompts {
    /// It says nothing.
    Hang,
    /// There is always another page.
    NeverEnd,
}

/// A server whose prompts cannot be read, and how often it was asked for them.
fn without_prompts(server: Server, prompts: Prompts) -> (Server, Arc<AtomicUsize>) {
    let asked: Arc<AtomicUsize> = Arc::default();
    let count = asked.clone();
    let server = server.middleware(move |incoming, next| {
        let page =
            (incoming.method == MethodName::Known(Method::ListPrompts)).then(|| count.fetch_add(1, Ordering::SeqCst));
        async move {
            match (page, prompts) {
                (None, _) => next.run(incoming).await,
                (Some(_), Prompts::Hang) => std::future::pending().await,
                (Some(page), Prompts::NeverEnd) => {
                    let result =
                        json!({"prompts": [], "nextCursor": page.to_string(), "ttlMs": 0, "cacheScope": "private"});
                    Ok(Outcome::Complete(AnyResult::from(result)))
                }
            }
        }
    });
    (server, asked)
}

/// T-133 in part: a server that never answers for one of its lists is asked for it again and again, but not without a pause; what else it
/// has and tells is passed on at once.
#[tokio::test(start_paused = true)]
async fn a_list_that_hangs_holds_up_nothing_else() {
    let server = demo();
    let registry = server.registry();
    let (hanging, asked) = without_prompts(server, Prompts::Hang);
    let place = Place::new(hanging, Revision::LATEST);
    let gateway = behind(Gateway::new("gateway"), "demo", &place).server().unwrap();
    let mut tasks = JoinSet::new();
    let client = client_of(gateway, Client::builder(), &mut tasks).await;
    // So long the server is waited for at first.
    jackfield_testkit::pass(Duration::from_secs(61)).await;
    let mut subscription = client.subscribe().tools().resource("note://demo/first").await.unwrap();
    let soon = Duration::from_secs(1);
    for n in 0..40 {
        registry.resources().updated("note://first");
        let told = tokio::time::timeout(soon, subscription.next()).await.expect("it is told soon");
        assert_eq!(told.unwrap().unwrap(), Event::ResourceUpdated("note://demo/first".to_owned()), "{n}");
        let tool = Tool::new(format!("late{n}"), Schema::new(&json!({"type": "object"})).unwrap());
        registry.tools().insert(tool, |_, _| async { CallToolResult::text("") }).unwrap().keep();
        let told = tokio::time::timeout(soon, subscription.next()).await.expect("it is looked at soon");
        assert_eq!(told.unwrap().unwrap(), Event::ToolsChanged, "{n}");
        jackfield_testkit::pass(Duration::from_secs(7)).await;
    }
    let before = asked.load(Ordering::SeqCst);
    jackfield_testkit::pass(Duration::from_secs(60 * 60)).await;
    // A minute for each time it is asked, and a minute of pause.
    let asked = asked.load(Ordering::SeqCst) - before;
    assert!((25..35).contains(&asked), "{asked}");
}

/// A list with more pages than are read does not become shorter by asking again.
#[tokio::test(start_paused = true)]
async fn a_list_that_is_too_long_is_asked_for_once() {
    let (endless, asked) = without_prompts(demo(), Prompts::NeverEnd);
    let place = Place::new(endless, Revision::LATEST);
    let gateway = behind(Gateway::new("gateway"), "demo", &place).server().unwrap();
    let mut tasks = JoinSet::new();
    let client = client_of(gateway, Client::builder(), &mut tasks).await;
    assert!(!client.tools().all().await.unwrap().is_empty());
    jackfield_testkit::pass(Duration::from_secs(1)).await;
    let pages = asked.load(Ordering::SeqCst);
    assert!(pages > 100, "{pages}");
    jackfield_testkit::pass(Duration::from_secs(10 * 60)).await;
    assert_eq!(asked.load(Ordering::SeqCst), pages);
    assert!(client.prompts().all().await.unwrap().is_empty());
}
