//! Questions of servers on their way to callers.

use jackfield::protocol::{ElicitAction, ElicitResult, Revision, Root};
use jackfield::testing::TestClient;
use jackfield::tools;
use jackfield_gateway::Gateway;
use serde_json::json;

use crate::backend::{self, Place, behind, caller_of, client_of, demo, gateway};

fn accepted(name: &str) -> ElicitResult {
    let mut answer = ElicitResult::new(ElicitAction::Accept);
    answer.content = serde_json::from_value(json!({"name": name})).unwrap();
    answer
}

fn person(server: jackfield::Server, revision: Revision) -> TestClient {
    TestClient::with_revision(server, revision)
        .on_elicit(|question| {
            let json = serde_json::to_value(&question).unwrap();
            let name = if json["message"] == "Who is there?" { "Ada" } else { "Bob" };
            accepted(name)
        })
        .with_roots([Root::new("file:///home/ada")])
}

fn with_elicitation() -> impl Iterator<Item = Revision> {
    Revision::ALL.into_iter().filter(|revision| revision.has_elicitation())
}

/// PAT-034, CLI-049: whichever way a server asks, the caller is asked in its own way, and the server gets the answers.
#[tokio::test]
async fn questions_pass_between_any_two_revisions() {
    for backend in with_elicitation() {
        for caller in with_elicitation() {
            let client = person(gateway(backend), caller);
            let greeted = client.call_tool("demo__greet", json!({})).await.unwrap();
            assert_eq!(greeted.content[0].as_text(), Some("hello Ada and Bob"), "{caller} to {backend}");
            let folders = client.call_tool("demo__folders", json!({})).await.unwrap();
            assert_eq!(folders.content[0].as_text(), Some("file:///home/ada"), "{caller} to {backend}");
        }
    }
}

/// What a server takes from a client it also takes from one behind the gateway: members that the form does not have, and `null` for what was
/// left empty.
#[tokio::test]
async fn answers_with_more_or_less_than_the_form_has_are_taken() {
    for backend in with_elicitation() {
        for caller in with_elicitation() {
            let answer = |_| {
                let mut answer = ElicitResult::new(ElicitAction::Accept);
                answer.content = serde_json::from_value(json!({"name": "Ada", "nick": null, "extra": 1})).unwrap();
                answer
            };
            let direct = TestClient::with_revision(demo().tools(tools![backend::introduce]), caller).on_elicit(answer);
            let place = Place::new(demo().tools(tools![backend::introduce]), backend);
            let gateway = behind(Gateway::new("gateway"), "demo", &place).server().unwrap();
            let through = TestClient::with_revision(gateway, caller).on_elicit(answer);
            for (client, tool) in [(direct, "introduce"), (through, "demo__introduce")] {
                let said = client.call_tool(tool, json!({})).await.unwrap();
                assert_eq!(said.content[0].as_text(), Some("Ada None"), "{caller} to {backend}: {tool}");
            }
        }
    }
}

/// A server of the legacy era that takes a question back and goes on must not wait for the person who has still the old one.
#[tokio::test(start_paused = true)]
async fn a_question_that_is_taken_back_ends_at_the_caller() {
    let place = Place::new(demo().tools(tools![backend::undecided]), Revision::V2025_11_25);
    let gateway = behind(Gateway::new("gateway"), "demo", &place).server().unwrap();
    let (given_up, mut is_given_up) = tokio::sync::mpsc::channel::<()>(1);
    let builder = jackfield_client::Client::builder().revision(Revision::V2025_11_25).on_form(move |form| {
        let given_up = given_up.clone();
        async move {
            if form.message == "Who is there?" {
                // Dropped when the question is taken back, and not before.
                let _asked = Told(given_up);
                return std::future::pending().await;
            }
            Ok(accepted("Bob"))
        }
    });
    let mut tasks = tokio::task::JoinSet::new();
    let client = client_of(gateway, builder, &mut tasks).await;
    let begun = tokio::time::Instant::now();
    let said = client.call("demo__undecided", ()).await.unwrap();
    assert_eq!(said.text(), "Bob");
    assert_eq!(begun.elapsed().as_secs(), 1, "when it is taken back, and not when it would have run out");
    assert_eq!(is_given_up.recv().await, Some(()));
}

/// Tells when it is dropped.
struct Told(tokio::sync::mpsc::Sender<()>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.try_send(()).unwrap();
    }
}

/// A server that hears of the caller with each request is told what that caller can do; another one is refused as the caller would
/// have refused it.
#[tokio::test]
async fn a_caller_is_not_asked_what_it_can_not_answer() {
    for caller in [Revision::V2024_11_05, Revision::V2025_11_25, Revision::LATEST] {
        let client = TestClient::with_revision(gateway(Revision::LATEST), caller);
        let able = client.call_tool("demo__able", json!({})).await.unwrap();
        assert_eq!(able.content[0].as_text(), Some("false false false"), "{caller}");
        let refused = client.call_tool("demo__greet", json!({})).await.unwrap_err();
        assert_eq!(refused.code, -32021, "{caller}: {refused:?}");

        let client = TestClient::with_revision(gateway(Revision::V2025_11_25), caller);
        let refused = client.call_tool("demo__greet", json!({})).await.unwrap();
        let words = refused.content[0].as_text().unwrap();
        assert!(refused.is_failure() && words.contains("elicitation/create"), "{caller}: {refused:?}");
    }
    let client = person(gateway(Revision::LATEST), Revision::LATEST);
    let able = client.call_tool("demo__able", json!({})).await.unwrap();
    assert_eq!(able.content[0].as_text(), Some("true false true"));
}

/// An answer belongs to the call that it was asked for: whoever brings it with another one, or too late, is refused.
#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_too_late_is_refused() {
    let client = person(gateway(Revision::V2025_11_25), Revision::LATEST);
    let call = json!({"name": "demo__greet", "arguments": {}});
    let asked = client.request("tools/call", call.clone()).await.unwrap();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let state = asked["requestState"].clone();
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let answers = json!({key: {"action": "accept", "content": {"name": "Ada"}}});
    let mut other = json!({"name": "demo__folders", "arguments": {}, "requestState": state, "inputResponses": answers});
    assert_eq!(client.request("tools/call", other.clone()).await.unwrap_err().code, -32602);

    jackfield_testkit::pass(std::time::Duration::from_secs(11 * 60)).await;
    other["name"] = "demo__greet".into();
    let refused = client.request("tools/call", other).await.unwrap_err();
    assert!(refused.code == -32602 && refused.message.contains("call again"), "{refused:?}");
}

/// T-172 in part: a server that gives up its question ends the call, but a caller of the modern era may still come for the outcome. Those that never do
/// must not keep everybody else out.
#[tokio::test(start_paused = true)]
async fn callers_that_never_come_back_keep_nobody_out() {
    let place = Place::new(demo().tools(tools![backend::impatient]), Revision::V2025_11_25);
    // Three hundred of them wait at a time: each for ten minutes, and the next begins two seconds later.
    let gateway = Gateway::new("gateway").calls_per_caller(350);
    let client = person(behind(gateway, "demo", &place).server().unwrap(), Revision::LATEST);
    let call = json!({"name": "demo__impatient", "arguments": {}});
    for _ in 0..400 {
        let asked = client.request("tools/call", call.clone()).await.unwrap();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        jackfield_testkit::pass(std::time::Duration::from_secs(2)).await;
    }
    // One that comes back in time gets what there is.
    let asked = client.request("tools/call", call.clone()).await.unwrap();
    jackfield_testkit::pass(std::time::Duration::from_secs(9 * 60)).await;
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let mut again = call;
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({key: {"action": "accept", "content": {"name": "Ada"}}});
    let late = client.request("tools/call", again).await.unwrap();
    assert_eq!(late["content"][0]["text"], "too late", "{late}");
}

/// T-138: a server of the legacy era does not say what its question is about. Of two callers neither is asked in place of the other.
#[tokio::test]
async fn a_question_never_reaches_another_caller() {
    let place = Place::new(demo(), Revision::V2025_11_25);
    let server = behind(Gateway::new("gateway"), "demo", &place).server().unwrap();
    let built = server.start().await.unwrap();
    // Two connections to the same gateway.
    let mut tasks = tokio::task::JoinSet::new();
    let mut callers = Vec::new();
    for _ in 0..2 {
        let builder = jackfield_client::Client::builder().on_form(|_| async { Ok(accepted("Ada")) });
        callers.push(caller_of(&built, builder, &mut tasks).await);
    }
    let greeted = callers[0].call("demo__greet", ()).await.unwrap();
    assert_eq!(greeted.text(), "hello Ada and Ada");

    let waiting = callers[1].call("demo__hang", ());
    tokio::select! {
        answer = waiting => panic!("{answer:?}"),
        refused = async {
            // The other call is under way as soon as the gateway has it, which it has before it gets this one.
            callers[1].ping().await.unwrap();
            callers[0].call("demo__greet", ()).await
        } => {
            let refused = refused.unwrap();
            assert!(refused.is_failure() && refused.text().contains("several callers"), "{refused:?}");
        }
    }
    built.stop().await;
}
