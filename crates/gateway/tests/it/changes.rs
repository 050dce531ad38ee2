//! Changes at servers, told to callers.

use jackfield::protocol::{CallToolResult, Revision, Schema, Tool};
use jackfield::testing::TestClient;
use jackfield_gateway::Gateway;
use serde_json::json;

use crate::backend::{Place, behind, demo};

/// T-111 in part: that a list has changed is told.
#[tokio::test]
async fn changes_of_lists_and_resources_are_told() {
    for backend in [Revision::V2024_11_05, Revision::V2025_11_25, Revision::LATEST] {
        for caller in [Revision::V2025_11_25, Revision::LATEST] {
            let server = demo();
            let registry = server.registry();
            let place = Place::new(server, backend);
            let gateway = behind(Gateway::new("gateway"), "demo", &place).server().unwrap();
            let client = TestClient::with_revision(gateway, caller);
            if caller.has_handshake() {
                client.request("resources/subscribe", json!({"uri": "note://demo/first"})).await.unwrap();
            } else {
                let filter = json!({"toolsListChanged": true, "resourceSubscriptions": ["note://demo/first"]});
                client.listen(filter).await.unwrap();
            }
            registry.resources().updated("note://first");
            let told = client.wait_for("notifications/resources/updated").await.unwrap();
            assert_eq!(told.params["uri"], "note://demo/first", "{caller} to {backend}");

            let schema = Schema::new(&json!({"type": "object"})).unwrap();
            let added =
                registry.tools().insert(Tool::new("late", schema), |_, _| async { CallToolResult::text("now") });
            client.wait_for("notifications/tools/list_changed").await.unwrap();
            let said = client.call_tool("demo__late", json!({})).await.unwrap();
            assert_eq!(said.content[0].as_text(), Some("now"), "{caller} to {backend}");
            drop(added);
        }
    }
}
