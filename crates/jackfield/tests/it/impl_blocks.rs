//! Impl blocks as servers.

use std::sync::Mutex;

use jackfield::testing::TestClient;
use jackfield::{Cx, Error, PromptMessage, Reference, Revision, Server, json, server};

#[derive(Default)]
struct Notes {
    titles: Mutex<Vec<String>>,
}

/// Save notes, then list them.
#[server(name = "notes")]
impl Notes {
    /// Saves a note.
    #[tool(idempotent)]
    async fn save(
        &self,
        /** Shown in the list. */
        #[arg(length(1..))]
        title: String,
        cx: &Cx,
    ) -> Result<usize, Error> {
        tokio::task::yield_now().await;
        let _ = cx;
        Ok(self.add(title))
    }

    #[resource("notes://{index}")]
    fn note(&self, index: usize) -> Option<String> {
        self.titles.lock().unwrap().get(index).cloned()
    }

    #[prompt]
    fn ask(&self, #[complete(self.matching)] title: &str) -> Vec<PromptMessage> {
        vec![PromptMessage::user(jackfield::ContentBlock::text(format!("Tell me about {title}.")))]
    }

    #[tool(blocking)]
    fn count(&self) -> usize {
        self.titles.lock().unwrap().len()
    }

    fn add(&self, title: String) -> usize {
        let mut titles = self.titles.lock().unwrap();
        titles.push(title);
        titles.len()
    }

    fn matching(&self, typed: &str) -> Vec<String> {
        self.titles.lock().unwrap().iter().filter(|title| title.starts_with(typed)).cloned().collect()
    }
}

#[tokio::test]
async fn methods_share_the_state_of_the_block() {
    for revision in Revision::ALL {
        let client = TestClient::with_revision(Server::of(Notes::default()), revision);
        let introduction = client.introduction().await.unwrap();
        assert_eq!(introduction["instructions"], "Save notes, then list them.");
        let saved = client.call_tool("save", json!({ "title": "milk" })).await.unwrap();
        assert_eq!(saved.content[0].as_text(), Some("1"));
        let count = client.call_tool("count", json!({})).await.unwrap();
        assert_eq!(count.content[0].as_text(), Some("1"));
        let note = client.read_resource("notes://0").await.unwrap();
        assert_eq!(serde_json::to_value(&note.contents[0]).unwrap()["text"], "milk");
        assert!(client.read_resource("notes://7").await.is_err());
        let asked = client.get_prompt("ask", json!({ "title": "milk" })).await.unwrap();
        assert_eq!(asked.messages[0].content.as_text(), Some("Tell me about milk."));
        let completion = client.complete(Reference::prompt("ask"), "title", "m").await.unwrap();
        assert_eq!(completion.values, ["milk"]);
    }
}

#[tokio::test]
async fn a_block_can_be_a_part_of_a_server() {
    let client = TestClient::of(Server::new("both").with(Notes::default()));
    let tools = client.list_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(names.contains(&"save") && names.contains(&"count"), "{names:?}");
    let refused = client.call_tool("save", json!({ "title": "" })).await.unwrap();
    assert!(refused.is_failure());
}
