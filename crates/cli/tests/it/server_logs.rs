//! What a server of ours writes to its log.

use crate::run::{command, finish};

/// T-171: whatever a client says, its words are no lines of the log and do not steer the terminal that shows it.
#[test]
fn what_a_client_says_makes_no_lines_in_the_log() {
    const EVIL: &str = "evil\\u001b[2J\\u009b1m\\r\\n2026-01-01T00:00:00Z  INFO forged\\u202e";
    let messages = [
        // What comes before the handshake is logged with its name.
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/{EVIL}","params":{{}}}}"#),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"{EVIL}","version":"{EVIL}"}}}}}}"#
        ),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":2,"method":"{EVIL}","params":{{}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":"{EVIL}","method":"tools/call","params":{{"name":"{EVIL}"}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{{"uri":"evil://{EVIL}"}}}}"#),
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":9,"reason":"{EVIL}"}}}}"#
        ),
        format!(r#"{{"jsonrpc":"2.0","id":"{EVIL}","result":{{}}}}"#),
        "\u{1b}[2J no message\u{9b}1m\u{202e}".to_owned(),
    ];
    let mut serve = command();
    serve.args(["serve", "everything"]).env("JACKFIELD_LOG", "trace").env("NO_COLOR", "1");
    let ran = finish(serve, &(messages.join("\n") + "\n"));
    assert!(ran.out.lines().count() >= 4, "{ran:?}");
    assert!(ran.err.contains(r"notifications/evil\u{1b}[2J\u{9b}1m\r\n2026-01-01"), "{}", ran.err);
    let harmful = ran.err.chars().find(|c| c.is_control() && *c != '\n' || *c == '\u{202e}');
    assert_eq!(harmful, None, "{:?}", ran.err);
    assert!(!ran.err.lines().any(|line| line.contains("INFO forged") && line.starts_with("2026-01-01")), "{}", ran.err);
}
