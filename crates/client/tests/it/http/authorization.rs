//! Who is asking: an authorizer gives headers, and reacts to refusals.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue};
use jackfield_client::Client;
use jackfield_http::client::{Asked, Authorizer, Boxed, NotAuthorized, Reaction, Refusal};

use super::site::Site;
use crate::script::{name, paused};

const DONE: &str = r#"200 json {"result":{"resultType":"complete","content":[]}}"#;

/// Has no token at first; each refusal makes it get one, which takes a person a while.
#[derive(Debug, Default)]
struct Login {
    token: AtomicU32,
    takes: Duration,
    gives_up: bool,
    challenges: Mutex<Vec<String>>,
}

impl Authorizer for Login {
    fn headers<'a>(&'a self, asked: Asked<'a>) -> Boxed<'a, Result<HeaderMap, NotAuthorized>> {
        assert_eq!(asked.uri.host(), Some("server.test"));
        Box::pin(async move {
            let mut headers = HeaderMap::new();
            match self.token.load(Ordering::SeqCst) {
                0 => {}
                token => {
                    headers.insert(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {token}")).unwrap());
                }
            }
            Ok(headers)
        })
    }

    fn refused<'a>(&'a self, refusal: &'a Refusal) -> Boxed<'a, Result<Reaction, NotAuthorized>> {
        Box::pin(async move {
            let challenge = refusal.headers.get(WWW_AUTHENTICATE).map_or("", |value| value.to_str().unwrap());
            self.challenges.lock().unwrap().push(format!("{} {challenge}", refusal.status.as_u16()));
            jackfield_testkit::pass(self.takes).await;
            self.token.fetch_add(1, Ordering::SeqCst);
            Ok(if self.gives_up { Reaction::GiveUp } else { Reaction::Retry })
        })
    }
}

/// A refused request is sent again with what the authorizer has by then, even if a person took ten minutes to log in.
#[test]
fn refused_requests_are_sent_again() {
    paused(async {
        let site = Site::default();
        site.reply("server/discover", "401 [www-authenticate: Bearer scope=\"x\"]");
        site.modern();
        site.reply("tools/call", "403 [www-authenticate: Bearer error=\"insufficient_scope\"]");
        site.reply("tools/call", DONE);
        let login = Arc::new(Login { takes: Duration::from_secs(600), ..Login::default() });
        let client = Client::builder().connect(site.http().authorizer(login.clone())).await.unwrap();
        assert_eq!(name(&client.call("t", ()).await), "ok");
        let challenges = login.challenges.lock().unwrap().clone();
        assert_eq!(challenges, ["401 Bearer scope=\"x\"", "403 Bearer error=\"insufficient_scope\""]);
        let seen = site.seen("tools/call");
        assert_eq!(
            seen.iter().map(|seen| seen.header("authorization")).collect::<Vec<_>>(),
            [Some("Bearer 1"), Some("Bearer 2")]
        );
    });
}

/// A server that refuses for ever is not asked for ever, and an authorizer that gives up is heeded.
#[test]
fn refusals_have_an_end() {
    for (gives_up, asked) in [(false, 6), (true, 1)] {
        paused(async move {
            let site = Site::default();
            site.modern();
            site.reply("tools/call", "401");
            let login = Arc::new(Login { gives_up, ..Login::default() });
            let client = Client::builder().connect(site.http().authorizer(login)).await.unwrap();
            assert_eq!(name(&client.call("t", ()).await), "status 401");
            assert_eq!(site.seen("tools/call").len(), asked);
        });
    }
}

/// T-054, SRV-077: what was kept for one user is not shown to the next, nor to nobody; what belongs to all is.
#[test]
fn what_is_kept_belongs_to_the_one_who_was_logged_in() {
    for (scope, asked) in [("private", [1, 1, 2, 2, 3, 4]), ("public", [1; 6])] {
        paused(async move {
            let site = Site::default();
            site.modern();
            let answer = format!(r#"{{"contents":[],"ttlMs":600000,"cacheScope":"{scope}"}}"#);
            site.reply("resources/read", format!(r#"200 json {{"result":{answer}}}"#));
            let login = Arc::new(Login::default());
            let client = Client::builder().connect(site.http().authorizer(login.clone())).await.unwrap();
            // The last is nobody, whose token is none.
            for (token, asked) in [1, 1, 2, 2, 0].into_iter().zip(asked) {
                login.token.store(token, Ordering::SeqCst);
                client.read("r://1").await.unwrap();
                assert_eq!(site.seen("resources/read").len(), asked, "{scope} {token}");
            }
            // A login in the middle of a request: its result belongs to neither for sure.
            site.forget("resources/read");
            site.reply("resources/read", "401");
            site.reply("resources/read", format!(r#"200 json {{"result":{answer}}}"#));
            login.token.store(7, Ordering::SeqCst);
            client.read("r://1").await.unwrap();
            login.token.store(7, Ordering::SeqCst);
            let before = site.seen("resources/read").len();
            client.read("r://1").await.unwrap();
            assert_eq!(site.seen("resources/read").len() - before, usize::from(scope == "private"));
        });
    }
}

/// T-031: what an authorizer gives never leaves the origin.
#[test]
fn headers_stay_within_the_origin() {
    paused(async {
        let site = Site::default();
        site.modern();
        site.reply("tools/call", "307 [location: http://evil.test/]");
        let login = Arc::new(Login::default());
        login.token.store(7, Ordering::SeqCst);
        let client = Client::builder().connect(site.http().authorizer(login)).await.unwrap();
        assert_eq!(name(&client.call("t", ()).await), "status 307");
        assert_eq!(site.foreign(), [] as [String; 0]);
    });
}

/// T-116: a thousand calls at once all end, each once, and so they do when the server drops every connection.
#[test]
fn a_thousand_calls_all_end() {
    for (reply, wanted) in [(DONE, "ok"), ("close", "lost")] {
        paused(async move {
            let site = Site::default();
            site.modern();
            site.reply("tools/call", reply);
            let client = Client::connect(site.http()).await.unwrap();
            client.tools().all().await.unwrap();
            let mut calls = tokio::task::JoinSet::new();
            for _ in 0..1000 {
                calls.spawn(client.call("t", ()).into_future());
            }
            let mut ended = 0;
            while let Some(call) = calls.join_next().await {
                assert_eq!(name(&call.unwrap()), wanted);
                ended += 1;
            }
            assert_eq!((ended, client.stray_answers()), (1000, 0));
            assert!(site.seen("tools/call").len() >= 1000);
        });
    }
}

/// Has its headers ready so many times; then it never comes to an end.
#[derive(Debug)]
struct Stuck(AtomicU32);

impl Authorizer for Stuck {
    fn headers<'a>(&'a self, _: Asked<'a>) -> Boxed<'a, Result<HeaderMap, NotAuthorized>> {
        Box::pin(async move {
            match self.0.load(Ordering::SeqCst) {
                0 => std::future::pending().await,
                left => self.0.store(left - 1, Ordering::SeqCst),
            }
            Ok(HeaderMap::new())
        })
    }

    fn refused<'a>(&'a self, _: &'a Refusal) -> Boxed<'a, Result<Reaction, NotAuthorized>> {
        Box::pin(async { Ok(Reaction::GiveUp) })
    }
}

/// Whose results may be kept is not waited for without end: before a request for as long as it may take, and after its answer hardly.
#[test]
fn whoever_never_says_who_is_asking_does_not_stop_requests() {
    paused(async {
        let site = Site::default();
        site.modern();
        let answer = r#"{"contents":[],"ttlMs":600000,"cacheScope":"private"}"#;
        site.reply("resources/read", format!(r#"200 json {{"result":{answer}}}"#));
        let stuck = Arc::new(Stuck(AtomicU32::new(100)));
        let client = Client::builder().connect(site.http().authorizer(stuck.clone())).await.unwrap();
        // Once before the request and once for it, but not after the answer.
        for asked in 1..=2 {
            stuck.0.store(2, Ordering::SeqCst);
            let begun = tokio::time::Instant::now();
            assert_eq!(name(&client.read("r://1").await), "ok");
            assert!(begun.elapsed() <= Duration::from_secs(2), "{:?}", begun.elapsed());
            assert_eq!(site.seen("resources/read").len(), asked, "it is not known whose the answer was");
        }
        assert_eq!(name(&client.read("r://1").await), "timeout");
        assert_eq!(name(&client.resources().all().await), "timeout");
    });
}
