//! The memory server.

use std::fs;

use jackfield::testing::TestClient;
use jackfield::{Revision, Server};
use jackfield_servers::memory::{Options, server};
use serde_json::{Value, json};

use crate::folder::Folder;

fn serving(folder: &Folder) -> Server {
    server(Options::new(folder.path().join("sub/memory.jsonl"))).unwrap()
}

async fn called(client: &TestClient, tool: &str, arguments: Value) -> Value {
    let result = client.call_tool(tool, arguments).await.unwrap();
    assert!(!result.is_failure(), "{:?}", result.content);
    if client.revision().has_structured_output() {
        return serde_json::from_str(result.structured_content.unwrap().get()).unwrap();
    }
    serde_json::from_str(result.content[0].as_text().unwrap()).unwrap_or_default()
}

async fn failure(client: &TestClient, tool: &str, arguments: Value) -> String {
    let result = client.call_tool(tool, arguments).await.unwrap();
    assert!(result.is_failure());
    result.content[0].as_text().unwrap().to_owned()
}

fn entity(name: &str, observations: &[&str]) -> Value {
    json!({"name": name, "entityType": "person", "observations": observations})
}

#[tokio::test]
async fn a_graph_grows_and_shrinks_as_in_the_original() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_structured_output()) {
        let folder = Folder::new();
        let client = TestClient::with_revision(serving(&folder), revision);
        assert_eq!(called(&client, "read_graph", json!({})).await, json!({"entities": [], "relations": []}));
        let created = called(
            &client,
            "create_entities",
            json!({"entities": [entity("Ada", &["Rust"]), entity("__proto__", &[])]}),
        )
        .await;
        assert_eq!(created["entities"].as_array().unwrap().len(), 2);
        let again = called(&client, "create_entities", json!({"entities": [entity("Ada", &["other"])]})).await;
        assert_eq!(again, json!({"entities": []}));
        let relation = json!({"from": "Ada", "to": "Nowhere", "relationType": "knows"});
        let related = called(&client, "create_relations", json!({"relations": [relation, relation]})).await;
        assert_eq!(related["relations"].as_array().unwrap().len(), 2);
        let added = called(
            &client,
            "add_observations",
            json!({"observations": [{"entityName": "Ada", "contents": ["Rust", "new"]}]}),
        )
        .await;
        assert_eq!(added, json!({"results": [{"entityName": "Ada", "addedObservations": ["new"]}]}));
        let found = called(&client, "search_nodes", json!({"query": "NEW"})).await;
        assert_eq!(found["entities"], json!([entity("Ada", &["Rust", "new"])]));
        assert_eq!(found["relations"], json!([relation, relation]));
        let opened = called(&client, "open_nodes", json!({"names": ["__proto__", "__proto__", "x"]})).await;
        assert_eq!(opened["entities"], json!([entity("__proto__", &[])]));
        let missing = json!({"observations": [{"entityName": "Ada", "contents": ["half"]}, {"entityName": "Nobody", "contents": ["x"]}]});
        assert_eq!(failure(&client, "add_observations", missing).await, "Entity with name Nobody not found");
        let deleted = called(
            &client,
            "delete_observations",
            json!({"deletions": [{"entityName": "Ada", "observations": ["new", "none"]}]}),
        )
        .await;
        assert_eq!(deleted, json!({"success": true, "message": "Observations deleted successfully"}));
        called(&client, "delete_entities", json!({"entityNames": ["Ada", "unknown"]})).await;
        let rest = called(&client, "read_graph", json!({})).await;
        assert_eq!(rest, json!({"entities": [entity("__proto__", &[])], "relations": []}));
        let bad = failure(&client, "create_entities", json!({"entities": [{"name": "x"}]})).await;
        assert_eq!(
            bad,
            "MCP error -32602: Input validation error: Invalid arguments for tool create_entities: Invalid input: expected string, received \
             undefined at entities[0].entityType\nInvalid input: expected array, received undefined at entities[0].observations"
        );
    }
}

#[tokio::test]
async fn the_graph_is_a_resource_whose_changes_are_told() {
    let folder = Folder::new();
    let client = TestClient::with_revision(serving(&folder), Revision::LATEST_WITH_HANDSHAKE);
    let listed = client.list_resources().await.unwrap();
    assert_eq!(listed[0].uri, "memory://knowledge-graph");
    assert_eq!(listed[0].title.as_deref(), Some("Knowledge Graph"));
    client.request("resources/subscribe", json!({"uri": "memory://knowledge-graph"})).await.unwrap();
    // Subscribers are notified of a call that changes nothing, too.
    called(&client, "create_entities", json!({"entities": []})).await;
    let notice = client.wait_for("notifications/resources/updated").await.unwrap();
    assert_eq!(notice.params["uri"], "memory://knowledge-graph");
    let read = client.read_resource("memory://knowledge-graph").await.unwrap();
    let contents = serde_json::to_value(&read.contents[0]).unwrap();
    assert_eq!(contents["text"], "{\n  \"entities\": [],\n  \"relations\": []\n}");
    let unknown = client.read_resource("memory://other").await.unwrap_err();
    let message = "MCP error -32602: Resource memory://other not found";
    assert_eq!((unknown.code, unknown.message.as_ref()), (-32602, message));
}

#[tokio::test(flavor = "multi_thread")]
async fn overlapping_calls_and_two_servers_lose_nothing() {
    let folder = Folder::new();
    let clients = [TestClient::of(serving(&folder)), TestClient::of(serving(&folder))];
    let call = |index: usize| {
        let client = &clients[index % 2];
        async move { called(client, "create_entities", json!({"entities": [entity(&format!("e{index}"), &[])]})).await }
    };
    for start in (0..24).step_by(4) {
        tokio::join!(call(start), call(start + 1), call(start + 2), call(start + 3));
    }
    for client in &clients {
        assert_eq!(called(client, "read_graph", json!({})).await["entities"].as_array().unwrap().len(), 24);
    }
    drop(clients);
}

#[tokio::test]
async fn broken_lines_do_not_stop_the_server() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let line = r#"{"type":"entity","name":"Ada","entityType":"person","observations":[]}"#;
    fs::write(folder.path().join("sub/memory.jsonl"), format!("{line}\n{{not json\n")).unwrap();
    let client = TestClient::of(serving(&folder));
    assert_eq!(called(&client, "read_graph", json!({})).await["entities"], json!([entity("Ada", &[])]));
}

#[tokio::test]
async fn a_graph_that_is_too_large_for_one_answer_says_what_to_do() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let long = "x".repeat(1 << 20);
    let lines: Vec<String> = (0..17)
        .map(|index| format!(r#"{{"type":"entity","name":"e{index}","entityType":"t","observations":["{long}"]}}"#))
        .collect();
    fs::write(folder.path().join("sub/memory.jsonl"), lines.join("\n")).unwrap();
    let client = TestClient::of(serving(&folder));
    let text = failure(&client, "read_graph", json!({})).await;
    assert!(text.contains("17 entities") && text.contains("search_nodes"), "{text}");
    assert_eq!(called(&client, "open_nodes", json!({"names": ["e3"]})).await["entities"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_large_graph_can_be_read_in_pages() {
    let folder = Folder::new();
    let mut options = Options::new(folder.path().join("memory.jsonl"));
    options.extra_tools = true;
    let client = TestClient::of(server(options).unwrap());
    let entities: Vec<Value> = (0..25).map(|index| entity(&format!("E{index}"), &["a", "b"])).collect();
    called(&client, "create_entities", json!({ "entities": entities })).await;
    called(&client, "create_relations", json!({"relations": [{"from": "E1", "to": "E2", "relationType": "r"}]})).await;
    let summary = called(&client, "summarize_graph", json!({})).await;
    let expected = json!({"entities": 25, "relations": 1, "observations": 50, "entityTypes": {"person": 25}, "relationTypes": {"r": 1}});
    assert_eq!(summary, expected);
    let page = called(&client, "list_entities", json!({"limit": 10, "offset": 20})).await;
    assert_eq!(
        (page["total"].clone(), page["entities"].as_array().unwrap().len(), page.get("nextOffset")),
        (json!(25), 5, None)
    );
    assert_eq!(page["entities"][0], json!({"name": "E20", "entityType": "person", "observationCount": 2}));
    let page = called(&client, "list_entities", json!({"nameContains": "e1", "limit": 3})).await;
    assert_eq!((page["total"].clone(), page["nextOffset"].clone()), (json!(11), json!(3)));
    let found = called(&client, "list_relations", json!({"from": "E1"})).await;
    assert_eq!(found["total"], 1);
    assert_eq!(called(&client, "list_relations", json!({"to": "E1"})).await["total"], 0);
}
