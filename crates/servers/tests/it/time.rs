//! The time server.

use jackfield::Revision;
use jackfield::testing::TestClient;
use jackfield_servers::time::{Options, server};
use serde_json::{Value, json};

fn client(revision: Revision) -> TestClient {
    let mut options = Options::default();
    options.local_zone = Some("Europe/Warsaw".to_owned());
    TestClient::with_revision(server(options).unwrap(), revision)
}

/// Returns the text of a result, and whether it is a failure.
async fn called(client: &TestClient, tool: &str, arguments: Value) -> (String, bool) {
    let result = client.call_tool(tool, arguments).await.unwrap();
    assert!(result.is_error.is_some(), "the family says of each result whether it is an error");
    (result.content[0].as_text().unwrap().to_owned(), result.is_failure())
}

#[tokio::test]
async fn the_family_declares_lists_that_are_empty_and_never_change() {
    for revision in Revision::ALL {
        let client = client(revision);
        let introduction = client.introduction().await.unwrap();
        for kind in ["tools", "prompts", "resources"] {
            assert_eq!(introduction["capabilities"][kind]["listChanged"], false, "{kind} in {revision}");
        }
        assert_eq!(introduction["capabilities"].get("logging"), None);
        assert!(client.list_prompts().await.unwrap().is_empty());
        assert!(client.list_resources().await.unwrap().is_empty());
        assert!(client.list_resource_templates().await.unwrap().is_empty());
        let unknown = client.call_tool("nothing", json!({})).await.unwrap_err();
        assert_eq!((unknown.code, unknown.message.as_ref()), (-32602, "Unknown tool: nothing"));
        let unknown = client.request("no/such", json!({})).await.unwrap_err();
        assert_eq!((unknown.code, unknown.message.as_ref()), (-32601, "Method not found"));
        assert_eq!(unknown.data, Some(json!("no/such")));
    }
}

#[tokio::test]
async fn failures_are_those_of_the_original() {
    for revision in Revision::ALL {
        let client = client(revision);
        let convert = |source: &str, time: &str, target: &str| json!({"source_timezone": source, "time": time, "target_timezone": target});
        for (tool, arguments, expected) in [
            ("get_current_time", json!({"timezone": ""}), "Missing required argument: timezone"),
            ("get_current_time", json!({"timezone": "utc"}), "Invalid timezone: 'No time zone found with key utc'"),
            ("convert_time", convert("", "x", ""), "Missing required argument: source_timezone"),
            ("convert_time", convert("x", "x", ""), "Missing required argument: target_timezone"),
            ("convert_time", convert("UTC", "12:00:00", "UTC"), "Invalid time format. Expected HH:MM [24-hour format]"),
            (
                "get_current_time",
                json!({}),
                "1 validation error for get_current_timeArguments\ntimezone\n  Field required",
            ),
        ] {
            let expected = (format!("Error executing tool {tool}: {expected}"), true);
            assert_eq!(called(&client, tool, arguments).await, expected);
        }
        let two = called(&client, "convert_time", json!({"time": 5, "source_timezone": "UTC"})).await;
        assert!(two.0.starts_with("Error executing tool convert_time: 2 validation errors for convert_timeArguments"));
    }
}

#[tokio::test]
async fn the_local_zone_is_named_and_may_stand_for_one_that_is_left_out() {
    let tools = client(Revision::LATEST).list_tools().await.unwrap();
    assert!(tools.iter().all(|tool| tool.input_schema.get().contains("Europe/Warsaw") && tool.title.is_none()));
    assert_eq!(tools[0].input_schema.to_value()["required"], json!(["timezone"]));
    let mut options = Options::default();
    (options.local_zone, options.default_to_local) = (Some("Asia/Kathmandu".to_owned()), true);
    let client = TestClient::of(server(options).unwrap());
    assert!(called(&client, "get_current_time", json!({})).await.0.contains("+05:45"));
    let mut unknown = Options::default();
    unknown.local_zone = Some("Mars/Phobos".to_owned());
    assert!(server(unknown).is_err());
}
