//! Pages that a person is sent to, and who comes to them.

use std::sync::{Arc, Mutex};

use jackfield_peer::Principal;
use jackfield_server::{Cx, Handles, ProtocolError, Server};
use serde_json::{Value, json};

use crate::demo::plain;
use crate::talk::{Talk, runtime, started};

/// An account elsewhere that a user connects at a page: nothing, or what the other side gave for it.
type Account = Mutex<Option<String>>;

const THEIRS: &str = "token-of-the-other-side";

/// A server whose tool needs an account elsewhere. Its page would be at `https://mcp.example/connect`.
fn server(accounts: Arc<Handles<Account>>) -> Server {
    let mine: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    Server::new("x").tool(plain("files", move |cx: Cx| {
        let (accounts, mine) = (accounts.clone(), mine.clone());
        async move {
            let user = cx.auth().unwrap().subject.clone();
            let known = mine.lock().unwrap().iter().find(|(name, _)| *name == user).map(|(_, handle)| handle.clone());
            let handle = match known {
                Some(handle) => handle,
                None => {
                    let handle = accounts.insert(&cx, Account::default()).unwrap();
                    mine.lock().unwrap().push((user, handle.clone()));
                    handle
                }
            };
            let account = accounts.get(&cx, &handle).unwrap();
            let token = account.lock().unwrap().clone();
            match token {
                // What the token opens is told, the token is not.
                Some(token) => Ok(format!("{} files", token.len())),
                None => {
                    let url = format!("https://mcp.example/connect?visit={handle}");
                    Err::<String, ProtocolError>(cx.require_url("connect", "Please connect.", &url).await)
                }
            }
        }
    }))
}

/// What the page does when somebody opens it, who has logged in there as `visitor`.
fn page(accounts: &Handles<Account>, url: &str, visitor: &Principal) -> bool {
    let handle = url.rsplit_once("visit=").unwrap().1;
    match accounts.visit(visitor, handle) {
        Ok(account) => {
            *account.lock().unwrap() = Some(THEIRS.to_owned());
            true
        }
        Err(_) => false,
    }
}

/// Calls the tool, and returns all that the client sees of the answer.
async fn call(talk: &mut Talk) -> Value {
    talk.play("> 1 tools/call {\"name\": \"files\"}").await;
    talk.receive().await.unwrap()
}

fn url_in(answer: &Value) -> String {
    let page = [&answer["error"]["data"]["elicitations"][0], &answer["result"]["inputRequests"]["connect"]["params"]];
    page.into_iter().find_map(|page| page["url"].as_str()).unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// CLI-070, CLI-073, CLI-093, CLI-094, CLI-095: who opens the page must be who the page was made for, whatever the URL says; and what the
/// other side gave for the account never reaches a client.
#[test]
fn a_page_serves_only_whom_it_was_made_for() {
    for era in ["2025-11-25", "2026-07-28"] {
        runtime().block_on(async {
            let accounts = Arc::new(Handles::<Account>::new());
            let built = started(server(accounts.clone()));
            let user = |name: &str| Principal::new("https://issuer.example", name);
            // Clients come through a program, browsers do not.
            let mut alice = Talk::with(built.clone(), Some(user("alice").through("app")));
            let mut bob = Talk::with(built, Some(user("bob").through("app")));
            for talk in [&mut alice, &mut bob] {
                talk.play(&format!("@ {era} {{\"elicitation\": {{\"url\": {{}}}}}}")).await;
            }
            let url = url_in(&call(&mut alice).await);
            assert!(!url.contains("alice"), "the URL says nothing about the person: {url}");

            // Bob is tricked into opening the page of Alice, and so is somebody of the same name elsewhere.
            assert!(!page(&accounts, &url, &user("bob")));
            assert!(!page(&accounts, &url, &Principal::new("https://evil.example", "alice")));
            // Changed URLs are nobody's.
            for changed in [
                format!("{url}x"),
                url[..url.len() - 1].to_owned(),
                format!("{url}&user=bob"),
                url.to_uppercase().replace("VISIT=", "visit="),
            ] {
                assert!(!page(&accounts, &changed, &user("alice")), "{changed}");
                assert!(!page(&accounts, &changed, &user("bob")), "{changed}");
            }
            let other = url_in(&call(&mut bob).await);
            assert_ne!(url, other);
            assert!(!page(&accounts, &other, &user("alice")), "and the page of Bob is not hers");
            url_in(&call(&mut alice).await);

            assert!(page(&accounts, &url, &user("alice")));
            let seen = call(&mut alice).await;
            assert_eq!(seen["result"]["content"][0]["text"], json!(format!("{} files", THEIRS.len())));
            assert!(!seen.to_string().contains(THEIRS));
            url_in(&call(&mut bob).await);
        });
    }
}

/// CLI-093: without a user there is nobody who could be recognised at a page.
#[test]
fn nobodys_page_serves_nobody() {
    runtime().block_on(async {
        let accounts = Arc::new(Handles::<u8>::new());
        let kept = accounts.clone();
        let server = Server::new("x").tool(plain("open", move |cx: Cx| {
            let kept = kept.clone();
            async move { kept.insert(&cx, 1).unwrap() }
        }));
        let mut talk = Talk::new(server);
        talk.play("@ 2025-11-25\n> 1 tools/call {\"name\": \"open\"}\n< 1 {\"content\": [{\"text\": \"$handle\"}]}")
            .await;
        let handle = talk.known("$handle").as_str().unwrap().to_owned();
        assert!(accounts.visit(&Principal::new("https://issuer.example", "alice"), &handle).is_err());
        assert!(accounts.visit(&Principal::new("", ""), &handle).is_err());
    });
}

/// CLI-089: who somebody is comes from the credentials; what a client says about its user counts for nothing.
#[test]
fn a_client_can_not_say_who_its_user_is() {
    for era in ["2025-11-25", "2026-07-28"] {
        runtime().block_on(async {
            let server = started(Server::new("x").tool(plain("who", |cx: Cx| async move {
                cx.auth().map_or("nobody".to_owned(), |user| format!("{} of {}", user.subject, user.issuer))
            })));
            let lie = r#"{"name": "who", "arguments": {"user": "alice", "sub": "alice"}, "_meta": {"user": "alice", "sub": "alice", "io.modelcontextprotocol/user": "alice", "io.modelcontextprotocol/clientInfo": {"name": "alice", "version": "1"}}}"#;
            let mut mallory = Talk::of_user(&server, "mallory");
            mallory.play(&format!("@ {era}\n> 1 tools/call {lie}\n< 1 {{\"content\": [{{\"text\": \"mallory of https://issuer.example\"}}]}}")).await;
            let mut nobody = Talk::new(&server);
            nobody.play(&format!("@ {era}\n> 1 tools/call {lie}\n< 1 {{\"content\": [{{\"text\": \"nobody\"}}]}}")).await;
        });
    }
}
