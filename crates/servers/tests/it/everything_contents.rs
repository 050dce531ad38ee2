//! What the demo server gives: every kind of content, resources, prompts, completions.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jackfield::Revision;
use jackfield::protocol::Reference;
use jackfield::testing::TestClient;
use jackfield_servers::everything::{Options, ShowEnvironment, server};
use serde_json::{Value, json};

fn client(revision: Revision) -> TestClient {
    TestClient::with_revision(server(Options::default()), revision)
}

/// Calls a tool and returns its result as the wire has it.
async fn call(client: &TestClient, tool: &str, arguments: Value) -> Value {
    let result = client.call_tool(tool, arguments).await.unwrap();
    assert!(!result.is_failure(), "{tool}: {result:?}");
    serde_json::to_value(&result).unwrap()
}

#[tokio::test]
async fn annotations_say_for_whom_a_message_is() {
    for revision in Revision::ALL {
        let client = client(revision);
        for (kind, text, priority, audience) in [
            ("error", "Error: Operation failed", 1.0, json!(["user", "assistant"])),
            ("success", "Operation completed successfully", 0.7, json!(["user"])),
            ("debug", "Debug: Cache hit ratio 0.95, latency 150ms", 0.3, json!(["assistant"])),
        ] {
            let result = call(&client, "get-annotated-message", json!({"messageType": kind})).await;
            let block = &result["content"][0];
            assert_eq!((&block["type"], &block["text"]), (&json!("text"), &json!(text)), "{revision}");
            assert_eq!(block["annotations"]["priority"].as_f64(), Some(priority), "{revision}");
            assert_eq!(block["annotations"]["audience"], audience, "{revision}");
        }
        let arguments = json!({"messageType": "error", "includeImage": true});
        let result = call(&client, "get-annotated-message", arguments).await;
        let image = &result["content"][1];
        assert_eq!((&image["type"], &image["mimeType"]), (&json!("image"), &json!("image/png")));
        assert_eq!(image["annotations"], json!({"priority": 0.5, "audience": ["user"]}));
    }
}

/// The picture is a whole PNG: its signature, its size, and its end.
#[tokio::test]
async fn the_image_is_a_picture() {
    let result = call(&client(Revision::LATEST), "get-tiny-image", json!({})).await;
    let kinds: Vec<&Value> = result["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["text", "image", "text"]);
    let bytes = STANDARD.decode(result["content"][1]["data"].as_str().unwrap()).unwrap();
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10"));
    assert!(bytes.ends_with(b"\0\0\0\0IEND\xae\x42\x60\x82"), "the last check sum is a known one");
}

/// Links and references lead to resources that can be read. Before there were links, clients get them as text.
#[tokio::test]
async fn links_lead_to_resources() {
    let client = client(Revision::LATEST);
    let result = call(&client, "get-resource-links", json!({"count": 4})).await;
    let blocks = result["content"].as_array().unwrap();
    assert_eq!(blocks[0]["text"], "Here are 4 resource links to resources available in this server:");
    assert_eq!(blocks.len(), 5);
    for (number, link) in (1..).zip(&blocks[1..]) {
        let kind = if number % 2 == 0 { "text" } else { "blob" };
        assert_eq!(
            (&link["type"], link["uri"].as_str().unwrap()),
            (&json!("resource_link"), &*format!("demo://resource/dynamic/{kind}/{number}"))
        );
        let read = client.read_resource(link["uri"].as_str().unwrap()).await.unwrap();
        let read = serde_json::to_value(&read.contents).unwrap();
        assert_eq!((&read[0]["uri"], &read[0]["mimeType"]), (&link["uri"], &json!("text/plain")));
        let text = match read[0]["text"].as_str() {
            Some(text) => text.to_owned(),
            None => String::from_utf8(STANDARD.decode(read[0]["blob"].as_str().unwrap()).unwrap()).unwrap(),
        };
        assert!(text.starts_with(&format!("Resource {number}: This is a ")), "{text}");
        assert!(text.ends_with(" AM") || text.ends_with(" PM"), "{text}");
    }
    assert_eq!(call(&client, "get-resource-links", json!({})).await["content"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_reference_carries_its_resource() {
    for revision in Revision::ALL {
        let client = client(revision);
        for (kind, member) in [("Text", "text"), ("Blob", "blob")] {
            let arguments = json!({"resourceType": kind, "resourceId": 7});
            let result = call(&client, "get-resource-reference", arguments).await;
            let (blocks, uri) = (&result["content"], format!("demo://resource/dynamic/{member}/7"));
            assert_eq!((&blocks[1]["type"], &blocks[1]["resource"]["uri"]), (&json!("resource"), &json!(uri)));
            assert!(blocks[1]["resource"][member].is_string());
            assert_eq!(blocks[2]["text"], format!("You can access this resource using the URI: {uri}"));
        }
        for wrong in [0.0, -1.0, 1.5, 1e300] {
            let result = client.call_tool("get-resource-reference", json!({"resourceId": wrong})).await.unwrap();
            assert!(result.is_failure());
            assert!(result.content[0].as_text().unwrap().contains("Must be a finite positive integer"), "{wrong}");
        }
    }
}

#[tokio::test]
async fn the_weather_is_data() {
    let client = client(Revision::LATEST);
    for (location, temperature, conditions, humidity) in [
        ("New York", 33, "Cloudy", 82),
        ("Chicago", 36, "Light rain / drizzle", 82),
        ("Los Angeles", 73, "Sunny / Clear", 48),
    ] {
        let weather = json!({"temperature": temperature, "conditions": conditions, "humidity": humidity});
        let result = call(&client, "get-structured-content", json!({"location": location})).await;
        assert_eq!(result["structuredContent"], weather);
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, weather, "clients that know no data read the same as text");
        let result = call(&client, "get-structured-content-list", json!({"location": location, "days": 2})).await;
        assert_eq!(result["structuredContent"], json!([weather, weather]));
    }
}

/// Time passes in steps, each of which is told.
#[tokio::test(start_paused = true)]
async fn a_long_operation_tells_how_far_it_is() {
    for revision in Revision::ALL {
        let client = client(revision);
        let result = call(&client, "trigger-long-running-operation", json!({"duration": 4, "steps": 4})).await;
        let expected = "Long running operation completed. Duration: 4 seconds, Steps: 4.";
        assert_eq!(result["content"][0]["text"], expected);
        let told: Vec<_> = client.progress().iter().map(|told| (told.progress, told.total)).collect();
        assert_eq!(told, [(1.0, Some(4.0)), (2.0, Some(4.0)), (3.0, Some(4.0)), (4.0, Some(4.0))], "{revision}");
    }
}

/// The environment may hold secrets: only what is harmless is shown, unless more was asked for.
#[tokio::test]
async fn only_harmless_variables_are_shown() {
    let shown = async |environment: ShowEnvironment| {
        let mut options = Options::default();
        options.environment = environment;
        let client = TestClient::of(server(options));
        let result = call(&client, "get-env", json!({})).await;
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        text.as_object().unwrap().clone()
    };
    let is_harmless = |name: &String| ["PATH", "HOME", "LANG", "TZ"].contains(&name.as_str());
    let harmless = shown(ShowEnvironment::Harmless).await;
    assert!(harmless.contains_key("PATH") && harmless.keys().all(is_harmless), "{:?}", harmless.keys());
    // Cargo tells tests where they are.
    let named = shown(ShowEnvironment::Named(vec!["CARGO_MANIFEST_DIR".to_owned()])).await;
    assert!(named.keys().all(|name| is_harmless(name) || name == "CARGO_MANIFEST_DIR"));
    assert_eq!(named["CARGO_MANIFEST_DIR"], env!("CARGO_MANIFEST_DIR"));
    assert!(shown(ShowEnvironment::All).await.len() > named.len());
}

#[tokio::test]
async fn documents_come_with_the_server() {
    let client = client(Revision::LATEST);
    for (name, begin) in [("features.md", "#"), ("instructions.md", "#")] {
        let read = client.read_resource(&format!("demo://resource/static/document/{name}")).await.unwrap();
        let read = serde_json::to_value(&read.contents).unwrap();
        assert_eq!(read[0]["mimeType"], "text/markdown");
        assert!(read[0]["text"].as_str().unwrap().starts_with(begin), "{name}");
    }
    for uri in ["demo://resource/dynamic/text/0", "demo://resource/dynamic/blob/x", "demo://resource/dynamic/text/1.5"]
    {
        assert_eq!(client.read_resource(uri).await.unwrap_err().code, -32602, "{uri}");
    }
}

#[tokio::test]
async fn prompts_fill_in_their_arguments() {
    let client = client(Revision::LATEST);
    let text = async |name: &str, arguments: Value| {
        let prompt = client.get_prompt(name, arguments).await.unwrap();
        serde_json::to_value(&prompt.messages[0].content).unwrap()["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(text("simple-prompt", json!({})).await, "This is a simple prompt without arguments.");
    assert_eq!(text("args-prompt", json!({"city": "Oslo"})).await, "What's weather in Oslo?");
    assert_eq!(
        text("args-prompt", json!({"city": "Austin", "state": "Texas"})).await,
        "What's weather in Austin, Texas?"
    );
    let arguments = json!({"department": "Sales", "name": "Eve"});
    assert_eq!(text("completable-prompt", arguments).await, "Please promote Eve to the head of the Sales team.");
    for (kind, member) in [("Text", "text"), ("Blob", "blob")] {
        let prompt =
            client.get_prompt("resource-prompt", json!({"resourceType": kind, "resourceId": "3"})).await.unwrap();
        let carried = serde_json::to_value(&prompt.messages[1].content).unwrap();
        assert_eq!(carried["resource"]["uri"], format!("demo://resource/dynamic/{member}/3"));
    }
    for wrong in
        [json!({"resourceType": "Text", "resourceId": "-3"}), json!({"resourceType": "Film", "resourceId": "3"})]
    {
        assert_eq!(client.get_prompt("resource-prompt", wrong).await.unwrap_err().code, -32602);
    }
}

/// The people to choose from are those of the department that was chosen before.
#[tokio::test]
async fn arguments_are_completed() {
    let client = client(Revision::LATEST);
    let of = async |name: &str, argument: &str, typed: &str| {
        client.complete(Reference::prompt(name), argument, typed).await.unwrap().values
    };
    assert_eq!(of("completable-prompt", "department", "S").await, ["Sales", "Support"]);
    assert_eq!(of("resource-prompt", "resourceType", "B").await, ["Blob"]);
    assert_eq!(of("resource-prompt", "resourceId", "12").await, ["12"]);
    assert!(of("resource-prompt", "resourceId", "x").await.is_empty());
    let resource = Reference::resource("demo://resource/dynamic/text/{resourceId}");
    assert_eq!(client.complete(resource, "resourceId", "5").await.unwrap().values, ["5"]);
    let people = async |department: &str, typed: &str| {
        let params = json!({"ref": {"type": "ref/prompt", "name": "completable-prompt"},
            "argument": {"name": "name", "value": typed}, "context": {"arguments": {"department": department}}});
        client.request("completion/complete", params).await.unwrap()["completion"]["values"].clone()
    };
    assert_eq!(people("Engineering", "").await, json!(["Alice", "Bob", "Charlie"]));
    assert_eq!(people("Marketing", "H").await, json!(["Henry"]));
    assert_eq!(people("Gardening", "").await, json!([]));
}
