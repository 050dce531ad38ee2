//! Questions, progress and logs, through the test client, in every era.

use jackfield::protocol::{CreateMessageParams, CreateMessageResult, Root, SamplingMessage};
use jackfield::testing::TestClient;
use jackfield::{
    Cx, ElicitAction, ElicitResult, Elicited, JsonSchema, LoggingLevel, Revision, Role, Server, json, tool, tools,
};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema, jackfield::Form)]
struct Trip {
    city: String,
    days: u8,
}

#[tool]
async fn book(cx: &Cx) -> jackfield::Result<String> {
    let Elicited::Accepted(trip) = cx.elicit::<Trip>("trip", "Where to?").await? else {
        return Ok("nowhere".to_owned());
    };
    let roots = cx.roots().await?;
    Ok(format!("{} days in {}, {} roots", trip.days, trip.city, roots.len()))
}

#[tool]
async fn think(cx: &Cx) -> jackfield::Result<String> {
    let question = SamplingMessage::new(Role::User, jackfield::protocol::SamplingContentBlock::text("Why?"));
    let answer = cx.sample("why", CreateMessageParams::new(vec![question], 10)).await?;
    Ok(answer.model)
}

#[tool]
async fn work(cx: &Cx) -> &'static str {
    cx.info("starting");
    cx.progress(1, 2.0, "half");
    "done"
}

fn server() -> Server {
    Server::new("questions").tools(tools![book, think, work])
}

fn trip() -> ElicitResult {
    let content = json!({ "city": "Oslo", "days": 3 });
    ElicitResult::new(ElicitAction::Accept).with_content(content.as_object().cloned().unwrap())
}

#[tokio::test]
async fn one_handler_asks_in_every_era() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_elicitation()) {
        let client = TestClient::with_revision(server(), revision)
            .on_elicit(|question| {
                assert_eq!(question.message(), "Where to?");
                trip()
            })
            .with_roots([Root::new("file:///home")]);
        let booked = client.call_tool("book", json!({})).await.unwrap();
        assert_eq!(booked.content[0].as_text(), Some("3 days in Oslo, 1 roots"), "{revision}");

        let declined =
            TestClient::with_revision(server(), revision).on_elicit(|_| ElicitResult::new(ElicitAction::Decline));
        let booked = declined.call_tool("book", json!({})).await.unwrap();
        assert_eq!(booked.content[0].as_text(), Some("nowhere"), "{revision}");
    }
}

#[tokio::test]
async fn the_model_is_asked_in_every_era() {
    for revision in Revision::ALL {
        let client = TestClient::with_revision(server(), revision).on_sample(|params| {
            assert_eq!(params.max_tokens, 10);
            let content = jackfield::protocol::SamplingContentBlock::text("Because.");
            CreateMessageResult::new(Role::Assistant, content, "small-model")
        });
        let thought = client.call_tool("think", json!({})).await.unwrap();
        assert_eq!(thought.content[0].as_text(), Some("small-model"), "{revision}");
    }
}

#[tokio::test]
async fn progress_and_logs_arrive() {
    for revision in Revision::ALL {
        let client = TestClient::with_revision(server(), revision).with_log_level(LoggingLevel::Debug);
        client.call_tool("work", json!({})).await.unwrap();
        let progress = client.progress();
        assert_eq!((progress[0].progress, progress[0].total), (1.0, Some(2.0)), "{revision}");
        assert_eq!(client.logs()[0].data.to_value(), json!("starting"), "{revision}");
    }
}
