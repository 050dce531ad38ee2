//! State of servers: what handlers take must be provided, and settings that a mounted server does not have must not be set there.

use std::sync::Arc;
use std::time::Duration;

use jackfield_peer::tape::Tape;
use jackfield_peer::{CallLimits, StreamLimits};
use jackfield_protocol::{ErrorObject, JsonObject, Revision};
use jackfield_server::{
    CacheHint, Cached, Cx, FromCx, Keys, Next, PromptEntry, Requirements, ResourceEntry, ResourcePage, Server, State,
    Tasks, ToolEntry,
};
use jackfield_store::Stores;

use crate::demo::{plain, review, text_resource};
use crate::talk::{check_each, runtime};

struct Pool(&'static str);
struct Clock;

/// What the macros write for the parameters of a handler.
fn requires<T: FromCx>() -> Requirements {
    let mut requirements = Requirements::default();
    T::requires(&mut requirements);
    requirements
}

/// A tool that takes the pool.
fn pool() -> ToolEntry {
    let mut entry = plain("pool", |cx: Cx| async move { State::<Pool>::from_cx(&cx).await.unwrap().0.0.to_owned() });
    entry.requirements = requires::<State<Pool>>();
    entry
}

fn pool_resource() -> ResourceEntry {
    let mut entry = text_resource("note:pool", "x");
    entry.requirements = requires::<State<Pool>>();
    entry
}

fn pool_prompt() -> PromptEntry {
    let mut entry = review();
    entry.requirements = requires::<State<Pool>>();
    entry
}

#[track_caller]
fn problems(server: Server) -> Vec<String> {
    server.build().unwrap_err().problems().to_vec()
}

#[test]
fn missing_state_is_an_error_at_build() {
    let server = || Server::new("x").tool(pool()).resource(pool_resource()).prompt(pool_prompt());
    let found = problems(server().state(Clock));
    assert_eq!(found.len(), 3, "{found:?}");
    for (problem, entry) in found.iter().zip(["tool `pool`", "resource `note:pool`", "prompt `review`"]) {
        assert!(problem.starts_with(entry) && problem.contains("state::Pool`, which nobody provides"), "{problem}");
        assert!(!problem.contains("Arc"), "{problem}");
    }
    assert!(server().state(Pool("a")).build().is_ok());
    assert!(server().lifespan(|| async { Pool("a") }, |_| async {}).build().is_ok());
    // Every type that is missing is named.
    let mut both = pool();
    both.requirements.state::<Clock>();
    assert_eq!(problems(Server::new("x").tool(both)).len(), 2);
}

#[test]
fn state_in_an_arc_is_pointed_out() {
    let found = problems(Server::new("x").tool(pool()).state(Arc::new(Pool("a"))));
    assert!(found[0].contains("pass the value without `Arc`"), "{found:?}");
}

#[test]
fn state_is_provided_once() {
    let twice = [
        Server::new("x").state(Pool("a")).state(Pool("b")),
        Server::new("x").state(Pool("a")).lifespan(|| async { Pool("b") }, |_| async {}),
    ];
    for server in twice {
        let found = problems(server.tool(pool()));
        assert!(found.len() == 1 && found[0].contains("two values") && found[0].contains("Pool"), "{found:?}");
    }
    // A mounted server may have a value of its own.
    let inner = Server::new("inner").state(Pool("b"));
    assert!(Server::new("x").state(Pool("a")).mount("in", inner).build().is_ok());
}

#[test]
fn optional_state_requires_nothing() {
    let server = |state: Option<Pool>| {
        let mut entry = plain("maybe", |cx: Cx| async move {
            let pool = Option::<State<Pool>>::from_cx(&cx).await.unwrap();
            pool.map_or("none", |pool| pool.0.0).to_owned()
        });
        entry.requirements = requires::<Option<State<Pool>>>();
        assert!(entry.requirements.states().is_empty());
        let server = Server::new("x").tool(entry);
        state.into_iter().fold(server, Server::state)
    };
    for (state, text) in [(None, "none"), (Some("a"), "a")] {
        let call = r#"@ REVISION
            > 1 tools/call {"name": "maybe"}
            < 1 {"content": [{"text": "TEXT"}]}"#;
        check_each(Revision::ALL, || server(state.map(Pool)), &call.replace("TEXT", text));
    }
}

#[test]
fn entries_at_run_time_find_their_state_or_are_refused() {
    runtime().block_on(async {
        let running = Server::new("x").start().await.unwrap();
        let registry = running.registry();
        let refused = [
            registry.tools().add(pool()).unwrap_err(),
            registry.resources().add(pool_resource()).unwrap_err(),
            registry.prompts().add(pool_prompt()).unwrap_err(),
        ];
        for error in refused {
            assert!(error.to_string().contains("state::Pool`, which nobody provides"), "{error}");
        }
        assert!(registry.tools().names().is_empty());
        let inner = Server::new("inner");
        let registry = inner.registry();
        let _running = Server::new("x").state(Pool("a")).mount("in", inner).start().await.unwrap();
        let _handle = registry.tools().add(pool()).unwrap();
    });
}

#[test]
fn state_is_found_three_levels_deep() {
    let server = |outer: Server, innermost: Server| {
        outer.mount("a", Server::new("a").mount("b", Server::new("b").mount("c", innermost.tool(pool()))))
    };
    let found = problems(server(Server::new("x"), Server::new("c")));
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("in `a`: in `b`: in `c`: tool `pool` takes state"), "{found:?}");
    let call = r#"@ REVISION
        > 1 tools/call {"name": "a_b_c_pool"}
        < 1 {"content": [{"text": "TEXT"}]}"#;
    let around = || server(Server::new("x").state(Pool("outer")), Server::new("c"));
    check_each(Revision::ALL, around, &call.replace("TEXT", "outer"));
    let own = || server(Server::new("x").state(Pool("outer")), Server::new("c").state(Pool("own")));
    check_each(Revision::ALL, own, &call.replace("TEXT", "own"));
    // State of an inner server is not that of the outer ones.
    let found = problems(Server::new("x").tool(pool()).mount("in", Server::new("in").state(Pool("in"))));
    assert!(found.len() == 1 && found[0].starts_with("tool `pool`"), "{found:?}");
}

/// Each setting is told by the name of its method. What holds in a mounted server is accepted.
#[test]
fn settings_without_effect_on_a_mounted_server_are_errors() {
    let (mut limits, mut stream_limits) = (CallLimits::default(), StreamLimits::default());
    (limits.listen_streams, stream_limits.line_bytes) = (1, 1);
    let hint = CacheHint::public(Duration::from_secs(1));
    let inner = || Server::new("inner").instructions("x").version("1").state(Pool("a")).visible_to(|_, _| true);
    let settings = [
        ("revisions", inner().revisions([Revision::LATEST])),
        ("middleware", inner().middleware(|incoming, next: Next| next.run(incoming))),
        ("method", inner().method("com.example/x", |_| async { Err(ErrorObject::internal("x")) })),
        ("extension", inner().extension("com.example/x", JsonObject::new())),
        ("experimental", inner().experimental("x", JsonObject::new())),
        ("logging", inner().logging(false)),
        ("limits", inner().limits(limits)),
        ("stream_limits", inner().stream_limits(stream_limits)),
        ("page_size", inner().page_size(1)),
        ("cache", inner().cache(Cached::Tools, hint)),
        ("check_output", inner().check_output(true)),
        ("tasks", inner().tasks(Tasks::new())),
        ("store", inner().store(Stores::memory())),
        ("tape", inner().tape(Tape::to(std::io::sink()).unwrap())),
        ("keys", inner().keys(Keys::new([1; 32]))),
        ("question_life", inner().question_life(Duration::from_secs(1))),
        ("single_use", inner().single_use(|_| async { true })),
        ("on_initialized", inner().on_initialized(|_| async {})),
        ("on_roots_changed", inner().on_roots_changed(|_| async {})),
        ("on_subscribe", inner().on_subscribe(|_, _| async { Ok(()) })),
        ("on_unsubscribe", inner().on_unsubscribe(|_, _| async { Ok(()) })),
        ("resource_list", inner().resource_list(|_, _| async { Ok(ResourcePage::default()) })),
    ];
    for (setting, inner) in settings {
        let found = problems(Server::new("x").mount("in", inner));
        let told = found.len() == 1 && found[0].starts_with(&format!("in `in`: `{setting}`"));
        assert!(told && found[0].contains("no effect"), "{setting}: {found:?}");
    }
    let inner = inner().lifespan(|| async { Clock }, |_| async {}).resource_read(|_, _| async { None });
    assert!(Server::new("x").mount("in", inner).build().is_ok());
}
