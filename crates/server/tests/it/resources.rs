//! Resources and templates.

use jackfield_protocol::{BlobResourceContents, ErrorObject, ReadResourceResult, Resource, ResourceContents, Revision};
use jackfield_server::{Address, Cx, ResourceEntry, ResourcePage, Server, Variables, Work};

use crate::demo::{demo, plain, template, text_resource};
use crate::talk::{check, check_each, legacy};

/// SRV-040, SRV-041, SRV-054: listed in order, read as text or base64.
#[test]
fn resources_are_listed_and_read() {
    let server = || {
        let binary = Resource::new("bin:x", "x");
        demo().resource(ResourceEntry::new(Address::Static(binary), |uri: String, _: Variables, _: Cx| {
            let blob = BlobResourceContents::new(uri, "AAEC").with_mime_type("application/octet-stream");
            Work::Ready(Ok(ReadResourceResult::new(vec![ResourceContents::from(blob)]).into()))
        }))
    };
    check_each(
        Revision::ALL,
        server,
        r#"
        @ REVISION
        > 1 resources/list
        < 1 {"resources": [{"uri": "note:one", "mimeType": "text/plain"}, {"uri": "bin:x"}]}
        > 2 resources/templates/list
        < 2 {"resourceTemplates": [{"uriTemplate": "note://{id}"}]}
        > 3 resources/read {"uri": "note:one"}
        < 3 {"contents": [{"uri": "note:one", "text": "the first", "mimeType": "text/plain"}]}
        > 4 resources/read {"uri": "note://4%202"}
        < 4 {"contents": [{"uri": "note://4%202", "text": "4 2"}]}
        > 5 resources/read {"uri": "bin:x"}
        < 5 {"contents": [{"blob": "AAEC"}]}
        "#,
    );
}

/// SRV-047, SRV-048, SRV-051, BASE-028: not found is told by the code of the era, never by empty contents.
#[test]
fn what_is_not_there_is_not_found() {
    for revision in Revision::ALL {
        let code = revision.resource_not_found_code();
        let conversation = r#"
            @ REVISION
            > 1 resources/read {"uri": "other:x"}
            < 1 error CODE other:x
            > 2 resources/read {"uri": "note://0"}
            < 2 error CODE
            > 3 resources/read {"uri": "note://a/b"}
            < 3 error CODE
            "#;
        check(&demo(), &conversation.replace("REVISION", revision.as_str()).replace("CODE", &code.to_string()));
    }
}

/// SRV-046, SRV-052: what is no URI is refused.
#[test]
fn uris_are_checked() {
    check_each(
        Revision::ALL,
        demo,
        r#"
        @ REVISION
        > 1 resources/read {"uri": "no scheme"}
        < 1 error -32602 uri
        > 2 resources/read {"uri": "1x:y"}
        < 2 error -32602 scheme
        > 3 resources/read {"uri": "note://a b"}
        < 3 error -32602 uri
        > 4 resources/read {"uri": 5}
        < 4 error -32602 uri
        > 5 resources/read {}
        < 5 error -32602 uri
        "#,
    );
}

/// SRV-056, T-104: nothing outside the folder is found.
#[test]
fn files_outside_of_the_folder_are_not_found() {
    let server = Server::new("files").resource(template("file:///root/{+path}", |v| v.get("path").map(str::to_owned)));
    check(
        &server,
        r#"
        @ 2026-07-28
        > 1 resources/read {"uri": "file:///root/a/b.txt"}
        < 1 {"contents": [{"text": "a/b.txt"}]}
        > 2 resources/read {"uri": "file:///root/../etc/passwd"}
        < 2 error -32602 not found
        > 3 resources/read {"uri": "file:///root/%2e%2e/etc"}
        < 3 error -32602 not found
        > 4 resources/read {"uri": "file:///root/..%2f..%2fetc"}
        < 4 error -32602 not found
        > 5 resources/read {"uri": "file:///root/a%00b"}
        < 5 error -32602 not found
        > 6 resources/read {"uri": "file:///root/C%3A/x"}
        < 6 error -32602 not found
        > 7 resources/read {"uri": "file:///root/a%5C..%5Cb"}
        < 7 error -32602 not found
        > 8 resources/read {"uri": "file:///root/%252e%252e"}
        < 8 {"contents": [{"text": "%2e%2e"}]}
        "#,
    );
}

#[test]
fn a_resource_comes_before_templates_and_the_specific_one_first() {
    let server = Server::new("x")
        .resource(template("x:{+all}", |_| Some("all".into())))
        .resource(template("x:{a}", |_| Some("one".into())))
        .resource(template("x:user/{a}", |_| Some("user".into())))
        .resource(text_resource("x:user/me", "me"));
    check(
        &server,
        r#"
        @ 2025-11-25
        > 1 resources/read {"uri": "x:user/me"}
        < 1 {"contents": [{"text": "me"}]}
        > 2 resources/read {"uri": "x:user/you"}
        < 2 {"contents": [{"text": "user"}]}
        > 3 resources/read {"uri": "x:you"}
        < 3 {"contents": [{"text": "one"}]}
        > 4 resources/read {"uri": "x:a/b/c"}
        < 4 {"contents": [{"text": "all"}]}
        "#,
    );
}

/// SRV-049: an internal error is -32603.
#[test]
fn a_resource_may_fail() {
    let broken = ResourceEntry::new(Address::Static(Resource::new("x:y", "y")), |_: String, _: Variables, _: Cx| {
        Work::Ready(Err(ErrorObject::internal("the disk is gone")))
    });
    check_each(
        Revision::ALL,
        || Server::new("x").resource(broken.clone()),
        "@ REVISION\n > 1 resources/read {\"uri\": \"x:y\"}\n < 1 error -32603 disk",
    );
}

#[test]
fn hooks_list_and_read_what_is_not_registered() {
    let server = || {
        Server::new("x")
            .resource(text_resource("a:fixed", "fixed"))
            .resource_list(|_, cursor: Option<String>| async move {
                let page = |name: &str| vec![Resource::new(format!("a:{name}"), name)];
                Ok(match cursor.as_deref() {
                    None => ResourcePage::last(page("one")).with_next("2"),
                    Some("2") => ResourcePage::last(page("two")),
                    Some(_) => return Err(ErrorObject::internal("never asked for")),
                })
            })
            .resource_read(|uri, _| async move {
                let name = uri.strip_prefix("a:")?.to_owned();
                (name.len() == 3).then(|| Ok(ReadResourceResult::new(vec![ResourceContents::text(uri, name)]).into()))
            })
    };
    check_each(
        Revision::ALL,
        server,
        r#"
        @ REVISION
        > 1 resources/list
        < 1 {"resources": [{"uri": "a:fixed"}], "nextCursor": "$one"}
        > 2 resources/list {"cursor": "$one"}
        < 2 {"resources": [{"uri": "a:one"}], "nextCursor": "$two"}
        > 3 resources/list {"cursor": "$two"}
        < 3 {"resources": [{"uri": "a:two"}], "nextCursor": "!"}
        > 4 resources/read {"uri": "a:two"}
        < 4 {"contents": [{"text": "two"}]}
        > 5 resources/templates/list {"cursor": "$one"}
        < 5 error -32602 cursor
        "#,
    );
    check_each(legacy(), server, "@ REVISION\n > 1 resources/read {\"uri\": \"a:four\"}\n < 1 error -32002");
}

#[test]
fn a_handler_reads_resources_of_its_server() {
    let server = || {
        demo().tool(plain("read", |cx: Cx| async move {
            let read = cx.read_resource("note://42").await?;
            let ResourceContents::Text(text) = &read.contents[0] else { return Err(ErrorObject::internal("?")) };
            let missing = cx.read_resource("note://0").await.unwrap_err();
            Ok(format!("{} {}", text.text, missing.code))
        }))
    };
    check_each(
        legacy(),
        server,
        "@ REVISION\n > 1 tools/call {\"name\": \"read\"}\n < 1 {\"content\": [{\"text\": \"42 -32002\"}]}",
    );
}
