//! Conversations with a person, in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use jackfield::protocol::{
    BooleanSchema, Choices, CreateMessageParams, ElicitFormParams, ElicitSchema, ElicitUrlParams, MultiSelectSchema,
    NumberSchema, SamplingMessage, SingleSelectSchema, StringSchema, UrlMode,
};
use serde_json::{Value, json};

use super::dialogue::Dialogue;
use super::{form, page, sampling};
use crate::show::Style;

fn talk<T>(input: &str, talk: impl FnOnce(&mut Dialogue<'_>) -> io::Result<T>) -> (T, String) {
    let mut output = Vec::new();
    let mut input = input.as_bytes();
    let outcome = talk(&mut Dialogue::new(&mut input, &mut output, Style::PLAIN)).unwrap();
    (outcome, String::from_utf8(output).unwrap())
}

fn questions() -> ElicitFormParams {
    let text = StringSchema::default().with_title("Your name").with_description("As others call you\x1b[2J");
    let keys = Choices::titled([("key-c", "C major"), ("key-g", "G major")]);
    let schema = ElicitSchema::default()
        .with_required("name", text)
        .with_required("age", NumberSchema::integer().with_minimum(0))
        .with_optional("agree", BooleanSchema::default())
        .with_optional("key", SingleSelectSchema::new(keys.clone()).with_default("key-c"))
        .with_optional("keys", MultiSelectSchema::new(keys));
    ElicitFormParams::new("Who are you?", schema)
}

fn fill(input: &str, answers: &[(&str, &str)]) -> (Value, String) {
    let answers: BTreeMap<String, String> = answers.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let (result, shown) = talk(input, |dialogue| form::fill(dialogue, "demo", &questions(), &answers));
    (serde_json::to_value(result).unwrap(), shown)
}

/// CLI-041, CLI-042, CLI-044, CLI-052, CLI-091: the person sees who asks, is asked with defaults until everything fits, and reviews it.
#[test]
fn a_form_is_filled_in_field_by_field() {
    let (result, shown) = fill("Ada\nold\n-1\n36\nyes\n\n2,C major\ny\n", &[]);
    let content = json!({"name": "Ada", "age": 36, "agree": true, "key": "key-c", "keys": ["key-g", "key-c"]});
    assert_eq!(result, json!({"action": "accept", "content": content}));
    assert!(shown.contains("demo asks you to fill in a form:\n  | Who are you?"), "{shown}");
    assert!(shown.contains("Your name (a text, required)"), "{shown}");
    assert!(shown.matches("it must be a whole number of at least 0").count() == 2, "{shown}");
    assert!(shown.contains("  1. key-c  C major") && shown.contains("key [key-c]: "), "{shown}");
    assert!(shown.contains("This will be sent to the server:\n  name: Ada\n  age: 36"), "{shown}");
    assert!(!shown.contains('\x1b'), "{shown}");
}

/// CLI-041, CLI-043, CLI-077: there is a way to decline and one to cancel, at every point, for one who knows who asks for what.
#[test]
fn a_form_can_be_declined_and_cancelled() {
    for (input, action) in [
        (":decline\n", "decline"),
        ("Ada\n:cancel\n", "cancel"),
        ("Ada\n36\n\n\n\nd\n", "decline"),
        ("Ada\n36\n\n\n\nwhat?\nc\n", "cancel"),
        ("Ada\n", "cancel"),
        ("", "cancel"),
    ] {
        let (result, shown) = fill(input, &[]);
        assert_eq!(result, json!({"action": action}), "{input:?}");
        assert!(shown.starts_with("\ndemo asks you to fill in a form:\n  | Who are you?\n"), "{shown}");
    }
}

/// CLI-088: what a server writes cannot be clicked on, wherever it stands in a question. Only the address of a page is shown as one.
#[test]
fn nothing_but_the_address_of_a_page_can_be_followed() {
    const LINK: &str = "\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\";
    let field = StringSchema::default().with_title(LINK).with_description(LINK);
    let form = ElicitFormParams::new(LINK, ElicitSchema::default().with_required("name", field));
    let (_, shown) = talk(":cancel\n", |dialogue| form::fill(dialogue, "demo", &form, &BTreeMap::new()));
    assert!(!shown.contains('\x1b') && shown.matches("\\u{1b}]8;;https://evil.example").count() == 3, "{shown}");
    let page = ElicitUrlParams::new(UrlMode::Url, LINK, "https://example.com/");
    let (_, shown) = talk("c\n", |dialogue| page::visit(dialogue, "demo", &page, &|_| Ok(())));
    assert!(!shown.contains('\x1b') && shown.contains("address: https://example.com/\n"), "{shown}");
    let request = CreateMessageParams::new(vec![SamplingMessage::user(LINK)], 100);
    let (_, shown) = talk("", |dialogue| sampling::answer(dialogue, "demo", &request));
    assert!(!shown.contains('\x1b'), "{shown}");
}

/// CLI-041, CLI-044: what was typed can be changed before it is sent.
#[test]
fn a_form_can_be_corrected() {
    let (result, _) = fill("Ada\n:back\nEve\n36\n:skip\n:skip\n\ne\n\n37\n\n\n\ny\n", &[]);
    assert_eq!(result["content"], json!({"name": "Eve", "age": 37, "key": "key-c"}));
    let (result, shown) = fill("\n:skip\n::x\n1\n\n\n\ny\n", &[]);
    assert_eq!(result["content"]["name"], ":x");
    assert!(shown.contains("this field is required"), "{shown}");
}

#[test]
fn answers_of_the_command_line_are_not_asked_for() {
    let (result, shown) = fill("no\n\n\ny\n", &[("name", "Ada"), ("age", "36"), ("other", "x")]);
    assert_eq!(result["content"], json!({"name": "Ada", "age": 36, "agree": false, "key": "key-c"}));
    assert!(!shown.contains("Your name ("), "{shown}");
}

#[test]
fn without_a_person_the_command_line_answers_or_the_form_is_declined() {
    let silently = |answers: &[(&str, &str)]| {
        let answers = answers.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        form::fill_silently(&questions(), &answers).map(|result| serde_json::to_value(result).unwrap())
    };
    let content = json!({"name": "Ada", "age": 36, "key": "key-c"});
    assert_eq!(silently(&[("name", "Ada"), ("age", "36")]).unwrap(), json!({"action": "accept", "content": content}));
    for (answers, part) in [
        (&[][..], "no --answer is given"),
        (&[("name", "Ada")], "no --answer for age"),
        (&[("name", "Ada"), ("age", "old")], "--answer age: it must be a whole number"),
    ] {
        let why = silently(answers).unwrap_err();
        assert!(why.contains(part), "{why}");
    }
}

fn visit(url: &str, input: &str) -> (String, String, Vec<String>) {
    let opened = RefCell::new(Vec::new());
    let page = ElicitUrlParams::new(UrlMode::Url, "Please sign in", url);
    let open = |url: &str| {
        opened.borrow_mut().push(url.to_owned());
        Ok(())
    };
    let (result, shown) = talk(input, |dialogue| page::visit(dialogue, "demo", &page, &open));
    (result.action.to_string(), shown, opened.into_inner())
}

/// CLI-045, CLI-083, CLI-084, CLI-085: host and whole address are shown, and nothing is opened without a yes.
#[test]
fn a_page_is_opened_only_with_consent() {
    let url = "https://example.com/sign-in?next=%2F";
    for (input, action, opens) in [
        ("o\n", "accept", true),
        ("m\n", "accept", false),
        ("\nd\n", "decline", false),
        ("c\n", "cancel", false),
        ("", "cancel", false),
    ] {
        let (got, shown, opened) = visit(url, input);
        assert_eq!((got.as_str(), !opened.is_empty()), (action, opens), "{input:?}");
        assert!(shown.contains("host:    example.com\n") && shown.contains(&format!("address: {url}\n")), "{shown}");
        assert!(opened.iter().all(|one| one == url));
    }
}

/// CLI-058: a page that did not open can be tried again, be opened by hand, or be given up.
#[test]
fn a_page_that_does_not_open_can_be_tried_again() {
    for (input, action, tries) in
        [("o\no\n", "accept", 2), ("o\nm\n", "accept", 1), ("o\nc\n", "cancel", 1), ("o\nd\n", "decline", 1)]
    {
        let tried = RefCell::new(0);
        let open = |_: &str| {
            *tried.borrow_mut() += 1;
            if *tried.borrow() == 1 { Err(io::ErrorKind::NotFound.into()) } else { Ok(()) }
        };
        let page = ElicitUrlParams::new(UrlMode::Url, "Please sign in", "https://example.com/");
        let (result, shown) = talk(input, |dialogue| page::visit(dialogue, "demo", &page, &open));
        assert_eq!((result.action.to_string().as_str(), tried.into_inner()), (action, tries), "{input:?}");
        assert!(shown.contains("the browser cannot be started") && shown.matches("Open it?").count() == 2, "{shown}");
    }
}

/// CLI-087, T-060, T-114: addresses that are no web pages, or could mislead, are declined without a question.
#[test]
fn misleading_pages_are_declined() {
    for url in ["file:///etc/passwd", "https://a\\@b/", "--version", "https://x/\x1b[2J"] {
        let (action, shown, opened) = visit(url, "o\n");
        assert_eq!((action.as_str(), opened.len()), ("decline", 0), "{url}");
        assert!(!shown.contains('\x1b') && shown.contains("declined"), "{shown}");
    }
    let (_, shown, _) = visit("http://user@xn--pple-43d.com/", "d\n");
    assert!(shown.contains("not encrypted") && shown.contains("user name") && shown.contains("reads as"), "{shown}");
}

/// CLI-014, CLI-031, CLI-033: the person sees the whole request, and answers or refuses. There is no model here, so that nothing of the
/// request goes anywhere, and no answer goes to the server but what the person has written.
#[test]
fn a_person_answers_for_the_model_or_refuses() {
    let mut request = CreateMessageParams::new(vec![SamplingMessage::user("What is\x1b 2+2?")], 100);
    request.system_prompt = Some("Be brief.".to_owned());
    let ask = |input: &str| talk(input, |dialogue| sampling::answer(dialogue, "demo", &request));
    let (result, shown) = ask("It is\nfour.\n\nrest");
    let result = serde_json::to_value(result.unwrap()).unwrap();
    assert_eq!(result["content"], json!({"type": "text", "text": "It is\nfour."}));
    assert_eq!((&result["role"], &result["model"]), (&json!("assistant"), &json!("human")));
    assert!(shown.contains("| Be brief.") && shown.contains("What is\\u{1b} 2+2?"), "{shown}");
    for input in ["\n", ""] {
        assert_eq!(ask(input).0.unwrap_err().code, -1);
    }
}
