//! The extension `io.modelcontextprotocol/skills`.

use std::fs;
use std::path::{Path, PathBuf};

use jackfield_protocol::Revision;
use jackfield_server::testing::TestClient;
use jackfield_server::{Cached, Item, Server, Skill, Skills};
use serde_json::{Value, json};

use crate::talk::{check, check_each, legacy};

fn markdown(name: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: What {name} does\nmetadata:\n  version: 2.1.0\n---\nRead references/FORMS.md.\n"
    )
}

fn pdf() -> Skill {
    let skill = Skill::new(markdown("pdf-processing")).unwrap();
    let skill = skill.file("references/FORMS.md", "Forms\n").unwrap();
    skill.file("assets/logo.png", vec![0x89, b'P', b'N', b'G', 0xff]).unwrap()
}

fn server() -> Server {
    Server::new("demo").skills(pdf()).skills(Skill::new(markdown("refunds")).unwrap().under("acme/billing").unwrap())
}

#[test]
fn skills_are_declared_listed_and_got() {
    check(
        server(),
        r#"
        @ 2026-07-28
        > 1 server/discover
        < 1 {"capabilities": {"extensions": {"io.modelcontextprotocol/skills": {"directoryRead": true}}, "resources": {}}}
        > 2 skills/list
        < 2 {"resultType": "complete", "ttlMs": 0, "cacheScope": "public", "nextCursor": "!", "skills": [ {"uri": "skill://acme/billing/refunds/SKILL.md", "frontmatter": {"name": "refunds"}, "resources": [{"uri": "skill://acme/billing/refunds/SKILL.md"}]}, {"uri": "skill://pdf-processing/SKILL.md", "frontmatter": {"name": "pdf-processing", "description": "What pdf-processing does", "metadata": {"version": "2.1.0"}}, "resources": [ {"uri": "skill://pdf-processing/SKILL.md", "digest": "*", "size": 120}, {"uri": "skill://pdf-processing/references/FORMS.md", "size": 6, "digest": "sha256:a640426af9e81c8e420a45bb89bf1e98598867b3a25763f53e04286ae33988c6"}, {"uri": "skill://pdf-processing/assets/logo.png", "size": 5, "digest": "*"}]}]}
        > 3 skills/get {"uri": "skill://acme/billing/refunds/SKILL.md"}
        < 3 {"skill": {"uri": "skill://acme/billing/refunds/SKILL.md", "frontmatter": {"name": "refunds"}}, "ttlMs": 0, "cacheScope": "public"}
        > 4 skills/get {"uri": "skill://refunds/SKILL.md"}
        < 4 error -32602 skill://refunds/SKILL.md
        > 5 skills/get {"uri": "skill://pdf-processing/references/FORMS.md"}
        < 5 error -32602
        > 6 skills/get
        < 6 error -32602 uri
        "#,
    );
}

/// XEXT-006: a client that knows nothing of the extension has the files as resources.
#[test]
fn files_are_resources_and_only_skill_md_is_listed() {
    check_each(
        Revision::ALL,
        server,
        r#"
        @ REVISION
        > 1 resources/list
        < 1 {"resources": [ {"uri": "skill://pdf-processing/SKILL.md", "name": "pdf-processing", "description": "What pdf-processing does", "mimeType": "text/markdown"}, {"uri": "skill://acme/billing/refunds/SKILL.md", "name": "refunds"}]}
        > 2 resources/read {"uri": "skill://pdf-processing/references/FORMS.md"}
        < 2 {"contents": [{"text": "Forms\n", "mimeType": "text/markdown"}]}
        > 3 resources/read {"uri": "skill://pdf-processing/assets/logo.png"}
        < 3 {"contents": [{"blob": "iVBOR/8=", "mimeType": "image/png"}]}
        "#,
    );
}

/// XEXT-003: extensions are not part of older revisions, and without skills there is neither the extension nor its methods.
#[test]
fn the_methods_exist_only_where_they_are_declared() {
    let conversation = r#"
        @ REVISION
        > 1 skills/list
        < 1 error -32601
        > 2 resources/directory/read {"uri": "skill://pdf-processing"}
        < 2 error -32601
        "#;
    check_each(legacy(), server, conversation);
    check_each([Revision::LATEST], || Server::new("none"), conversation);
    check_each(
        [Revision::LATEST],
        || Server::new("none"),
        r#"
        @ REVISION
        > 1 server/discover
        < 1 {"capabilities": {"extensions": "!"}}
        "#,
    );
}

#[test]
fn directories_list_their_direct_children() {
    check(
        server(),
        r#"
        @ 2026-07-28
        > 1 resources/directory/read {"uri": "skill://pdf-processing"}
        < 1 {"resources": [ {"uri": "skill://pdf-processing/SKILL.md", "name": "pdf-processing", "mimeType": "text/markdown"}, {"uri": "skill://pdf-processing/assets", "name": "assets", "mimeType": "inode/directory"}, {"uri": "skill://pdf-processing/references", "name": "references", "mimeType": "inode/directory"}]}
        > 2 resources/directory/read {"uri": "skill://pdf-processing/references"}
        < 2 {"resources": [{"uri": "skill://pdf-processing/references/FORMS.md", "name": "FORMS.md", "mimeType": "text/markdown", "size": 6}]}
        > 3 resources/directory/read {"uri": "skill://acme"}
        < 3 {"resources": [{"uri": "skill://acme/billing", "mimeType": "inode/directory"}]}
        > 4 resources/directory/read {"uri": "skill://pdf-processing/SKILL.md"}
        < 4 error -32602
        > 5 resources/directory/read {"uri": "skill://pdf-processing/references/"}
        < 5 error -32602
        > 6 resources/directory/read {"uri": "skill://pdf-processing/../acme"}
        < 6 error -32602
        > 7 resources/directory/read {"uri": "skill:/"}
        < 7 error -32602
        > 8 resources/directory/read {"uri": "skill:"}
        < 8 error -32602
        > 9 resources/directory/read {"uri": "file:///etc"}
        < 9 error -32602
        "#,
    );
}

#[test]
fn lists_have_pages_and_cursors_belong_to_their_list() {
    let server = server().page_size(1);
    check(
        server,
        r#"
        @ 2026-07-28
        > 1 skills/list
        < 1 {"skills": [{"uri": "skill://acme/billing/refunds/SKILL.md"}], "nextCursor": "$next"}
        > 2 skills/list {"cursor": "$next"}
        < 2 {"skills": [{"uri": "skill://pdf-processing/SKILL.md"}], "nextCursor": "!"}
        > 3 resources/list {"cursor": "$next"}
        < 3 error -32602 cursor
        > 4 resources/directory/read {"uri": "skill://pdf-processing"}
        < 4 {"resources": [{"uri": "skill://pdf-processing/SKILL.md"}], "nextCursor": "$child"}
        > 5 resources/directory/read {"uri": "skill://pdf-processing", "cursor": "$child"}
        < 5 {"resources": [{"uri": "skill://pdf-processing/assets"}], "nextCursor": "*"}
        > 6 resources/directory/read {"uri": "skill://pdf-processing/references", "cursor": "$child"}
        < 6 error -32602 cursor
        > 7 skills/list {"cursor": "invented"}
        < 7 error -32602 cursor
        "#,
    );
}

#[test]
fn mounted_skills_move_with_their_server() {
    check(
        Server::new("outer").mount("inner", server()),
        r#"
        @ 2026-07-28
        > 1 skills/get {"uri": "skill://inner/pdf-processing/SKILL.md"}
        < 1 {"skill": {"resources": [{"uri": "skill://inner/pdf-processing/SKILL.md"}, {"uri": "skill://inner/pdf-processing/references/FORMS.md"}, "*"]}}
        > 2 resources/read {"uri": "skill://inner/pdf-processing/references/FORMS.md"}
        < 2 {"contents": [{"uri": "skill://inner/pdf-processing/references/FORMS.md", "text": "Forms\n"}]}
        > 3 resources/directory/read {"uri": "skill://inner/pdf-processing/references"}
        < 3 {"resources": [{"uri": "skill://inner/pdf-processing/references/FORMS.md"}]}
        "#,
    );
}

#[test]
fn what_a_caller_may_not_see_is_not_there() {
    let hidden =
        |_: &jackfield_peer::Caller, item: Item<'_>| !matches!(item, Item::Resource(uri) if uri.contains("pdf"));
    let hint = jackfield_server::CacheHint::private(std::time::Duration::from_secs(2));
    check(
        server().visible_to(hidden).cache(Cached::Skills, hint),
        r#"
        @ 2026-07-28
        > 1 skills/list
        < 1 {"skills": [{"frontmatter": {"name": "refunds"}}], "cacheScope": "private", "ttlMs": 2000}
        > 2 skills/get {"uri": "skill://pdf-processing/SKILL.md"}
        < 2 error -32602
        > 3 resources/directory/read {"uri": "skill://pdf-processing"}
        < 3 error -32602
        > 4 resources/read {"uri": "skill://pdf-processing/references/FORMS.md"}
        < 4 error -32602
        "#,
    );
}

#[test]
fn a_dynamic_skill_has_no_digests() {
    check(
        Server::new("demo").skills(Skill::new(markdown("made")).unwrap().dynamic()),
        r#"
        @ 2026-07-28
        > 1 skills/list
        < 1 {"skills": [{"uri": "skill://made/SKILL.md", "resources": "dynamic"}]}
        "#,
    );
}

#[tokio::test]
async fn skills_can_be_replaced_while_the_server_runs() {
    let server = server();
    let registry = server.registry();
    let client = TestClient::of(server);
    client.listen(json!({ "resourcesListChanged": true })).await.unwrap();
    registry.replace_skills(Skill::new(markdown("new")).unwrap()).unwrap();
    client.wait_for("notifications/resources/list_changed").await.unwrap();
    let names: Vec<_> = client.list_resources().await.unwrap().into_iter().map(|resource| resource.name).collect();
    assert_eq!(names, ["new"]);
    assert_eq!(client.read_resource("skill://pdf-processing/SKILL.md").await.unwrap_err().code, -32602);
}

#[test]
fn two_skills_can_not_have_one_uri() {
    let error = Server::new("demo").skills(pdf()).skills(pdf()).build().unwrap_err();
    assert_eq!(error.problems(), ["there are two skills `skill://pdf-processing/SKILL.md`"]);
}

/// A directory that is removed again.
struct Folder(jackfield_testkit::Folder);

impl Folder {
    fn new() -> Self {
        Self(jackfield_testkit::Folder::new().unwrap())
    }

    fn write(&self, path: &str, contents: impl AsRef<[u8]>) -> &Self {
        self.0.write(path, contents).unwrap();
        self
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.join(below)
    }
}

async fn listed(skills: Skills) -> Vec<(String, Vec<String>)> {
    let client = TestClient::of(Server::new("demo").skills(skills));
    let listed = client.request("skills/list", json!({})).await.unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let skills = listed["skills"].as_array().unwrap().iter();
    skills
        .map(|skill| {
            (
                text(&skill["uri"]),
                skill["resources"].as_array().unwrap().iter().map(|file| text(&file["uri"])).collect(),
            )
        })
        .collect()
}

/// A skill inside another is listed by itself, and its files belong to both.
#[tokio::test]
async fn directories_become_skills() {
    let folder = Folder::new();
    folder.write("outer/SKILL.md", markdown("outer")).write("outer/a b.txt", "x").write("outer/.hidden", "x");
    folder.write("outer/parts/inner/SKILL.md", markdown("inner")).write("outer/parts/inner/x.bin", [0xff]);
    folder.write("no-skill/readme.md", "x").write(".git/SKILL.md", "x");
    let all = listed(Skills::from_dir(folder.path("")).unwrap()).await;
    let inner = ["skill://outer/parts/inner/SKILL.md", "skill://outer/parts/inner/x.bin"].map(str::to_owned).to_vec();
    let outer = ["skill://outer/SKILL.md", "skill://outer/a%20b.txt"].map(str::to_owned);
    assert_eq!(
        all,
        [
            ("skill://outer/SKILL.md".to_owned(), outer.into_iter().chain(inner.clone()).collect()),
            ("skill://outer/parts/inner/SKILL.md".to_owned(), inner),
        ]
    );
    let one = listed(Skill::from_dir(folder.path("outer/parts/inner")).unwrap().into()).await;
    assert_eq!(one[0].0, "skill://inner/SKILL.md");
    let same = listed(Skills::from_dir(folder.path("outer/parts/inner")).unwrap()).await;
    assert_eq!(same, one);
    // The nested skill is one resource, with its own name.
    let client = TestClient::of(Server::new("demo").skills(Skills::from_dir(folder.path("")).unwrap()));
    let names: Vec<_> = client.list_resources().await.unwrap().into_iter().map(|resource| resource.name).collect();
    assert_eq!(names, ["outer", "inner"]);
}

fn problem(root: &Path) -> String {
    Skills::from_dir(root).unwrap_err().to_string()
}

/// T-104 in part: what is outside the directory does not get in, whatever is inside.
#[cfg(unix)]
#[test]
fn links_are_refused() {
    let outside = Folder::new();
    outside.write("secret.txt", "secret");
    for target in ["secret.txt", "."] {
        let folder = Folder::new();
        folder.write("a/SKILL.md", markdown("a"));
        std::os::unix::fs::symlink(outside.path(target), folder.path("a/link")).unwrap();
        let problem = problem(&folder.path(""));
        assert!(problem.contains("links are not followed") && problem.contains("link"), "{problem}");
    }
}

#[test]
fn a_directory_has_the_name_of_its_skill_and_is_not_too_large() {
    let folder = Folder::new();
    folder.write("other/SKILL.md", markdown("a"));
    assert!(problem(&folder.path("")).contains("name of its skill, \"a\""));

    let folder = Folder::new();
    folder.write("a/SKILL.md", markdown("a"));
    for number in 0..512 {
        folder.write(&format!("a/{number}"), "");
    }
    assert!(problem(&folder.path("")).contains("more than 512 files"));
    fs::remove_file(folder.path("a/0")).unwrap();
    assert!(Skills::from_dir(folder.path("")).is_ok());

    let folder = Folder::new();
    folder.write("a/SKILL.md", markdown("a")).write("a/large", vec![0; 16 * 1024 * 1024 + 1]);
    assert!(problem(&folder.path("")).contains("more than 16777216 bytes"));

    let folder = Folder::new();
    folder.write("a/SKILL.md", [0xff, 0xfe]);
    assert!(problem(&folder.path("")).contains("not UTF-8"));
    assert!(Skill::from_dir(folder.path("missing")).is_err());
}
