//! Functions as resources.

use jackfield::server::Completing;
use jackfield::testing::TestClient;
use jackfield::{Json, Reference, ResourceContents, Revision, Server, Value, json, resource, resources};

/// All notes.
#[resource("notes://all", mime_type = "text/markdown", title = "Notes", size = 5, audience = ["user", "assistant"], priority = 1)]
fn all() -> &'static str {
    "# All"
}

#[resource("notes://{folder}/page/{page}", name = "page")]
async fn page(#[complete("work", "home", "homework")] folder: &str, #[complete(pages)] page: u32) -> Option<String> {
    (page < 3).then(|| format!("{folder}:{page}"))
}

async fn pages(completing: Completing) -> Vec<String> {
    let folder = completing.context.get("folder").cloned().unwrap_or_default();
    vec![format!("{}{folder}", completing.value)]
}

#[resource("data://bytes")]
fn bytes() -> Vec<u8> {
    vec![0, 1, 255]
}

#[resource("data://json")]
fn structured() -> Json<Vec<u8>> {
    Json(vec![1, 2])
}

#[resource("data://several")]
fn several() -> Vec<ResourceContents> {
    vec![ResourceContents::text("data://one", "1"), ResourceContents::text("data://two", "2")]
}

#[resource("data://broken")]
fn broken() -> Result<String, &'static str> {
    Err("the disk is gone")
}

fn server() -> Server {
    Server::new("resources").resources(resources![all, page, bytes, structured, several, broken])
}

async fn read(client: &TestClient, uri: &str) -> Value {
    serde_json::to_value(client.read_resource(uri).await.unwrap()).unwrap()["contents"].take()
}

/// SRV-039: resources and templates are listed as they are described.
#[tokio::test]
async fn resources_are_listed() {
    let client = TestClient::of(server());
    let resources = client.list_resources().await.unwrap();
    let listed = resources.iter().find(|resource| resource.name == "all").unwrap();
    assert_eq!(
        serde_json::to_value(listed).unwrap(),
        json!({
            "uri": "notes://all",
            "name": "all",
            "title": "Notes",
            "description": "All notes.",
            "mimeType": "text/markdown",
            "size": 5,
            "annotations": { "audience": ["user", "assistant"], "priority": 1 },
        })
    );
    let templates = client.list_resource_templates().await.unwrap();
    assert_eq!(templates[0].uri_template, "notes://{folder}/page/{page}");
    assert_eq!(templates[0].name, "page");
}

/// SRV-054: bytes are base64.
#[tokio::test]
async fn contents_are_text_or_bytes() {
    let client = TestClient::of(server());
    assert_eq!(
        read(&client, "notes://all").await,
        json!([{ "uri": "notes://all", "mimeType": "text/markdown", "text": "# All" }])
    );
    assert_eq!(read(&client, "data://bytes").await, json!([{ "uri": "data://bytes", "blob": "AAH/" }]));
    assert_eq!(
        read(&client, "data://json").await,
        json!([{ "uri": "data://json", "mimeType": "application/json", "text": "[1,2]" }])
    );
    assert_eq!(read(&client, "data://several").await[1]["uri"], "data://two");
    assert_eq!(read(&client, "notes://home/page/2").await[0]["text"], "home:2");
}

/// SRV-047, SRV-048, SRV-051: a resource that does not exist is an error, of the code of the caller's revision.
#[tokio::test]
async fn absent_is_not_found_in_the_words_of_the_revision() {
    for revision in Revision::ALL {
        let client = TestClient::with_revision(server(), revision);
        let error = client.read_resource("notes://home/page/9").await.unwrap_err();
        let code = if revision == Revision::V2026_07_28 { -32602 } else { -32002 };
        assert_eq!(error.code, code, "{revision}");
        let error = client.read_resource("data://broken").await.unwrap_err();
        assert_eq!((error.code, error.message.as_ref()), (-32603, "the disk is gone"), "{revision}");
    }
}

#[tokio::test]
async fn variables_that_do_not_fit_are_named() {
    let client = TestClient::of(server());
    let error = client.read_resource("notes://home/page/first").await.unwrap_err();
    assert_eq!(error.code, -32602);
    assert!(error.message.contains("argument `page`: expected an integer"), "{error}");
}

/// SRV-086: variables are completed.
#[tokio::test]
async fn variables_are_completed() {
    let client = TestClient::of(server());
    let template = || Reference::resource("notes://{folder}/page/{page}");
    let folders = client.complete(template(), "folder", "WORK").await.unwrap();
    assert_eq!(folders.values, ["work", "homework"]);
    assert_eq!((folders.total, folders.has_more), (Some(2), Some(false)));
    let pages = client.complete(template(), "page", "1").await.unwrap();
    assert_eq!(pages.values, ["1"]);
}
