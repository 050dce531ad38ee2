//! The filesystem server, as clients see it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use jackfield::protocol::{CallToolResult, Root};
use jackfield::testing::TestClient;
use jackfield::{Revision, Server};
use jackfield_servers::filesystem::{Directories, Limits, Options, RootsPolicy, server};
use serde_json::{Value, json};

/// A directory that is removed with its value: `allowed` and `second` with some files.
struct Files(PathBuf);

impl Files {
    fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("jackfield-served-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::fs::canonicalize(std::env::temp_dir()).unwrap().join(name);
        for (file, content) in [
            ("allowed/hello.txt", "Hello\nWorld\n"),
            ("allowed/sub/a.js", "a\n"),
            ("allowed/image.PNG", "png"),
            ("allowed/odd name#.bin", "\u{1}\u{2}"),
            ("second/two.txt", "two"),
        ] {
            let file = path.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
        Self(path)
    }

    fn at(&self, path: &str) -> String {
        self.0.join(path).to_str().unwrap().to_owned()
    }

    fn options(&self) -> Options {
        let mut options = Options::default();
        options.directories = Directories::open([self.at("allowed")], |_| {}).unwrap();
        options
    }

    fn server(&self, change: impl FnOnce(&mut Options)) -> Server {
        let mut options = self.options();
        change(&mut options);
        server(options)
    }

    fn root(&self, path: &str) -> Root {
        Root::new(format!("file://{}", self.at(path)))
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(result: &CallToolResult) -> &str {
    result.content[0].as_text().unwrap()
}

async fn call(client: &TestClient, tool: &str, arguments: Value) -> String {
    let result = client.call_tool(tool, arguments).await.unwrap();
    assert!(!result.is_failure(), "{tool}: {}", text(&result));
    text(&result).to_owned()
}

async fn failure(client: &TestClient, tool: &str, arguments: Value) -> String {
    let result = client.call_tool(tool, arguments).await.unwrap();
    assert!(result.is_failure(), "{tool}: {}", text(&result));
    text(&result).to_owned()
}

const TOOLS: [&str; 14] = [
    "read_file",
    "read_text_file",
    "read_media_file",
    "read_multiple_files",
    "write_file",
    "edit_file",
    "create_directory",
    "list_directory",
    "list_directory_with_sizes",
    "directory_tree",
    "move_file",
    "search_files",
    "get_file_info",
    "list_allowed_directories",
];

const WRITING: [&str; 7] =
    ["write_file", "edit_file", "create_directory", "move_file", "append_file", "copy_file", "delete_file"];

async fn names(server: Server) -> Vec<String> {
    TestClient::of(server).list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect()
}

#[tokio::test]
async fn the_tools_are_those_of_the_original() {
    let files = Files::new();
    for revision in Revision::ALL {
        let client = TestClient::with_revision(files.server(|_| {}), revision);
        let tools = client.list_tools().await.unwrap();
        assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), TOOLS);
        for tool in tools.iter().filter(|_| revision == Revision::LATEST) {
            assert!(tool.title.is_some() && tool.description.is_some() && tool.output_schema.is_some());
            let writes = WRITING.contains(&tool.name.as_str());
            let hints = tool.annotations.as_ref().unwrap();
            assert_eq!(hints.read_only_hint, Some(!writes), "{}", tool.name);
            assert_eq!(hints.open_world_hint, Some(false));
        }
    }
}

#[tokio::test]
async fn a_read_only_server_has_no_tool_that_writes() {
    let files = Files::new();
    let all = |read_only| files.server(|options| (options.read_only, options.extra_tools) = (read_only, true));
    assert_eq!(names(all(false)).await.len(), TOOLS.len() + 6);
    assert!(names(all(true)).await.iter().all(|name| !WRITING.contains(&name.as_str())));
    let client = TestClient::of(all(true));
    let arguments = json!({"path": files.at("allowed/new"), "content": "x"});
    assert!(client.call_tool("write_file", arguments).await.is_err());
    assert!(!Path::new(&files.at("allowed/new")).exists());
}

#[tokio::test]
async fn text_is_repeated_as_structured_content() {
    let files = Files::new();
    for revision in Revision::ALL {
        let client = TestClient::with_revision(files.server(|_| {}), revision);
        let result = client.call_tool("read_text_file", json!({"path": "hello.txt", "tail": 2})).await.unwrap();
        assert_eq!(text(&result), "World\n");
        if let Some(structured) = &result.structured_content {
            assert_eq!(serde_json::from_str::<Value>(structured.get()).unwrap(), json!({"content": "World\n"}));
        }
    }
}

#[tokio::test]
async fn media_are_images_or_embedded_resources() {
    let files = Files::new();
    let client = TestClient::of(files.server(|_| {}));
    let blocks = |result: CallToolResult| {
        let structured: Value = serde_json::from_str(result.structured_content.unwrap().get()).unwrap();
        assert_eq!(structured["content"], json!(result.content));
        json!(result.content)
    };
    let image = client.call_tool("read_media_file", json!({"path": "image.PNG"})).await.unwrap();
    assert_eq!(blocks(image), json!([{"type": "image", "data": "cG5n", "mimeType": "image/png"}]));
    let other = client.call_tool("read_media_file", json!({"path": "odd name#.bin"})).await.unwrap();
    let uri = format!("file://{}", files.at("allowed/odd%20name%23.bin"));
    let resource = json!({"uri": uri, "mimeType": "application/octet-stream", "blob": "AQI="});
    assert_eq!(blocks(other), json!([{"type": "resource", "resource": resource}]));
}

#[tokio::test]
async fn several_files_are_read_with_their_errors() {
    let files = Files::new();
    let client = TestClient::of(files.server(|_| {}));
    let paths = json!({"paths": ["hello.txt", "none", files.at("second/two.txt")]});
    let expected = format!(
        "hello.txt:\nHello\nWorld\n\n\n---\nnone: Error - ENOENT: no such file or directory, open '{}'\n---\n{}: Error - Access denied - path outside allowed directories: {} not in {}",
        files.at("allowed/none"),
        files.at("second/two.txt"),
        files.at("second/two.txt"),
        files.at("allowed"),
    );
    assert_eq!(call(&client, "read_multiple_files", paths).await, expected);
}

#[tokio::test]
async fn files_are_written_moved_and_found() {
    let files = Files::new();
    let client = TestClient::of(files.server(|_| {}));
    let done = call(&client, "write_file", json!({"path": "new.txt", "content": "one\n"})).await;
    assert_eq!(done, "Successfully wrote to new.txt");
    let edits = json!({"path": "new.txt", "edits": [{"oldText": "one", "newText": "two"}]});
    assert!(call(&client, "edit_file", edits).await.contains("\n-one\n+two\n"));
    let done = call(&client, "create_directory", json!({"path": "x/y"})).await;
    assert_eq!(done, "Successfully created directory x/y");
    let done = call(&client, "move_file", json!({"source": "new.txt", "destination": "x/y/z.txt"})).await;
    assert_eq!(done, "Successfully moved new.txt to x/y/z.txt");
    let found = call(&client, "search_files", json!({"path": "x", "pattern": "**/*.txt"})).await;
    assert_eq!(found, files.at("allowed/x/y/z.txt"));
    assert_eq!(std::fs::read_to_string(found).unwrap(), "two\n");
    let info = call(&client, "get_file_info", json!({"path": "x/y"})).await;
    assert!(info.contains("\nisDirectory: true\nisFile: false\npermissions: 7"), "{info}");
    let listed = call(&client, "list_directory", json!({"path": "x"})).await;
    assert_eq!(listed, "[DIR] y");
    let sizes = call(&client, "list_directory_with_sizes", json!({"path": "x/y", "sortBy": "size"})).await;
    assert!(sizes.ends_with("Total: 1 files, 0 directories\nCombined size: 4 B"), "{sizes}");
    let tree: Value = serde_json::from_str(&call(&client, "directory_tree", json!({"path": "x"})).await).unwrap();
    assert_eq!(tree[0]["children"][0], json!({"name": "z.txt", "type": "file"}));
}

#[tokio::test]
async fn bad_arguments_and_failures_are_told() {
    let files = Files::new();
    let client = TestClient::of(files.server(|_| {}));
    let invalid = |tool: &str, problem: &str| {
        format!("MCP error -32602: Input validation error: Invalid arguments for tool {tool}: {problem}")
    };
    for (tool, arguments, problem) in [
        ("read_text_file", json!({}), "Invalid input: expected string, received undefined at path"),
        ("read_multiple_files", json!({"paths": []}), "Too small: expected array to have >=1 items at paths"),
        (
            "edit_file",
            json!({"path": "x", "edits": [{"newText": ""}]}),
            "Invalid input: expected string, received undefined at edits[0].oldText",
        ),
        (
            "list_directory_with_sizes",
            json!({"path": "x", "sortBy": "age"}),
            r#"Invalid option: expected one of "name"|"size" at sortBy"#,
        ),
    ] {
        assert_eq!(failure(&client, tool, arguments).await, invalid(tool, problem));
    }
    let drive = failure(&client, "read_text_file", json!({"path": "C:\\x"})).await;
    assert_eq!(drive, "Access denied - Windows-style path received on a POSIX host: C:\\x");
    let both = failure(&client, "read_text_file", json!({"path": "hello.txt", "head": 1, "tail": 1})).await;
    assert_eq!(both, "Cannot specify both head and tail parameters simultaneously");
    let pattern = failure(&client, "search_files", json!({"path": ".", "pattern": "{1..9999}"})).await;
    assert!(pattern.starts_with("Invalid pattern: "), "{pattern}");
}

#[tokio::test]
async fn a_limit_is_told_beside_the_result() {
    let files = Files::new();
    let client = TestClient::of(files.server(|options| {
        let mut limits = Limits::default();
        limits.entries = 2;
        options.limits = limits;
    }));
    let result = client.call_tool("directory_tree", json!({"path": "."})).await.unwrap();
    assert!(serde_json::from_str::<Value>(text(&result)).is_ok());
    let note = result.content[1].as_text().unwrap();
    assert_eq!(note, "The result is incomplete: only the first 2 entries were looked at");
}

/// The roots are asked for in the background after the handshake.
async fn allowed_by_roots(files: &Files, policy: RootsPolicy, roots: &[&str], revision: Revision) -> String {
    let client = TestClient::with_revision(files.server(|options| options.roots = policy), revision);
    let client = client.with_roots(roots.iter().map(|root| files.root(root)));
    let mut allowed = String::new();
    for _ in 0..50 {
        allowed = call(&client, "list_allowed_directories", json!({})).await;
        if !allowed.ends_with("/allowed") {
            break;
        }
        tokio::task::yield_now().await;
    }
    allowed.replace(files.0.to_str().unwrap(), "").replace("Allowed directories:\n", "")
}

#[tokio::test]
async fn roots_of_a_legacy_client_count_as_the_policy_says() {
    let files = Files::new();
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_handshake()) {
        for (policy, roots, expected) in [
            (RootsPolicy::Replace, &["second"][..], "/second"),
            (RootsPolicy::Replace, &["none"][..], "/allowed"),
            (RootsPolicy::Within, &["allowed/sub"][..], "/allowed/sub"),
            (RootsPolicy::Within, &["second"][..], "/allowed"),
            (RootsPolicy::Ignore, &["second"][..], "/allowed"),
        ] {
            assert_eq!(allowed_by_roots(&files, policy, roots, revision).await, expected, "{revision} {policy:?}");
        }
    }
}

#[tokio::test]
async fn a_modern_client_is_asked_when_no_directory_was_given() {
    let files = Files::new();
    let with_roots = |server: Server| TestClient::of(server).with_roots([files.root("second")]);
    let client = with_roots(server(Options::default()));
    assert_eq!(call(&client, "read_text_file", json!({"path": "two.txt"})).await, "two");
    let client = with_roots(files.server(|_| {}));
    assert!(failure(&client, "read_text_file", json!({"path": "two.txt"})).await.starts_with("ENOENT: "));
    let client = TestClient::of(server(Options::default()));
    let refused = failure(&client, "read_text_file", json!({"path": "/x"})).await;
    assert_eq!(refused, "Access denied - path outside allowed directories: /x not in ");
}

#[tokio::test]
async fn additional_tools_work_beside_the_others() {
    let files = Files::new();
    let client = TestClient::of(files.server(|options| options.extra_tools = true));
    call(&client, "append_file", json!({"path": "hello.txt", "content": "Again\n"})).await;
    let found = client.call_tool("search_content", json!({"path": ".", "pattern": "o", "limit": 1})).await.unwrap();
    assert_eq!(text(&found), "hello.txt:1: Hello\n");
    let page: Value = serde_json::from_str(found.structured_content.unwrap().get()).unwrap();
    let next = json!({"path": ".", "pattern": "o", "cursor": page["nextCursor"]});
    assert_eq!(call(&client, "search_content", next).await, "hello.txt:2: World\n");
    let lines = call(&client, "read_lines", json!({"path": "hello.txt", "start": 3})).await;
    assert_eq!(lines, "     3\tAgain\n");
    call(&client, "copy_file", json!({"source": "hello.txt", "destination": "sub/copy.txt"})).await;
    let tree = call(&client, "list_tree", json!({"path": "sub", "depth": 1})).await;
    assert_eq!(tree, "a.js\ncopy.txt\n");
    let deleted = call(&client, "delete_file", json!({"path": "sub/copy.txt"})).await;
    assert!(deleted.contains(".jackfield-trash"), "{deleted}");
    let root = files.at("allowed");
    assert!(!failure(&client, "delete_file", json!({"path": root})).await.is_empty());
}

#[tokio::test]
async fn the_filesystem_server_answers_whatever_it_is_asked() {
    let files = Files::new();
    let paths =
        [files.at("allowed"), files.at("allowed/hello.txt"), files.at("allowed/new"), files.at("second/two.txt")];
    let texts =
        [&paths[0], &paths[1], &paths[2], &paths[3], "Hello", "sub/a.js", "**/*", "+(a|aa)+(a|aa)b", "{a,b}{a,b}{a,b}"];
    crate::soak::soak(files.server(|options| options.extra_tools = true), &texts).await;
    assert_eq!(std::fs::read_to_string(files.at("second/two.txt")).unwrap(), "two");
    assert_eq!(std::fs::read_dir(files.at("second")).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(&files.0).unwrap().count(), 2);
}
