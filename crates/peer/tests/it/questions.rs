//! Questions from a handler to the other side.

use std::time::Duration;

use jackfield_peer::{ByteStream, CallLimits, StreamLimits};
use serde_json::{Value, json};

use crate::script::{Client, cancel, legacy};

async fn asked() -> (Client, Value) {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    client.send(legacy(1, "ask")).await;
    let question = client.receive().await;
    assert_eq!(question["method"], "roots/list");
    (client, question)
}

/// BASE-006, BASE-008
#[tokio::test]
async fn an_answer_reaches_its_question() {
    let (mut client, first) = asked().await;
    client.send(legacy(2, "ask")).await;
    let second = client.receive().await;
    assert_ne!(first["id"], second["id"]);
    for (question, name) in [(second, "second"), (first, "first")] {
        client.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": {"n": name}}).to_string()).await;
    }
    let mut names = [client.receive().await, client.receive().await]
        .map(|a| (a["id"].as_i64(), a["result"]["answer"]["n"].clone()));
    names.sort_by_key(|(id, _)| *id);
    assert_eq!(names, [(Some(1), json!("first")), (Some(2), json!("second"))]);
}

#[tokio::test]
async fn an_error_reaches_its_question() {
    let (mut client, question) = asked().await;
    client
        .send(
            json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "no thanks"}}).to_string(),
        )
        .await;
    assert!(client.receive().await["error"]["message"].as_str().unwrap().contains("no thanks"));
}

/// T-116: an answer with both members is no answer.
#[tokio::test]
async fn an_ambiguous_answer_is_an_error() {
    let (mut client, question) = asked().await;
    client
        .send(
            json!({"jsonrpc": "2.0", "id": question["id"], "result": {}, "error": {"code": 1, "message": ""}})
                .to_string(),
        )
        .await;
    assert_eq!(client.receive().await["error"]["code"], -32603);
}

/// LIFE-022, LIFE-023: a question that is not answered in time is cancelled at the other side.
#[tokio::test(start_paused = true)]
async fn a_question_times_out_and_is_cancelled() {
    let (mut client, question) = asked().await;
    tokio::time::advance(CallLimits::default().question_timeout + Duration::from_secs(1)).await;
    let mut messages = [client.receive().await, client.receive().await];
    messages.sort_by_key(|message| message.get("id").is_some());
    assert_eq!(messages[0]["method"], "notifications/cancelled");
    assert_eq!(messages[0]["params"]["requestId"], question["id"]);
    assert!(messages[1]["error"]["message"].as_str().unwrap().contains("in time"));
}

/// PAT-001, PAT-004: cancelling the request cancels its question; a late answer is ignored.
#[tokio::test]
async fn cancelling_a_request_cancels_its_question() {
    let (mut client, question) = asked().await;
    client.send(cancel(1)).await;
    let note = client.receive().await;
    assert_eq!((&note["method"], &note["params"]["requestId"]), (&json!("notifications/cancelled"), &question["id"]));
    client.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": {}}).to_string()).await;
    assert_eq!(client.request(2, "x").await["id"], 2);
}

/// The end of the stream ends the wait.
#[tokio::test]
async fn a_question_ends_with_the_stream() {
    let (client, _) = asked().await;
    let rest = client.finish().await;
    assert_eq!(rest.len(), 1);
    assert!(rest[0]["error"]["message"].as_str().unwrap().contains("closed"));
}

/// An answer in a last line without a line end is not lost.
#[tokio::test]
async fn the_last_answer_needs_no_line_end() {
    let (client, question) = asked().await;
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"n": "last"}});
    let rest = client.finish_with(answer.to_string()).await;
    assert_eq!((rest.len(), &rest[0]["result"]["answer"]["n"]), (1, &json!("last")), "{rest:?}");
}

/// T-116, BASE-008: an answer that cannot be read ends its question. Its id is one of ours, so that nothing is written under it but the
/// answer to the request of that number.
#[tokio::test]
async fn an_answer_that_can_not_be_read_ends_its_question() {
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}"#, "[".repeat(200));
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":"{}"}}}}"#, "x".repeat(9000));
    let padded = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{}}}}{}"#, " ".repeat(9000));
    let cases =
        [r#"{"id":1,"result":{}}"#, r#"{"jsonrpc":"2.0","id":1,"result":{},"x":1,"x":2}"#, &deep, &long, &padded];
    for broken in cases {
        let mut limits = StreamLimits::default();
        limits.line_bytes = 8000;
        let mut client = Client::with(limits);
        client.initialize("2025-11-25").await;
        client.send(legacy(1, "ask")).await;
        assert_eq!(client.receive().await["id"], 1);
        client.send(broken).await;
        let answer = client.receive().await;
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(answer["id"] == 1 && message.contains("cannot be read"), "{answer}");
        assert_eq!(client.request(2, "x").await["id"], 2);
    }
}

/// The same in a batch, which is then answered without it.
#[tokio::test]
async fn an_answer_in_a_batch_that_can_not_be_read_ends_its_question() {
    let mut client = Client::new();
    client.initialize("2025-03-26").await;
    client.send(legacy(1, "ask")).await;
    assert_eq!(client.receive().await["id"], 1);
    client.send(format!(r#"[{{"id":1,"result":{{}}}},{}]"#, legacy(2, "x"))).await;
    let mut answers = [client.receive().await, client.receive().await];
    answers.sort_by_key(Value::is_array);
    assert_eq!(answers[0]["id"], 1);
    assert_eq!((answers[1].as_array().unwrap().len(), &answers[1][0]["id"]), (1, &json!(2)));
}

/// LIFE-022: the time of a question counts from when it is asked, also while there is no room for it.
#[tokio::test(start_paused = true)]
async fn a_question_that_finds_no_room_times_out_too() {
    let mut limits = StreamLimits::default();
    (limits.queued_messages, limits.queued_bytes) = (1, 1);
    let timeout = CallLimits::default().question_timeout;
    // All requests are taken in at once, but little fits on the way back.
    let ((to_server, asked), (answered, to_client)) = (ByteStream::pair(1 << 16), ByteStream::pair(64));
    let ours = ByteStream::new(answered.into_parts().0, to_server.into_parts().1);
    let theirs = ByteStream::new(asked.into_parts().0, to_client.into_parts().1);
    let mut client = Client::over(ours, theirs, limits);
    client.initialize("2025-11-25").await;
    let began = tokio::time::Instant::now();
    let asks: String = (1..=4).map(|id| legacy(id, "ask") + "\n").collect();
    let mut writer = client.take_writer();
    let waiting = async {
        jackfield_testkit::pass(timeout + Duration::from_secs(1)).await;
        let mut ended = Vec::new();
        while ended.len() < 4 {
            let message = client.receive().await;
            if message["error"].is_object() {
                ended.push(message["id"].as_i64());
            }
        }
        ended.sort_unstable();
        ended
    };
    let (ended, written) = tokio::join!(waiting, tokio::io::AsyncWriteExt::write_all(&mut writer, asks.as_bytes()));
    written.unwrap();
    assert_eq!(ended, [Some(1), Some(2), Some(3), Some(4)]);
    assert!(began.elapsed() < timeout + timeout / 2);
}
