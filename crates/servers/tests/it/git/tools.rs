//! The tools as a client sees them.

use jackfield::Revision;
use jackfield::testing::TestClient;
use jackfield_servers::git::{Access, OpenOptions, Options, server};
use serde_json::{Value, json};

use super::fixture::{Fixture, HISTORY};

const READING: [&str; 7] =
    ["git_status", "git_diff_unstaged", "git_diff_staged", "git_diff", "git_log", "git_show", "git_branch"];

async fn call(client: &TestClient, tool: &str, arguments: Value) -> (bool, String) {
    let result = client.call_tool(tool, arguments).await.unwrap();
    (result.is_failure(), result.content[0].as_text().unwrap().to_owned())
}

#[tokio::test]
async fn calls_answer_in_every_revision() {
    let fixture = Fixture::after(HISTORY);
    for revision in Revision::ALL {
        let client = TestClient::with_revision(server(Options::default()), revision);
        let (failed, text) = call(&client, "git_status", json!({"repo_path": fixture.path()})).await;
        assert!(!failed);
        assert_eq!(text, "Repository status:\nOn branch main\nnothing to commit, working tree clean");
        // Numbers may be written as texts, and lists as JSON.
        let (_, text) = call(&client, "git_log", json!({"repo_path": fixture.path(), "max_count": "1"})).await;
        assert_eq!(text.matches("Commit: ").count(), 1);
        let (_, text) = call(&client, "git_add", json!({"repo_path": fixture.path(), "files": "[\".\"]"})).await;
        assert!(text.starts_with("No changes were staged"), "{text}");
    }
}

#[tokio::test]
async fn failures_name_their_tool() {
    let fixture = Fixture::after(HISTORY);
    let client = TestClient::of(server(Options::default()));
    for (tool, arguments, text) in [
        ("git_status", json!({"repo_path": "/nowhere"}), "Error executing tool git_status: /nowhere"),
        (
            "git_branch",
            json!({"repo_path": fixture.path(), "branch_type": "x"}),
            "Error executing tool git_branch: Invalid branch type: x",
        ),
    ] {
        assert_eq!(call(&client, tool, arguments).await, (true, text.to_owned()));
    }
    let (failed, text) = call(&client, "git_status", json!({})).await;
    assert!(failed && text.starts_with("Error executing tool git_status: 1 validation error for"), "{text}");
    assert_eq!(client.call_tool("git_init", json!({})).await.unwrap_err().message, "Unknown tool: git_init");
}

#[tokio::test]
async fn a_read_only_server_has_no_tools_that_write() {
    let fixture = Fixture::after(HISTORY);
    let mut options = Options::default();
    options.read_only = true;
    let client = TestClient::of(server(options));
    let names: Vec<_> = client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, READING);
    assert!(client.call_tool("git_reset", json!({"repo_path": fixture.path()})).await.is_err());
}

#[tokio::test]
async fn annotations_say_which_tools_write() {
    let client = TestClient::of(server(Options::default()));
    for tool in client.list_tools().await.unwrap() {
        let hints = tool.annotations.unwrap();
        assert_eq!(hints.read_only_hint, Some(READING.contains(&tool.name.as_str())), "{}", tool.name);
        assert_eq!(hints.destructive_hint, Some(tool.name == "git_reset"), "{}", tool.name);
        assert_eq!(hints.open_world_hint, Some(false));
    }
}

#[tokio::test]
async fn a_confined_server_refuses_other_repositories() {
    let fixture = Fixture::after(HISTORY);
    let other = Fixture::after(HISTORY);
    let mut options = Options::default();
    options.open = OpenOptions { access: Access::confined([fixture.root()]).unwrap(), allow_filters: false };
    let client = TestClient::of(server(options));
    for path in [fixture.path(), format!("{}/.git", fixture.path())] {
        let (failed, text) = call(&client, "git_status", json!({"repo_path": path})).await;
        assert!(!failed, "{text}");
    }
    let (failed, text) = call(&client, "git_status", json!({"repo_path": other.path()})).await;
    assert!(failed && text.contains("is outside the allowed repository"), "{text}");
}

/// Two commits at the same time would both be made from the same parent, and one of them lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_run_one_at_a_time() {
    let fixture = Fixture::after(HISTORY);
    let client = std::sync::Arc::new(TestClient::of(server(Options::default())));
    let before: usize = fixture.git("rev-list --count HEAD").parse().unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (client, path) = (client.clone(), fixture.path());
        let file = format!("file-{number}");
        fixture.write(&file, "x");
        tasks.spawn(async move {
            let (failed, text) = call(&client, "git_add", json!({"repo_path": path, "files": [file]})).await;
            assert!(!failed, "{text}");
            call(&client, "git_commit", json!({"repo_path": path, "message": "m"})).await;
        });
    }
    tasks.join_all().await;
    assert_eq!(fixture.git("status --porcelain"), "");
    let after: usize = fixture.git("rev-list --count HEAD").parse().unwrap();
    assert!((before + 1..=before + 8).contains(&after), "{after}");
    assert_eq!(fixture.git("ls-files 'file-*'").lines().count(), 8);
}
