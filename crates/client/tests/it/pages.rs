//! Pages that a server of 2025-11-25 wants a person to be at before it serves a request.

use std::sync::{Arc, Mutex};

use jackfield_client::{Builder, Client};
use jackfield_protocol::{ElicitAction, ElicitResult};
use serde_json::json;

use crate::script::{Pair, check, check_with, paused};

const REFUSAL: &str = r#"{"error":{"code":-32042,"message":"first","data":{"elicitations":[{"mode":"url","elicitationId":"e1","url":"https://example.com/","message":"go"}]}}}"#;

fn agreeing(action: ElicitAction) -> Builder {
    Client::builder().on_url(move |_| async move { Ok(ElicitResult::new(action)) })
}

/// CLI-055: the person is sent to the page, and the request is sent again; named again, the page's notice is waited for.
#[test]
fn requests_go_on_after_the_page() {
    check_with(
        agreeing(ElicitAction::Accept),
        &format!(
            r#"
            legacy 2025-11-25
            @ read = ok
            > resources/read
            < {REFUSAL}
            > resources/read
            < {{"result":{{"contents":[]}}}}
            @ prompt = ok
            > prompts/get
            < {REFUSAL}
            > prompts/get
            < {REFUSAL}
            <! {{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{{"elicitationId":"other"}}}}
            <! {{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{{"elicitationId":"e1"}}}}
            > prompts/get
            < {{"result":{{"messages":[]}}}}
            "#
        ),
    );
}

/// T-114: without a handler, without consent, without a notice and without an end the server's error is what the caller gets.
#[test]
fn the_error_is_given_back_in_the_end() {
    let once = format!(
        "legacy 2025-11-25\n@ read = server -32042\n> resources/read\n< {REFUSAL}\n@ ping = ok\n> ping\n< {{\"result\":{{}}}}"
    );
    check(&once);
    check_with(agreeing(ElicitAction::Decline), &once);
    check_with(agreeing(ElicitAction::Cancel), &once);
    let nameless = once.replace(r#""elicitationId":"e1","#, "");
    check_with(agreeing(ElicitAction::Accept), &nameless);
    let empty = once.replace(r#""elicitations":[{"#, r#""elicitations":[],"x":[{"#);
    check_with(agreeing(ElicitAction::Accept), &empty);
    // An older server has no business with this code.
    check_with(agreeing(ElicitAction::Accept), &once.replace("2025-11-25", "2025-06-18"));

    // The notice never comes.
    let twice = once.replace("@ ping", &format!("> resources/read\n< {REFUSAL}\n@ ping"));
    check_with(agreeing(ElicitAction::Accept), &twice);

    // Another page each time.
    let endless = REFUSAL.replace("e1", "e$n");
    let endless =
        once.replace(&format!("> resources/read\n< {REFUSAL}"), &format!("* 11 > resources/read ;; < {endless}"));
    check_with(agreeing(ElicitAction::Accept), &endless);

    // More pages than anyone would visit.
    let page = r#"{"mode":"url","elicitationId":"e","url":"https://example.com/","message":"go"}"#;
    let many = REFUSAL.replace("[{", &format!("[{}{{", format!("{page},").repeat(64)));
    let many = once.replace(REFUSAL, &many).replace("server -32042", "limit");
    check_with(agreeing(ElicitAction::Accept), &many);
}

/// CLI-057: notices about pages that nobody was sent to, or a second time, are ignored. The pages of an error are typed.
#[test]
fn only_news_about_known_pages_is_heard() {
    paused(async {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        let builder = agreeing(ElicitAction::Accept).on_url_completed(move |id| hears.lock().unwrap().push(id));
        let (client, mut server) = Pair::legacy(builder, "2025-11-25").await;
        let page = json!({"mode": "url", "message": "go", "url": "https://example.com/", "elicitationId": "known"});
        server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": page})).await;
        assert_eq!(server.receive().await.unwrap()["result"]["action"], "accept");
        for id in ["unknown", "known", "known"] {
            let params = json!({"elicitationId": id});
            server
                .send(&json!({"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": params}))
                .await;
        }
        let reading = client.read("r://1");
        let serve = async {
            server.expect("resources/read").await;
            server.close().await;
        };
        let (_, ()) = tokio::join!(reading, serve);
        assert_eq!(*heard.lock().unwrap(), ["known"]);
    });
    paused(async {
        let (client, mut server) = Pair::legacy(Client::builder(), "2025-11-25").await;
        let serve = async {
            let asked = server.expect("resources/read").await;
            let text = REFUSAL.replacen('{', &format!(r#"{{"jsonrpc":"2.0","id":{},"#, asked["id"]), 1);
            server.write(format!("{text}\n").as_bytes()).await;
        };
        let (outcome, ()) = tokio::join!(client.read("r://1"), serve);
        let pages = outcome.unwrap_err().required_pages().unwrap();
        assert_eq!((pages[0].url.as_str(), pages[0].elicitation_id.as_deref()), ("https://example.com/", Some("e1")));
    });
}
