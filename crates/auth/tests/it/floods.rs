//! Those who try often: at passwords, at registration.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jackfield_auth::Clock;
use jackfield_auth::server::{AuthStore as _, MemoryStore};
use jackfield_http::fetch::{Fetch, FetchFuture, FetchRequest};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::visitor::{NOW, RESOURCE, Start, Visitor, server};

/// T-090: many attempts at once count like many one after the other: five passwords of a user are looked at, no more.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn attempts_at_once_are_counted_too() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let page = visitor.get(&Start::new().path()).await;
    let form = [page.field("request"), page.field("csrf")];
    let mut trying = JoinSet::new();
    for number in 0..25 {
        let (mut visitor, form) = (visitor.clone(), form.clone());
        trying.spawn(async move {
            let guess = format!("guess number {number}");
            let form = [("request", &*form[0]), ("csrf", &*form[1]), ("username", "ann"), ("password", &*guess)];
            visitor.post("/login", &form).await.status
        });
    }
    let statuses = trying.join_all().await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 5, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 20, "{statuses:?}");
}

/// T-090: who is refused for their address leaves nothing behind for each name they invent.
#[tokio::test]
async fn a_refused_address_writes_nothing() {
    let clock = Clock::manual(NOW);
    let store = Arc::new(MemoryStore::new(clock.clone()));
    let (server, _) = server(|builder| builder.store(store.clone()).clock(clock.clone()));
    let mut visitor = Visitor::new(&server);
    let page = visitor.get(&Start::new().path()).await;
    let long = "x".repeat(1025);
    for number in 0..30 {
        assert_eq!(visitor.login_as(&page, &format!("user {number}"), &long).await.status, 200);
    }
    assert_eq!(visitor.login_as(&page, "ann", &long).await.status, 429);
    let mut elsewhere = visitor.clone();
    elsewhere.address = "192.0.2.7".parse().unwrap();
    for _ in 0..5 {
        assert_eq!(elsewhere.login_as(&page, "ann", &long).await.status, 200, "nobody else was counted for ann");
    }
    assert_eq!(elsewhere.login_as(&page, "ann", &long).await.status, 429);
}

/// T-090: one address tries thirty names in a minute, and no more; others are not kept from logging in by that.
#[tokio::test]
async fn an_address_does_not_try_name_after_name() {
    // A password that nobody can have is not even looked at, which makes this fast; it counts all the same.
    let long = "x".repeat(1025);
    let (server, clock) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let page = visitor.get(&Start::new().path()).await;
    for number in 0..30 {
        let user = format!("user {number}");
        assert_eq!(visitor.login_as(&page, &user, &long).await.status, 200, "{user}");
    }
    assert_eq!(visitor.login_as(&page, "one more", &long).await.status, 429);
    let mut elsewhere = visitor.clone();
    elsewhere.address = "192.0.2.2".parse().unwrap();
    assert_eq!(elsewhere.login_as(&page, "one more", &long).await.status, 200);
    // The lower half of such an address is anybody's choice.
    let mut many = visitor.clone();
    for number in 0..30 {
        many.address = std::net::Ipv6Addr::from((0x2001_0db8_u128 << 96) | number).into();
        assert_eq!(many.login_as(&page, &format!("user {number} again"), &long).await.status, 200);
    }
    many.address = "2001:db8::ffff".parse().unwrap();
    assert_eq!(many.login_as(&page, "one more", &long).await.status, 429);
    clock.advance(61);
    assert_eq!(visitor.login_as(&page, "one more", &long).await.status, 200, "a minute later");
}

/// T-086: however many register, what is kept of them has a bound, nobody who is known is forgotten for it, and all is well again when
/// those that nobody used have expired.
#[tokio::test]
async fn registrations_fill_no_memory() {
    const ROOM: usize = 10_000;
    let clock = Clock::manual(NOW);
    let store = Arc::new(MemoryStore::new(clock.clone()));
    let (server, _) = server(|builder| builder.store(store.clone()).clock(clock.clone()));
    let mut visitor = Visitor::new(&server);
    let metadata = json!({ "redirect_uris": ["http://127.0.0.1:3000/cb"], "token_endpoint_auth_method": "none" });
    let first = visitor.post_json("/register", &metadata).await.json()["client_id"].as_str().unwrap().to_owned();
    // The rest of a flood, from so many addresses that each of them is slow enough.
    for number in 1..ROOM {
        store.put(&format!("client:{number}"), Vec::new(), NOW + 86_400).await.unwrap();
    }
    for _ in 0..5 {
        assert_eq!(visitor.post_json("/register", &metadata).await.status, 503);
    }
    let start = Start::new().set("client_id", &first).set("redirect_uri", "http://127.0.0.1:3000/cb");
    assert_eq!(visitor.get(&start.path()).await.status, 200, "the first is still known");
    clock.advance(86_401);
    assert_eq!(visitor.post_json("/register", &metadata).await.status, 201);
    assert_eq!(visitor.get(&start.path()).await.status, 400, "nobody ever used it");
}

/// A web whose pages never come, and how often they were asked for.
#[derive(Debug, Default)]
struct Slow(AtomicUsize);

impl Fetch for Slow {
    fn fetch(&self, _: FetchRequest) -> FetchFuture<'_> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::pending())
    }
}

/// T-090: twenty requests of an address are looked at at once, and the others wait for three seconds at most; what was wrong counts when
/// it is known. So nobody makes us fetch more at once than one after the other.
#[tokio::test(start_paused = true)]
async fn strangers_do_not_make_us_fetch_without_end() {
    let slow = Arc::new(Slow::default());
    let (server, _) = server(|builder| builder.client_documents(slow.clone()));
    let mut asking = JoinSet::new();
    for number in 0..100 {
        let mut visitor = Visitor::new(&server);
        asking.spawn(async move {
            let (id, begun) = (format!("https://app.example/{number}.json"), Instant::now());
            let answer = visitor.post("/token", &[("grant_type", "refresh_token"), ("client_id", &id)]).await;
            (answer.status, begun.elapsed().as_secs())
        });
    }
    let answers = asking.join_all().await;
    assert_eq!(slow.0.load(Ordering::SeqCst), 20);
    let of = |status, seconds| answers.iter().filter(|answer| **answer == (status, seconds)).count();
    assert_eq!((of(401, 5), of(429, 3)), (20, 80), "{answers:?}");
    let again = [("grant_type", "refresh_token"), ("client_id", "https://app.example/again.json")];
    assert_eq!(Visitor::new(&server).post("/token", &again).await.status, 429);
    assert_eq!(slow.0.load(Ordering::SeqCst), 20, "all of them were counted");
}

/// T-090: an honest request is not counted, and takes back no other: guesses between honest ones count all the same.
#[tokio::test]
async fn honest_requests_hide_no_guesses() {
    let (server, _) = server(|builder| builder);
    let form = [("grant_type", "client_credentials"), ("resource", RESOURCE)];
    let honest = async || {
        let visitor = Visitor::new(&server).basic("robot", "s3cret of the robot");
        { visitor }.post("/token", &form).await.status
    };
    for number in 0..20 {
        assert_eq!(honest().await, 200, "{number}");
        assert_eq!(Visitor::new(&server).basic("robot", "a guess").post("/token", &form).await.status, 401);
    }
    assert_eq!(honest().await, 429);
}
