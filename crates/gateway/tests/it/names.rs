//! What things are called.

use std::collections::BTreeSet;

use jackfield::protocol::Revision;
use jackfield::testing::TestClient;
use jackfield_gateway::{BadName, Gateway};
use serde_json::json;

use crate::backend::{Place, behind, demo};

/// SRV-020, T-112, T-134: names come from where the gateway was set up. What servers call themselves, here all the same, plays no part.
#[tokio::test]
async fn what_servers_have_stands_under_the_names_they_were_given() {
    let [left, right] = [Revision::V2025_06_18, Revision::LATEST].map(|revision| Place::new(demo(), revision));
    let gateway = behind(behind(Gateway::new("gateway"), "left", &left), "the right one", &right);
    let client = TestClient::of(gateway.server().unwrap());
    let tools = client.list_tools().await.unwrap();
    let names: BTreeSet<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!((names.len(), tools.len()), (16, 16));
    assert!(names.contains("left__echo") && names.contains("the-right-one__echo"), "{names:?}");
    assert!(names.iter().all(|name| !name.contains("same")), "{names:?}");
    let uris: Vec<_> = client.list_resources().await.unwrap().into_iter().map(|resource| resource.uri).collect();
    assert_eq!(uris, ["note://left/first", "note://the-right-one/first"]);
    let templates = client.list_resource_templates().await.unwrap();
    let templates: Vec<_> = templates.into_iter().map(|template| template.uri_template).collect();
    assert_eq!(templates, ["note://left/{id}", "note://the-right-one/{id}"]);
    let prompts: Vec<_> = client.list_prompts().await.unwrap().into_iter().map(|prompt| prompt.name).collect();
    assert_eq!(prompts, ["left__review", "the-right-one__review"]);
    for name in ["left__echo", "the-right-one__echo"] {
        client.call_tool(name, json!({"text": "x"})).await.unwrap();
    }
}

/// T-112
#[test]
fn servers_that_could_be_mistaken_for_each_other_are_refused() {
    let place = Place::new(demo(), Revision::LATEST);
    let gateway = |names: [&str; 2]| names.into_iter().fold(Gateway::new("g"), |all, name| behind(all, name, &place));
    assert!(matches!(gateway(["my files", "my-files"]).server(), Err(BadName::Twice(..))));
    assert!(matches!(gateway(["files", "?"]).server(), Err(BadName::Empty(_))));
    // With the names of tools that servers choose, no two of these can be the same.
    assert!(gateway(["a", "a_b"]).server().is_ok());
}
