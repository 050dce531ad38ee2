//! The folders that a client lets a server work in.

use std::fs;
use std::path::Path;

use jackfield_protocol::Root;
use jackfield_server::{Cx, OutsideRoots, Roots, Server};
use jackfield_testkit::Folder;
use serde_json::json;

use crate::demo::tool;
use crate::talk::{Talk, runtime, started};

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// CLI-010, CLI-011: what leads out of the roots is refused, by whatever way: `..`, links, other names, encoded separators.
#[cfg(unix)]
#[test]
fn paths_stay_within_the_roots() {
    let folder = Folder::new().unwrap();
    let base = folder.path();
    for inner in ["a b/deep", "ab", "other"] {
        fs::create_dir_all(base.join(inner)).unwrap();
    }
    fs::write(base.join("a b/file"), "x").unwrap();
    fs::write(base.join("secret"), "x").unwrap();
    std::os::unix::fs::symlink(base.join("secret"), base.join("a b/link")).unwrap();
    std::os::unix::fs::symlink(base.join("nowhere"), base.join("a b/broken")).unwrap();
    std::os::unix::fs::symlink(base.join("a b/deep"), base.join("a b/inner")).unwrap();
    let root = base.join("a b");
    let roots = Roots::new(&[Root::new(uri(&root).replace(' ', "%20")), Root::new(uri(&base.join("other")))]);

    for (path, real) in [
        ("file", root.join("file")),
        ("deep/../file", root.join("file")),
        ("inner/new", root.join("deep/new")),
        ("new/one", root.join("new/one")),
        ("", root.clone()),
        ("../other/x", base.join("other/x")),
    ] {
        assert_eq!(roots.resolve(path).unwrap(), real, "{path}");
    }
    assert_eq!(roots.resolve_uri(&uri(&root.join("file")).replace(' ', "%20")).unwrap(), root.join("file"));
    for path in ["..", "../secret", "deep/../../secret", "link", "../ab", "../a b2", "/etc/passwd", "../other/../ab/x"]
    {
        assert!(matches!(roots.resolve(path), Err(OutsideRoots::Outside)), "{path}");
    }
    for path in ["broken", "new/../../secret", "file/x"] {
        assert!(roots.resolve(path).is_err(), "{path}");
    }
    for uri in
        ["http://x/y", "file:///etc/passwd", "/etc/passwd", "file://elsewhere/etc", "file:///a%2Fb", "file:///%zz", ""]
    {
        assert!(matches!(roots.resolve_uri(uri), Err(OutsideRoots::Outside)), "{uri}");
    }
    assert!(matches!(Roots::default().resolve("x"), Err(OutsideRoots::Outside)));
}

/// CLI-009: a root that is gone holds nothing, and the others go on.
#[cfg(unix)]
#[test]
fn roots_may_go_away() {
    let folder = Folder::new().unwrap();
    let base = folder.path();
    let (stays, goes) = (base.join("stays"), base.join("goes"));
    for folder in [&stays, &goes] {
        fs::create_dir(folder).unwrap();
    }
    let roots = Roots::new(&[Root::new(uri(&goes)), Root::new(uri(&stays))]);
    assert_eq!(roots.resolve("x").unwrap(), goes.join("x"));
    fs::remove_dir(&goes).unwrap();
    assert_eq!(roots.resolve("x").unwrap(), stays.join("x"));
    assert!(matches!(roots.resolve(goes.join("x")), Err(OutsideRoots::Outside)));
    assert_eq!(
        (roots.gone().collect::<Vec<_>>(), roots.folders().collect::<Vec<_>>()),
        (vec![goes.as_path()], vec![stays.as_path()])
    );
    fs::remove_dir_all(base).unwrap();
    assert!(matches!(roots.resolve("x"), Err(OutsideRoots::Gone)));
}

/// CLI-009, CLI-011: a tool asks for the roots in each call, and a change of them counts at once, in both eras.
#[cfg(unix)]
#[test]
fn a_tool_works_within_the_roots_of_its_client() {
    let folder = Folder::new().unwrap();
    let base = folder.path();
    fs::write(base.join("file"), "x").unwrap();
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let server = started(Server::new("x").tool(tool("look", schema, |arguments, cx: Cx| async move {
        let roots = cx.root_folders().await?;
        Ok::<_, jackfield_server::QuestionError>(match roots.resolve(arguments["path"].as_str().unwrap()) {
            Ok(_) => "inside".to_owned(),
            Err(why) => why.to_string(),
        })
    })));
    let call = json!({"name": "look", "arguments": {"path": base.join("file")}});
    let here = json!({"roots": [{"uri": uri(base)}]});
    let elsewhere = json!({"roots": [{"uri": "file:///nowhere/at/all"}]});
    runtime().block_on(async {
        let mut talk = Talk::new(&server);
        talk.play(&format!(
            r#"
            @ 2025-11-25 {{"roots": {{}}}}
            > 1 tools/call {call}
            < ? roots/list
            > ? {here}
            < 1 {{"content": [{{"text": "inside"}}]}}
            > notifications/roots/list_changed
            > 2 tools/call {call}
            < ? roots/list
            > ? {elsewhere}
            < 2 {{"content": [{{"text": "the folders that the client allows do not exist any more"}}]}}
            "#
        ))
        .await;
        let mut retry = call.clone();
        retry["requestState"] = json!("$s");
        retry["inputResponses"] = json!({"roots": here});
        let mut talk = Talk::new(&server);
        talk.play(&format!(
            r#"
            @ 2026-07-28 {{"roots": {{}}}}
            > 1 tools/call {call}
            < 1 {{"resultType": "input_required", "requestState": "$s", "inputRequests": {{"roots": {{"method": "roots/list"}}}}}}
            > 2 tools/call {retry}
            < 2 {{"content": [{{"text": "inside"}}]}}
            "#
        ))
        .await;
    });
}
