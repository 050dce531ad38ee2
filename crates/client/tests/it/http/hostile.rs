//! HTTP servers that lie, redirect, flood, stall and die.

use super::site::{Site, check};
use crate::script::{name, paused};
use jackfield_client::Client;

/// T-031, T-053, T-116, HTTP-016, HTTP-110, HTTP-111: servers misbehave, each in its own way; hostile.txt says
/// how. Every request ends with a definite outcome, and nothing is ever sent to another host.
#[test]
fn every_hostile_server_is_survived() {
    let text = include_str!("hostile.txt")
        .replace("$ctl", "\u{1}")
        .replace("$longid", &"a".repeat(5000))
        .replace("$long", &"x".repeat(100_000));
    let scripts: Vec<_> = text.split("\n== ").skip(1).map(|section| section.split_once('\n').unwrap()).collect();
    assert!(scripts.len() >= 50, "only {} scripts", scripts.len());
    let mut failed = Vec::new();
    for (title, script) in scripts {
        let script: Vec<_> = script.lines().filter(|line| !line.starts_with('#')).collect();
        if std::panic::catch_unwind(|| check(&script.join("\n"))).is_err() {
            failed.push(title);
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// T-116: the connection is cut after every single byte of an answer, as JSON and as a stream; the call ends as lost or as
/// answered, and the next one works.
#[test]
fn an_answer_may_end_after_any_byte() {
    let body = r#"{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[]}}"#;
    let json = format!(
        "HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: {}\\r\\n\\r\\n{body}",
        body.len()
    );
    let event = format!("data: {body}\\n\\n");
    let length = event.len() - 2;
    let sse = format!(
        "HTTP/1.1 200 OK\\r\\ncontent-type: text/event-stream\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n{length:x}\\r\\n{event}\\r\\n0\\r\\n\\r\\n"
    );
    for (answer, needed) in [(&json, json.len()), (&sse, sse.len() - "\\r\\n0\\r\\n\\r\\n".len())] {
        let cuts = (0..=answer.len()).filter(|cut| !answer[..*cut].ends_with('\\'));
        for cut in cuts {
            paused(async {
                let site = Site::default();
                site.modern();
                site.reply("tools/call", format!("raw {}", &answer[..cut]));
                site.reply("tools/call", r#"200 json {"result":{"resultType":"complete","content":[]}}"#);
                let client = Client::connect(site.http()).await.unwrap();
                let outcome = client.call("t", ()).await;
                let wanted = if cut >= needed { "ok" } else { "lost" };
                assert_eq!(name(&outcome), wanted, "cut after {cut} bytes of {answer}: {outcome:?}");
                assert_eq!(name(&client.call("t", ()).await), "ok");
            });
        }
    }
}
