//! Resources and templates.

use jackfield_protocol::{
    BlobResourceContents, CallToolResult, ContentBlock, ErrorObject, ReadResourceResult, Resource, ResourceContents,
    ResourceLink, Revision,
};
use jackfield_server::{Address, Cx, Item, Reading, ResourceEntry, ResourcePage, Server, Variables, Work};

use crate::demo::{demo, plain, template, text_resource, text_schema, tool};
use crate::talk::{Talk, check, check_each, legacy, runtime, started};

/// SRV-040, SRV-054: listed in order, read as text or base64.
#[test]
fn resources_are_listed_and_read() {
    let server = || {
        let binary = Resource::new("bin:x", "x");
        demo().resource(ResourceEntry::new(
            Address::Static(binary),
            |Reading { uri, .. }: Reading, _: Variables, _: Cx| {
                let blob = BlobResourceContents::new(uri, "AAEC").with_mime_type("application/octet-stream");
                Work::Ready(Ok(ReadResourceResult::new(vec![ResourceContents::from(blob)]).into()))
            },
        ))
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
    for (revision, code) in [
        ("2024-11-05", "-32002"),
        ("2025-03-26", "-32002"),
        ("2025-06-18", "-32002"),
        ("2025-11-25", "-32002"),
        ("2026-07-28", "-32602"),
    ] {
        let conversation = r#"
            @ REVISION
            > 1 resources/read {"uri": "other:x"}
            < 1 error CODE other:x
            > 2 resources/read {"uri": "note://0"}
            < 2 error CODE
            > 3 resources/read {"uri": "note://a/b"}
            < 3 error CODE
            "#;
        check(demo(), &conversation.replace("REVISION", revision).replace("CODE", code));
    }
}

/// SRV-041: the resources are the same whatever was done before, and on every connection.
#[test]
fn resources_are_the_same_for_everyone_at_all_times() {
    runtime().block_on(async {
        let server = started(demo());
        let (mut one, mut other) = (Talk::new(&server), Talk::new(&server));
        one.play(
            r#"
            @ 2026-07-28
            > 1 resources/list
            < 1 {"resources": "$before"}
            > 2 resources/templates/list
            < 2 {"resourceTemplates": "$templates before"}
            > 3 resources/read {"uri": "note://new"}
            < 3 {}
            > 4 resources/read {"uri": "other:x"}
            < 4 error -32602
            > 5 resources/list
            < 5 {"resources": "$after"}
            > 6 resources/templates/list
            < 6 {"resourceTemplates": "$templates after"}
            "#,
        )
        .await;
        other.play("@ 2026-07-28\n > 1 resources/list\n < 1 {\"resources\": \"$others\"}").await;
        assert_eq!(one.known("$before"), one.known("$after"));
        assert_eq!(one.known("$templates before"), one.known("$templates after"));
        assert_eq!(one.known("$before"), other.known("$others"));
        assert_eq!(one.known("$before").as_array().unwrap().len(), 1);
    });
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
        server,
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
        server,
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
    let broken = ResourceEntry::new(Address::Static(Resource::new("x:y", "y")), |_: Reading, _: Variables, _: Cx| {
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

/// A tool that reads what its caller names.
fn reading(server: Server) -> Server {
    server.tool(tool("read", text_schema("uri"), |arguments, cx: Cx| async move {
        let read = cx.read_resource(arguments["uri"].as_str().unwrap()).await?;
        let ResourceContents::Text(text) = &read.contents[0] else { return Err(ErrorObject::internal("?")) };
        Ok(text.text.to_string())
    }))
}

/// A handler that reads for its caller finds no more than the caller would.
#[test]
fn a_handler_reads_what_its_caller_may_see() {
    let hidden = |server: Server| {
        server.visible_to(|_, item| match item {
            Item::Resource(uri) => !uri.contains("secret"),
            Item::Template(template) => !template.contains("hidden"),
            _ => true,
        })
    };
    let inner = || {
        Server::new("x")
            .resource(text_resource("note:secret", "s"))
            .resource(text_resource("note:one", "1"))
            .resource(template("hidden://{id}", |_| Some("h".to_owned())))
            .resource_read(|uri, _| async move {
                uri.starts_with("hook:")
                    .then(|| Ok(ReadResourceResult::new(vec![ResourceContents::text(uri, "k")]).into()))
            })
    };
    let conversation = r#"
        @ 2026-07-28
        > 1 tools/call {"name": "PREFIXread", "arguments": {"uri": "note:one"}}
        < 1 {"content": [{"text": "1"}]}
        > 2 tools/call {"name": "PREFIXread", "arguments": {"uri": "hook:x"}}
        < 2 {"content": [{"text": "k"}]}
        > 3 tools/call {"name": "PREFIXread", "arguments": {"uri": "note:secret"}}
        < 3 error -32602 note:secret
        > 4 tools/call {"name": "PREFIXread", "arguments": {"uri": "hidden://4"}}
        < 4 error -32602 hidden://4
        > 5 tools/call {"name": "PREFIXread", "arguments": {"uri": "hook:secret"}}
        < 5 error -32602 hook:secret
        > 6 tools/call {"name": "PREFIXread", "arguments": {"uri": "no scheme"}}
        < 6 error -32602 uri
        "#;
    check(hidden(reading(inner())), &conversation.replace("PREFIX", ""));
    // Both servers have a say.
    let mounted = |outer: Server, inner: Server| outer.mount("docs", inner);
    check(mounted(Server::new("o"), hidden(reading(inner()))), &conversation.replace("PREFIX", "docs_"));
    let by_outer_names = Server::new("o").visible_to(|_, item| match item {
        Item::Resource(uri) => !matches!(uri, "note:docs/secret" | "hook:docs/secret"),
        Item::Template(template) => template != "hidden://docs/{id}",
        _ => true,
    });
    check(mounted(by_outer_names, reading(inner())), &conversation.replace("PREFIX", "docs_"));
}

/// A hook that asks while a handler reads ends the reading, not the patience of the caller.
#[test]
fn a_hook_that_asks_inside_a_call_is_an_error() {
    let server = started(reading(Server::new("x").resource_read(|uri, cx: Cx| async move {
        let roots = cx.roots().await.map(|roots| roots.len().to_string()).unwrap_or_default();
        Some(Ok(ReadResourceResult::new(vec![ResourceContents::text(uri, roots)]).into()))
    })));
    check(
        &server,
        r#"
        @ 2026-07-28 {"roots": {}}
        > 1 tools/call {"name": "read", "arguments": {"uri": "a:b"}}
        < 1 error -32603 asks a question
        @ 2026-07-28 {}
        > 2 tools/call {"name": "read", "arguments": {"uri": "a:b"}}
        < 2 error -32021 roots
        "#,
    );
    check(
        &server,
        r#"
        @ 2025-11-25 {"roots": {}}
        > 1 tools/call {"name": "read", "arguments": {"uri": "a:b"}}
        < ? roots/list
        > ? {"roots": []}
        < 1 {"content": [{"text": "0"}]}
        "#,
    );
}

/// What is read from a mounted server has the name that was asked for, and updates and links have it too.
#[test]
fn a_mounted_resource_has_one_name() {
    let inner = Server::new("inner")
        .resource(template("file://{+path}", |variables| variables.get("path").map(str::to_owned)))
        .tool(plain("touch", |cx: Cx| async move {
            cx.notify_resource_updated("file:///a/b");
            let link = ResourceLink::new("file:///a/b", "b");
            CallToolResult::new(vec![ContentBlock::ResourceLink(link.into())])
        }));
    let server = Server::new("outer").mount("m", Server::new("middle").mount("docs", inner));
    check(
        server,
        r#"
        @ 2025-11-25
        > 1 resources/templates/list
        < 1 {"resourceTemplates": [{"uriTemplate": "file://m/docs/{+path}"}]}
        > 2 resources/read {"uri": "file://m/docs//a/b"}
        < 2 {"contents": [{"uri": "file://m/docs//a/b", "text": "/a/b"}]}
        > 3 resources/read {"uri": "file://m/docs/c"}
        < 3 {"contents": [{"uri": "file://m/docs/c", "text": "c"}]}
        > 4 resources/subscribe {"uri": "file://m/docs//a/b"}
        < 4 {}
        > 5 tools/call {"name": "m_docs_touch"}
        < 5 {"content": [{"uri": "file://m/docs//a/b"}]}
        < notifications/resources/updated {"uri": "file://m/docs//a/b"}
        "#,
    );
}
