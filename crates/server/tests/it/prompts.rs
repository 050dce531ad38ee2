//! Prompts and completion.

use std::collections::BTreeMap;
use std::sync::Arc;

use jackfield_protocol::{
    Completion, ContentBlock, EmbeddedResource, GetPromptResult, Prompt, PromptArgument, PromptMessage,
    ResourceContents, Revision,
};
use jackfield_server::{Cx, PromptEntry, Server, Work};

use crate::demo::{demo, review, template};
use crate::talk::{Talk, check, check_each, runtime, started};

/// SRV-058, SRV-064, SRV-065: listed, got, and refused with -32602.
#[test]
fn prompts_are_listed_and_got() {
    check_each(
        Revision::ALL,
        demo,
        r#"
        @ REVISION
        > 1 prompts/list
        < 1 {"prompts": [{"name": "review", "arguments": [{"name": "code", "required": true}, {"name": "language"}]}]}
        > 2 prompts/get {"name": "review", "arguments": {"code": "x=1"}}
        < 2 {"description": "Reviews code.", "messages": [{"role": "user", "content": {"type": "text", "text": "Review: x=1"}}]}
        > 3 prompts/get {"name": "nope"}
        < 3 error -32602 nope
        > 4 prompts/get {"name": "review"}
        < 4 error -32602 `code`
        > 5 prompts/get {"name": "review", "arguments": {"code": 5}}
        < 5 error -32602
        > 6 prompts/get {"name": "review", "arguments": []}
        < 6 error -32602
        "#,
    );
}

/// SRV-059: the prompts are the same whatever was done before, and on every connection.
#[test]
fn prompts_are_the_same_for_everyone_at_all_times() {
    runtime().block_on(async {
        let server = started(demo());
        let (mut one, mut other) = (Talk::new(&server), Talk::new(&server));
        one.play(
            r#"
            @ 2026-07-28
            > 1 prompts/list
            < 1 {"prompts": "$before"}
            > 2 prompts/get {"name": "review", "arguments": {"code": "x=1"}}
            < 2 {}
            > 3 prompts/get {"name": "nope"}
            < 3 error -32602
            > 4 prompts/list
            < 4 {"prompts": "$after"}
            "#,
        )
        .await;
        other.play("@ 2026-07-28\n > 1 prompts/list\n < 1 {\"prompts\": \"$others\"}").await;
        assert_eq!(one.known("$before"), one.known("$after"));
        assert_eq!(one.known("$before"), other.known("$others"));
        assert_eq!(one.known("$before").as_array().unwrap().len(), 1);
    });
}

/// SRV-085: completion is declared where the revision has a word for it, and where there is something to complete.
#[test]
fn completion_is_declared() {
    for (revision, is_declared) in
        [("2024-11-05", false), ("2025-03-26", true), ("2025-06-18", true), ("2025-11-25", true)]
    {
        let declared = |server: Server| {
            runtime().block_on(async {
                let mut talk = Talk::new(server);
                talk.play(&format!(r#"> 0 initialize {{"protocolVersion": "{revision}", "capabilities": {{}}, "clientInfo": {{"name": "t", "version": "1"}}}}"#)).await;
                let answer = talk.receive().await.unwrap();
                assert_eq!(answer["result"]["protocolVersion"], revision);
                answer["result"]["capabilities"].get("completions").cloned()
            })
        };
        assert_eq!(declared(demo()), is_declared.then(|| serde_json::json!({})), "{revision}");
        let without = Server::new("x").prompt({
            let mut entry = review();
            entry.completers.clear();
            entry
        });
        assert_eq!(declared(without), None, "{revision}");
    }
    check(demo(), "@ 2026-07-28\n > 1 server/discover\n < 1 {\"capabilities\": {\"completions\": {}}}");
}

/// SRV-087, SRV-090: completion of arguments, with what was chosen before.
#[test]
fn arguments_are_completed() {
    check_each(
        Revision::ALL,
        demo,
        r#"
        @ REVISION
        > 1 completion/complete {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "language", "value": "ru"}}
        < 1 {"completion": {"values": ["rust", "ruby"]}}
        > 2 completion/complete {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "code", "value": ""}}
        < 2 {"completion": {"values": []}}
        > 3 completion/complete {"ref": {"type": "ref/prompt", "name": "nope"}, "argument": {"name": "code", "value": ""}}
        < 3 error -32602 nope
        > 4 completion/complete {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "nope", "value": ""}}
        < 4 error -32602 nope
        > 5 completion/complete {"ref": {"type": "ref/other", "name": "review"}, "argument": {"name": "code", "value": ""}}
        < 5 error -32602
        > 6 completion/complete {"ref": {"type": "ref/prompt", "name": "review"}}
        < 6 error -32602
        > 7 completion/complete {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "language", "value": "p"}, "context": {"arguments": {"code": "main"}}}
        < 7 {"completion": {"values": ["python", "for main"]}}
        "#,
    );
}

/// SRV-086: at most 100 values, and how many there are.
#[test]
fn completions_are_at_most_a_hundred() {
    let server = || {
        let mut entry = template("x:{n}", |_| None);
        entry.completers.insert(
            "n".into(),
            Arc::new(|_: String, _: BTreeMap<String, String>, _: Cx| {
                Work::later(async { Ok(Completion::new((0..250).map(|n| n.to_string()).collect::<Vec<_>>()).into()) })
            }),
        );
        Server::new("x").resource(entry)
    };
    check_each(
        Revision::ALL,
        server,
        r#"
        @ REVISION
        > 1 completion/complete {"ref": {"type": "ref/resource", "uri": "x:{n}"}, "argument": {"name": "n", "value": ""}}
        < 1 {"completion": {"values": "$values", "total": 250, "hasMore": true}}
        > 2 completion/complete {"ref": {"type": "ref/resource", "uri": "x:{m}"}, "argument": {"name": "n", "value": ""}}
        < 2 error -32602
        > 3 completion/complete {"ref": {"type": "ref/resource", "uri": "x:{n}"}, "argument": {"name": "m", "value": ""}}
        < 3 error -32602
        "#,
    );
    runtime().block_on(async {
        let mut talk = Talk::new(server());
        talk.play(r#"
            @ 2025-11-25
            > 1 completion/complete {"ref": {"type": "ref/resource", "uri": "x:{n}"}, "argument": {"name": "n", "value": ""}}
            < 1 {"completion": {"values": "$values"}}
        "#).await;
        assert_eq!(talk.known("$values").as_array().unwrap().len(), 100);
    });
}

#[test]
fn a_prompt_that_fails_is_an_internal_error() {
    let broken = PromptEntry::new(Prompt::new("p"), |_: BTreeMap<String, String>, _: Cx| -> Work<GetPromptResult> {
        panic!("no")
    });
    check(Server::new("x").prompt(broken), "@ 2026-07-28\n > 1 prompts/get {\"name\": \"p\"}\n < 1 error -32603");
}

/// SRV-063, SRV-068: what a prompt is filled in with is checked, and so is what it embeds: a URI, a MIME type, and text or base64.
#[test]
fn prompts_are_checked_both_ways() {
    let embedding = |resource: ResourceContents| {
        let prompt = Prompt::new("p").with_arguments(vec![PromptArgument::new("a").with_required(true)]);
        Server::new("x").prompt(PromptEntry::new(prompt, move |_: BTreeMap<String, String>, _: Cx| {
            let embedded = ContentBlock::Resource(EmbeddedResource::new(resource.clone()));
            Work::Ready(Ok(GetPromptResult::new(vec![PromptMessage::user(embedded)]).into()))
        }))
    };
    let conversation = |end: &str| {
        format!("@ REVISION\n> 1 prompts/get {{\"name\": \"p\", \"arguments\": {{\"a\": \"x\"}}}}\n< 1 {end}")
    };
    let text = |uri: &str| ResourceContents::text(uri, "x").with_mime_type("text/plain");
    let blob = |data: &'static str| ResourceContents::blob("note:1", data).with_mime_type("image/png");
    for good in [text("note:1"), blob("AAAA")] {
        let sent =
            r#"{"messages": [{"content": {"type": "resource", "resource": {"uri": "note:1", "mimeType": "*"}}}]}"#;
        check_each(Revision::ALL, || embedding(good.clone()), &conversation(sent));
    }
    for bad in [text("no uri"), text(""), ResourceContents::text("note:1", "x"), blob("not base64")] {
        check_each(Revision::ALL, || embedding(bad.clone()), &conversation("error -32603 the prompt p cannot be sent"));
    }
    check_each(
        Revision::ALL,
        || embedding(text("note:1")),
        r#"
        @ REVISION
        > 1 prompts/get {"name": "p"}
        < 1 error -32602 needs the argument `a`
        > 2 prompts/get {"name": "p", "arguments": {"a": 1}}
        < 2 error -32602
        > 3 prompts/get {"name": "p", "arguments": ["x"]}
        < 3 error -32602
        "#,
    );
}

#[test]
fn completers_need_something_to_complete() {
    let mut entry = review();
    entry.completers.insert("nobody".into(), entry.completers["language"].clone());
    assert!(Server::new("x").prompt(entry).build().unwrap_err().to_string().contains("`nobody`"));
}
