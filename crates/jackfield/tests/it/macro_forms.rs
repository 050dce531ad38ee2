//! Everything the macros accept, without any import but those of the crate.

use jackfield::{Cx, Image, Json, PromptMessage, State, prompt, prompts, resource, resources, server, tool, tools};

/// Adds.
#[tool(read_only, idempotent = true, title = "Add", task)]
pub(crate) fn add(a: i64, #[default(1)] b: i64) -> i64 {
    a + b
}

#[tool(blocking)]
fn slow(text: &str, more: Option<&str>, list: &[u8]) -> String {
    format!("{text}{more:?}{list:?}")
}

#[tool]
async fn waits(cx: &Cx, mut text: String, state: State<u8>) -> Result<String, std::fmt::Error> {
    let _ = (cx, &state);
    text.push('.');
    Ok(text)
}

#[tool]
async fn borrows(text: &str, cx: Cx) -> Json<Vec<String>> {
    let _ = cx;
    Json(vec![text.to_owned()])
}

#[tool(name = "r.type", meta = jackfield::json!({ "a": 1 }))]
fn r#type(r#match: bool) -> bool {
    r#match
}

#[tool]
fn nothing() {}

#[tool]
fn picture() -> Option<Image> {
    Some(Image::png([1, 2, 3]))
}

#[resource("notes://{folder}{/name*}{?page}", mime_type = "text/plain", audience = "user", priority = 0.5)]
async fn note(folder: String, name: Vec<String>, page: Option<u32>) -> Option<String> {
    page.map(|page| format!("{folder}{name:?}{page}"))
}

#[prompt]
fn review(code: &str, #[complete("rust", "go")] language: Option<String>) -> Vec<PromptMessage> {
    vec![PromptMessage::user(jackfield::ContentBlock::text(format!("{code} {language:?}")))]
}

struct Notes<T>(T);

#[server(name = "notes", instructions = "Save notes.")]
impl<T: Clone + Send + Sync + 'static> Notes<T> {
    #[tool]
    fn save(&self, #[arg(length(1..=10))] text: String) -> String {
        self.other();
        text
    }

    #[jackfield::prompt]
    async fn ask(&self, #[complete(self.titles)] title: String, cx: &Cx) -> String {
        let _ = cx;
        title
    }

    fn titles(&self, typed: &str) -> Vec<String> {
        vec![typed.to_owned()]
    }

    fn other(&self) -> T {
        self.0.clone()
    }
}

/// A module may have the name of a tool.
mod double {
    /// Doubles.
    #[jackfield::tool]
    pub(super) fn twice(number: i64) -> i64 {
        number * 2
    }
}

#[tool]
async fn double(number: i64) -> i64 {
    double::twice(number)
}

/// The attributes leave a function what it was: its name is free for variables, and it goes where functions go.
#[tokio::test]
async fn a_function_stays_a_function() {
    let add = 2;
    assert_eq!([1, add].map(double::twice), [2, 4]);
    let [doubled] = [add].map(double);
    assert_eq!(doubled.await, 4);
    let entries = tools![double::twice, double, add];
    assert_eq!(entries.map(|entry| entry.definition.name), ["twice", "double", "add"]);
    let all = {
        use double::*;
        jackfield::Server::new("demo").tools(tools![twice])
    };
    assert!(all.build().is_ok());
}

#[test]
fn every_form_is_accepted() {
    assert_eq!(add(1, 2), 3);
    nothing();
    let _ = jackfield::Server::new("demo").tools(tools![add, slow, waits, borrows, r#type, nothing]);
    let _ = jackfield::Server::new("demo")
        .tools(tools![picture])
        .resources(resources![note])
        .prompts(prompts![review])
        .with(Notes(1));
}
