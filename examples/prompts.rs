//! Prompts: one text, and a conversation.

use jackfield::{PromptMessage, Server, prompt, prompts};

/// Ask for a review of code.
#[prompt(title = "Code Review")]
fn review_code(
    /** The code to review. */
    code: String,
) -> String {
    format!("Please review this code:\n\n{code}")
}

/// Start to look for the cause of an error.
#[prompt(title = "Debug Assistant")]
fn debug_error(
    /** The error message. */
    error: String,
    #[complete("rust", "python", "typescript")] language: Option<String>,
) -> Vec<PromptMessage> {
    let language = language.map(|language| format!(" in {language}")).unwrap_or_default();
    vec![
        PromptMessage::user(format!("I see this error{language}:")),
        PromptMessage::user(error),
        PromptMessage::assistant("I will help to find its cause. What have you tried so far?"),
    ]
}

#[tokio::main]
async fn main() -> jackfield::Result {
    Server::new("prompts").prompts(prompts![review_code, debug_error]).run_cli().await
}
