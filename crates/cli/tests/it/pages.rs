//! Pages and lists, help and completions.

use crate::run::{jackfield, with_demo, with_server};
use crate::scripted::legacy;

#[test]
fn a_server_is_shown_on_one_page() {
    let page = with_demo(&["inspect"]).ok();
    for part in [
        "mcp-servers/everything 2.0.0  Everything Reference Server\nrevision 2026-07-28 (modern era: stateless)\nstarted by ",
        "\n\nCapabilities\n  tools (list changes), resources (subscriptions, list changes), prompts (list changes), completions, logging, extension io.modelcontextprotocol/tasks\n",
        "\n\nInstructions\n  Every feature of the protocol",
        "\nTools (18)\n",
        "\n  get-sum  Get Sum Tool [read-only, idempotent]\n      Add two numbers.\n      a  number, required: The first.\n      b  number, required: The second.\n",
        "\nResources (2)\n",
        "\n  demo://resource/static/document/features.md  features.md [text/markdown]\n",
        "\nResource templates (2)\n",
        "\nPrompts (4)\n",
        "\n  args-prompt  Arguments Prompt\n      A prompt with a required and an optional argument.\n      city   required: Name of the city.\n      state  optional: Name of the state.\n",
    ] {
        assert!(page.contains(part), "{part}\nis not in\n{page}");
    }
    let legacy = with_demo(&["inspect", "--revision", "2025-06-18"]).ok();
    assert!(legacy.contains("revision 2025-06-18 (legacy era: handshake and session)"), "{legacy}");
    let all = with_demo(&["inspect", "--json"]).json();
    assert_eq!(all["serverInfo"]["name"], "mcp-servers/everything");
    assert_eq!((all["tools"].as_array().unwrap().len(), all["prompts"].as_array().unwrap().len()), (18, 4));
}

#[test]
fn lists_name_one_thing_per_line() {
    let tools = with_demo(&["list", "tools"]).ok();
    assert_eq!(tools.lines().count(), 18);
    let line = tools.lines().find(|line| line.starts_with("echo ")).unwrap();
    assert!(line.ends_with("  Return the message."), "{line}");
    let all = with_demo(&["list"]).ok();
    for heading in ["Tools\n", "\nResources\n", "\nResource templates\n", "\nPrompts\n"] {
        assert!(all.contains(heading), "{all}");
    }
    let some = with_demo(&["list", "prompts", "templates", "--json"]).json();
    assert_eq!(some.as_object().unwrap().keys().collect::<Vec<_>>(), ["prompts", "resourceTemplates"]);
}

/// T-110, T-113, T-152: nothing that a server says steers the terminal, or breaks the lines of a page; and nothing of it is hidden.
#[test]
fn pages_are_harmless_whatever_a_server_says() {
    for words in [&["inspect"][..], &["list", "tools"], &["list"]] {
        let page = with_server(words, &legacy()).ok();
        let harmful = page.chars().find(|c| c.is_control() && *c != '\n' || *c == '\u{202e}');
        assert_eq!(harmful, None, "{page:?}");
        assert!(page.contains("evil\\u{1b}]0;title\\u{7}\\u{202e}"), "{page}");
    }
    // A server that knows nothing of templates simply has none.
    assert!(!with_server(&["inspect"], &legacy()).ok().contains("templates"));
    let text = with_server(&["inspect", "--json"], &legacy()).ok();
    assert!(!text.contains('\u{202e}') && !text.contains('\u{9b}') && text.contains("\\u202e"), "{text}");
}

#[test]
fn help_explains_targets_examples_and_exit_codes() {
    let help = jackfield(&["--help"], "").ok();
    for part in ["by its URL", "by its name", "by its command", "Exit codes:", "130"] {
        assert!(help.contains(part), "{help}");
    }
    for command in ["inspect", "list", "call", "read", "prompt", "complete", "ping", "subscribe", "completions"] {
        let help = jackfield(&[command, "--help"], "").ok();
        assert!(help.contains("Usage: jackfield ") && help.contains("Examples:"), "{help}");
        assert!(help.contains("jackfield "), "{help}");
    }
    assert_eq!(jackfield(&[], "").code, Some(2));
}

#[test]
fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = jackfield(&["completions", shell], "").ok();
        assert!(script.contains("jackfield") && script.contains("inspect") && script.contains("revision"), "{shell}");
    }
}
