//! What goes wrong says so, on standard error and by the exit code.

use crate::run::{Folder, jackfield, with_demo, with_server};
use crate::scripted::legacy;

#[test]
fn mistakes_on_the_command_line_are_explained() {
    for (arguments, parts) in [
        (&["call", "get-sum", "a=two", "b=3"][..], &["\"two\" is not number", "a  number, required  The first."][..]),
        (&["call", "get-sum", "a=2", "c=3"], &["the argument c of get-sum does not exist", "get-sum takes:"]),
        (&["call", "get-sum", "a=2"], &["get-sum needs the argument b"]),
        (&["call", "get-sum", "a=null", "b=1"], &["for a real null write :=null"]),
        (&["call", "get-sun", "a=1"], &["no tool \"get-sun\"", "did you mean get-sum?"]),
        (&["call"], &["the name of a tool is missing"]),
        (&["call", "echo", "message"], &["is not an argument", "name=value"]),
        (&["call", "echo", "message=x", "--timeout", "soon"], &["--timeout"]),
        (&["call", "echo", "message=x", "--revision", "1999-01-01"], &["1999-01-01"]),
        (&["call", "echo", "message=x", "--header", "A: b"], &["--header is for servers at a URL"]),
        (&["call", "echo", "message=x", "--env", "SURELY_NOT_SET_ANYWHERE"], &["is not set"]),
        (&["call", "echo", "message=x", "--root", "/no/such/folder"], &["is not a directory"]),
        (&["prompt", "args-prompt"], &["needs the argument city"]),
        (&["prompt", "arg-prompt"], &["did you mean args-prompt?"]),
        (&["complete", "tool", "x", "y"], &["write prompt or resource"]),
        (&["inspect", "more"], &["one word too many"]),
        (&["list", "tool"], &["one word too many", "known are tools"]),
    ] {
        let ran = with_demo(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}: {ran:?}");
        for part in parts {
            assert!(ran.err.contains(part), "{arguments:?}: {}", ran.err);
        }
    }
    for (arguments, part) in [
        (&["inspect"][..], "no server is named"),
        (&["serve", "everything", "carrier-pigeon"], "carrier-pigeon"),
        (&["inspect", "http://x", "--env", "A=b"], "--env and --cwd are for servers that are started"),
        (&["inspect", "http://x", "--header", "no colon"], "a header has no colon"),
        (&["inspect", "http://x", "--header", "A: $SURELY_NOT_SET"], "SURELY_NOT_SET, which is not set"),
        (&["inspect", "ftp://x"], "not a plain http or https URL"),
        (&["inspect", "http://x", "--header", "Host: y"], "cannot be sent"),
    ] {
        let ran = jackfield(arguments, "");
        assert_eq!((ran.code, ran.err.contains(part)), (Some(2), true), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn servers_that_can_not_be_started_or_reached_are_class_3() {
    for (server, part) in [
        (&["/no/such/program"][..], "/no/such/program cannot be started"),
        (&["sh", "-c", "echo 'no license' >&2; exit 9"], "no license"),
        (&["true"], "ended before it spoke the protocol"),
    ] {
        let ran = with_server(&["inspect"], server);
        assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""), "{server:?}: {ran:?}");
        assert!(ran.err.contains(part) && ran.err.contains("try: "), "{}", ran.err);
    }
    let ran = with_demo(&["inspect", "--cwd", "/no/such/folder"]);
    assert!(ran.code == Some(3) && ran.err.contains("there is no directory"), "{ran:?}");
    let ran = jackfield(&["inspect", "http://127.0.0.1:1/mcp"], "");
    assert!(ran.code == Some(3) && ran.err.contains("check the address"), "{ran:?}");
    let ran = with_server(&["inspect", "--revision", "2026-07-28"], &legacy());
    assert!(ran.code == Some(3) && ran.err.contains("the server refused server/discover"), "{ran:?}");
}

/// T-171: what a server says in an error is escaped.
#[test]
fn failures_have_their_classes() {
    for (arguments, code, out, part) in [
        (&["call", "fail"][..], 1, "it went wrong\n", ""),
        (&["call", "refuse"], 4, "", "the server refused tools/call: no\\u{1b}[2J (code -32000)"),
        (&["call", "junk"], 4, "", "not what the method promises"),
        (&["call", "die"], 4, "", "out of cheese\\u{1b}[2J"),
        (&["call", "hang", "--timeout", "200ms"], 5, "", "give it more time with --timeout"),
        (&["subscribe", "x://y"], 4, "", "does not offer subscriptions"),
    ] {
        let ran = with_server(arguments, &legacy());
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), out), "{arguments:?}: {ran:?}");
        assert!(ran.err.contains(part) && !ran.err.contains('\x1b'), "{arguments:?}: {}", ran.err);
    }
    let silent = with_server(&["inspect", "--timeout", "300ms"], &["sleep", "600"]);
    assert_eq!(silent.code, Some(5), "{silent:?}");
    let unwritable = Folder::new();
    let file = unwritable.write("file", "");
    let ran = with_demo(&["call", "get-tiny-image", "--output", file.to_str().unwrap()]);
    assert!(ran.code == Some(1) && ran.err.contains("cannot be written"), "{ran:?}");
}

#[test]
fn verbose_shows_messages_and_standard_error() {
    let ran = with_server(&["call", "die", "--verbose"], &legacy());
    assert!(ran.err.contains("→ {\"jsonrpc\":\"2.0\"") && ran.err.contains("← {\"jsonrpc\""), "{}", ran.err);
    assert_eq!(ran.err.matches("out of cheese").count(), 1, "{}", ran.err);
    assert!(ran.err.contains("server: out of cheese\\u{1b}[2J"), "{}", ran.err);
    let ran = with_server(&["call", "text", "--log", "info"], &legacy());
    assert!(ran.err.contains("error py: log\\u{1b}[2J"), "{}", ran.err);
}

/// A store that cannot be opened is told with what to try, and without the secrets in its address.
#[test]
fn a_bad_store_is_told_with_what_to_try() {
    let ran = jackfield(&["serve", "everything", "--store", "mysql://user:secret@host"], "");
    assert!(ran.code.is_some_and(|code| code != 0), "{ran:?}");
    assert!(ran.err.contains("redis://HOST") && !ran.err.contains("secret"), "{}", ran.err);
}
