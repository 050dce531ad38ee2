//! Questions that nobody ever answers.

use jackfield_server::{Cx, Server};

use crate::demo::{echo, plain};
use crate::talk::{Talk, runtime};

/// PAT-050: a client need not answer, nor come back. Calls that ended with a question leave nothing behind that others would wait for, and
/// any of them can still be continued.
#[test]
fn nobody_waits_for_a_retry() {
    let server = Server::new("x")
        .tool(echo())
        .tool(plain("ask", |cx: Cx| async move { cx.roots().await.map(|roots| format!("{} roots", roots.len())) }));
    runtime().block_on(async {
        let mut talk = Talk::new(server);
        talk.play("@ 2026-07-28 {\"roots\": {}}").await;
        // More than may be under way at the same time.
        for _ in 0..500 {
            talk.play("> 1 tools/call {\"name\": \"ask\"}\n< 1 {\"resultType\": \"input_required\", \"requestState\": \"$state\"}").await;
        }
        talk.play(
            r#"
            > 2 tools/call {"name": "echo", "arguments": {"message": "hi"}}
            < 2 {"content": [{"text": "hi"}]}
            > 3 tools/call {"name": "ask", "requestState": "$state", "inputResponses": {"roots": {"roots": []}}}
            < 3 {"content": [{"text": "0 roots"}]}
            // A retry without the answer is asked again.
            > 4 tools/call {"name": "ask", "requestState": "$state"}
            < 4 {"resultType": "input_required"}
            "#,
        )
        .await;
    });
}
