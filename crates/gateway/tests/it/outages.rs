//! Servers that are not there.

use std::sync::atomic::Ordering;
use std::time::Duration;

use jackfield::protocol::Revision;
use jackfield::testing::TestClient;
use jackfield_gateway::Gateway;
use serde_json::json;

use crate::backend::{Place, behind, demo};

async fn names(client: &TestClient) -> Vec<String> {
    client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).filter(|name| name.ends_with("echo")).collect()
}

/// T-133 in part: a server that is not there is missing, says so when it is called, and comes back by itself; the others are served as
/// if nothing had happened.
#[tokio::test(start_paused = true)]
async fn a_server_that_is_not_there_hurts_nobody_else() {
    let [left, right] = [0, 1].map(|_| Place::new(demo(), Revision::LATEST));
    right.switch_off();
    let gateway = behind(behind(Gateway::new("gateway"), "left", &left), "right", &right);
    let client = TestClient::of(gateway.server().unwrap());
    assert_eq!(names(&client).await, ["left__echo"]);
    client.listen(json!({"toolsListChanged": true})).await.unwrap();
    let text = json!({"text": "x"});
    assert!(!client.call_tool("left__echo", &text).await.unwrap().is_failure());
    let failure = client.call_tool("right__echo", &text).await.unwrap();
    let words = failure.content[0].as_text().unwrap();
    assert!(
        failure.is_failure() && words.contains("right is not available") && words.contains("switched off"),
        "{words}"
    );
    let error = client.get_prompt("right__review", json!({"code": "x"})).await.unwrap_err();
    assert!(error.message.contains("right is not available"), "{error:?}");
    assert!(client.read_resource("note://right/1").await.unwrap_err().message.contains("right is not available"));

    right.switch_on();
    client.wait_for("notifications/tools/list_changed").await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(names(&client).await.len(), 2);
    assert!(!client.call_tool("right__echo", &text).await.unwrap().is_failure());

    // It goes away in the middle of everything.
    left.switch_off();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(names(&client).await, ["right__echo"]);
    assert!(client.call_tool("left__echo", &text).await.unwrap().is_failure());
    // It is tried again, but not all the time.
    let before = left.visits.load(Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(600)).await;
    let visits = left.visits.load(Ordering::SeqCst) - before;
    assert!((5..30).contains(&visits), "{visits}");
    left.switch_on();
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(names(&client).await.len(), 2);
}

/// A start does not wait for a server that does not come.
#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_come_is_not_waited_for() {
    let place = Place::new(demo(), Revision::LATEST);
    let gateway = behind(Gateway::new("gateway"), "demo", &place)
        .reach("silent", |_| std::future::pending())
        .patience(Duration::from_secs(3));
    let client = TestClient::of(gateway.server().unwrap());
    let begun = tokio::time::Instant::now();
    assert_eq!(names(&client).await, ["demo__echo"]);
    assert_eq!(begun.elapsed().as_secs(), 3);
    let failure = client.call_tool("silent__x", json!({})).await.unwrap();
    assert!(failure.content[0].as_text().unwrap().contains("still being started"), "{failure:?}");
}
