//! Renewing tokens without the user.

use std::path::Path;
use std::sync::Arc;

use jackfield_auth::client::{AuthEvent, Binding, CredentialStore, FileStore, GivenClient, OAuth};
use serde_json::json;
use tokio::task::JoinSet;

use crate::storing::{Flaky, Place, names};
use crate::town::{Town, Yes};
use jackfield_http::fetch::HttpFetch;

fn grants(town: &Town, kind: &str) -> usize {
    town.forms().iter().filter(|form| form["grant_type"] == kind).count()
}

async fn town() -> Arc<Town> {
    let town = Town::new().await;
    town.state().answer = json!({ "refresh_token": "rotated", "expires_in": 100 });
    Arc::new(town)
}

/// T-072: however many calls find the token at its end, it is renewed once, and all of them go on.
#[tokio::test]
async fn a_hundred_calls_renew_once() {
    let town = town().await;
    let login = town.login();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    for round in 1..=2 {
        town.clock.advance(101);
        town.state().tokens.clear();
        let mut calls = JoinSet::new();
        for _ in 0..100 {
            let (town, login) = (town.clone(), login.clone());
            calls.spawn(async move { town.request(&login).await.unwrap() });
        }
        assert!(calls.join_all().await.iter().all(|status| *status == 200));
        assert_eq!(grants(&town, "refresh_token"), round);
    }
    // Each refresh token was used once, and with it came the resource.
    let forms = town.forms();
    let used: Vec<_> = forms.iter().filter_map(|form| form.get("refresh_token")).collect();
    assert_eq!(used, ["refresh-1", "refresh-2"]);
    assert!(forms.iter().all(|form| form["resource"] == town.url("/mcp")));
    assert_eq!(town.visits().len(), 1);
}

/// The same when the server notices first: a hundred refusals, one renewal. T-072
#[tokio::test]
async fn a_hundred_refusals_renew_once() {
    let town = town().await;
    let login = town.login();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    town.state().tokens.clear();
    let mut calls = JoinSet::new();
    for _ in 0..100 {
        let (town, login) = (town.clone(), login.clone());
        calls.spawn(async move { town.request(&login).await.unwrap() });
    }
    assert!(calls.join_all().await.iter().all(|status| *status == 200));
    assert_eq!((grants(&town, "refresh_token"), town.visits().len()), (1, 1));
}

/// A call that is given up while it renews does not lose the new token.
#[tokio::test]
async fn a_renewal_outlives_the_call_that_began_it() {
    let town = town().await;
    let login = town.login();
    town.request(&login).await.unwrap();
    town.clock.advance(101);
    for _ in 0..20 {
        let mut calls = JoinSet::new();
        let (owner, asked) = (town.clone(), login.clone());
        calls.spawn(async move { owner.request(&asked).await });
        tokio::task::yield_now().await;
        calls.abort_all();
        while calls.join_next().await.is_some() {}
    }
    assert_eq!(town.request(&login).await.unwrap(), 200);
    assert_eq!((grants(&town, "refresh_token"), town.visits().len()), (1, 1));
}

/// Where a token cannot be renewed, the user is asked again. AUTH-087
#[tokio::test]
async fn the_user_is_asked_when_nothing_else_helps() {
    let town = town().await;
    let login = town.login();
    town.request(&login).await.unwrap();
    town.state().answer = json!({ "expires_in": 100 });
    town.clock.advance(101);
    // Without a new refresh token the old one stays.
    assert_eq!(town.request(&login).await.unwrap(), 200);
    assert_eq!((grants(&town, "refresh_token"), town.visits().len()), (1, 1));
    // One that is refused is not tried again.
    town.clock.advance(101);
    town.state().refusal = Some("invalid_grant");
    town.failure(&login).await;
    town.state().refusal = None;
    town.state().tokens.clear();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    assert_eq!((grants(&town, "refresh_token"), grants(&town, "authorization_code")), (2, 3));
    // Without any refresh token the end of the token is the end of the login.
    town.clock.advance(101);
    town.state().tokens.clear();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    assert_eq!((grants(&town, "refresh_token"), grants(&town, "authorization_code")), (2, 4));
}

/// Another login of the same user finds what the first one got, and renews where it left off.
#[tokio::test]
async fn logins_share_their_store() {
    let town = town().await;
    town.request(&town.login()).await.unwrap();
    let (one, other) = (town.login(), town.login());
    assert_eq!(town.request(&one).await.unwrap(), 200);
    assert_eq!(town.request(&other).await.unwrap(), 200);
    town.clock.advance(101);
    town.state().tokens.clear();
    assert_eq!(town.request(&one).await.unwrap(), 200);
    assert_eq!(town.request(&other).await.unwrap(), 200);
    assert_eq!((grants(&town, "refresh_token"), town.visits().len()), (1, 1));
    assert!(town.events.lock().unwrap().contains(&AuthEvent::RenewedElsewhere));
}

/// A refresh token that another process used long ago is not used again: what is kept is what is renewed.
#[tokio::test]
async fn what_is_kept_is_renewed() {
    let town = town().await;
    town.request(&town.login()).await.unwrap();
    let (one, other) = (town.login(), town.login());
    for login in [&one, &other] {
        assert_eq!(town.request(login).await.unwrap(), 200);
    }
    town.clock.advance(101);
    assert_eq!(town.request(&one).await.unwrap(), 200);
    // The token of the one is over too when the other wakes up, which knows the first only.
    town.clock.advance(101);
    town.state().tokens.clear();
    assert_eq!(town.request(&other).await.unwrap(), 200);
    let used: Vec<_> = town.forms().iter().filter_map(|form| form.get("refresh_token").cloned()).collect();
    assert_eq!(used, ["refresh-1", "refresh-2"]);
    assert_eq!(town.visits().len(), 1);
}

/// A login that was ended elsewhere is not brought back by a renewal.
#[tokio::test]
async fn what_was_forgotten_is_not_renewed() {
    let town = town().await;
    let login = town.login();
    town.request(&login).await.unwrap();
    town.login().logout().await.unwrap();
    town.clock.advance(90);
    let nobody = town.oauth().accounts().await.unwrap();
    assert!(nobody.is_empty());
    assert_eq!(town.request(&login).await.unwrap(), 200);
    assert_eq!((grants(&town, "refresh_token"), town.visits().len()), (0, 2), "the user was asked");
}

/// Logging out tells the authorization server, and leaves nothing behind.
#[tokio::test]
async fn logging_out_revokes() {
    let town = town().await;
    let place = "/.well-known/oauth-authorization-server/as";
    town.change(place, "revocation_endpoint", json!(town.url("/as/revoke")));
    let login = town.login();
    town.request(&login).await.unwrap();
    assert_eq!(login.account().await.unwrap().unwrap().issuer, town.url("/as"));
    assert!(login.logout().await.unwrap());
    let revoked: Vec<_> = town.forms().iter().filter_map(|form| form.get("token").cloned()).collect();
    assert_eq!(revoked, ["refresh-1", "token-1"]);
    assert!(login.account().await.unwrap().is_none() && town.oauth().accounts().await.unwrap().is_empty());
    assert!(!login.logout().await.unwrap());
    assert!(town.events.lock().unwrap().contains(&AuthEvent::LoggedOut { is_revoked: true }));
}

/// Tokens are revoked even if the store does not let go of the client; and a client that the login was not made with stays.
#[tokio::test]
async fn logging_out_revokes_before_the_client_is_forgotten() {
    let town = town().await;
    let place = "/.well-known/oauth-authorization-server/as";
    town.change(place, "revocation_endpoint", json!(town.url("/as/revoke")));
    let revoked = || town.forms().iter().filter(|form| form.contains_key("token")).count();
    let registration = format!("client {}", town.url("/as"));
    let store = Arc::new(Flaky::new(town.store.clone()));
    let login = town.oauth().shared_store(store.clone()).server(town.url("/mcp")).unwrap();
    login.login().await.unwrap();
    store.fail("client ");
    assert!(login.logout().await.is_err());
    assert_eq!(revoked(), 2);
    assert_eq!(names(&*town.store).await, std::slice::from_ref(&registration));
    // Somebody else's client logs in and out.
    let given = GivenClient::new("given").issuer(town.url("/as"));
    let login = town.oauth().client(given).server(town.url("/mcp")).unwrap();
    login.login().await.unwrap();
    assert!(login.logout().await.unwrap());
    assert_eq!(names(&*town.store).await, std::slice::from_ref(&registration));
    // What nobody can read any more is forgotten with the login.
    let login = town.login();
    login.login().await.unwrap();
    town.store.save(&registration, &"damaged".into()).await.unwrap();
    assert!(login.logout().await.unwrap());
    assert!(names(&*town.store).await.is_empty());
}

/// An access token that the authorization server cannot take back is no failure, as long as nothing can be renewed.
#[tokio::test]
async fn what_can_not_be_revoked_is_told_apart() {
    for (refused, answer, is_revoked) in [
        (("access_token", "unsupported_token_type"), json!({ "refresh_token": "rotated" }), true),
        (("access_token", "unsupported_token_type"), json!({}), false),
        (("access_token", "temporarily_unavailable"), json!({ "refresh_token": "rotated" }), false),
        (("refresh_token", "unsupported_token_type"), json!({ "refresh_token": "rotated" }), false),
    ] {
        let town = Town::new().await;
        let place = "/.well-known/oauth-authorization-server/as";
        town.change(place, "revocation_endpoint", json!(town.url("/as/revoke")));
        town.state().answer = answer;
        town.state().no_revocation = Some(refused);
        let login = town.login();
        town.request(&login).await.unwrap();
        assert!(login.logout().await.unwrap());
        assert!(town.events.lock().unwrap().contains(&AuthEvent::LoggedOut { is_revoked }), "{refused:?}");
    }
}

pub(crate) const STORE: &str = "JACKFIELD_TEST_STORE";
pub(crate) const SERVER: &str = "JACKFIELD_TEST_SERVER";

/// What the other processes of the next test do; by itself it does nothing.
#[tokio::test]
async fn fifty_calls_of_another_process() {
    let (Ok(store), Ok(server)) = (std::env::var(STORE), std::env::var(SERVER)) else { return };
    fifty_calls(OAuth::new("Another").store(FileStore::new(store)), server).await;
}

/// What processes are told by the environment: where the store is, and where the server.
pub(crate) async fn fifty_calls(oauth: OAuth, server: String) {
    let login = oauth.server(&server).unwrap();
    let agent = jackfield_http::client::Agent::default();
    let mut calls = JoinSet::new();
    for _ in 0..50 {
        let (agent, login, server) = (agent.clone(), login.clone(), server.clone());
        calls.spawn(async move {
            let request = http::Request::post(server).body(bytes::Bytes::new()).unwrap();
            agent.send(request, Some(&*login)).await.unwrap().status.as_u16()
        });
    }
    assert!(calls.join_all().await.iter().all(|status| *status == 200));
}

/// T-072: several processes find the same token at its end; it is renewed once.
#[tokio::test]
async fn processes_renew_once() {
    let place = Place::new();
    one_of_three_processes_renews(&place.0, FileStore::new(&place.0), "renewing::fifty_calls_of_another_process").await;
}

/// Logs in with a store in this directory, and has three processes use it at the end of the token, by this test.
pub(crate) async fn one_of_three_processes_renews(directory: &Path, store: impl CredentialStore, test: &'static str) {
    let town = Town::new().await;
    // The token is at its end as soon as it is there; the one after it lasts.
    town.state().answer = json!({ "refresh_token": "rotated", "expires_in": 0 });
    let oauth = OAuth::new("The App").store(store).interaction(Yes(HttpFetch::desktop()));
    oauth.server(town.url("/mcp")).unwrap().login().await.unwrap();
    town.state().answer = json!({ "refresh_token": "rotated", "expires_in": 3600 });
    let mut processes = JoinSet::new();
    for _ in 0..3 {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--nocapture"]);
        command.env(STORE, directory).env(SERVER, town.url("/mcp"));
        processes.spawn_blocking(move || command.output().unwrap());
    }
    for output in processes.join_all().await {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(grants(&town, "refresh_token"), 1);
    assert!(town.site.hits().iter().filter(|hit| hit.path == "/mcp").count() >= 150);
}

/// A login that is bound to a key stays so: a token endpoint that renews it with a token that needs no key is not believed.
#[tokio::test]
async fn a_renewal_does_not_loosen_a_login() {
    let town = town().await;
    town.change("/.well-known/oauth-authorization-server/as", "dpop_signing_alg_values_supported", json!(["ES256"]));
    town.state().answer = json!({ "refresh_token": "rotated", "expires_in": 100, "token_type": "DPoP" });
    let login = town.oauth().binding(Binding::Always).server(town.url("/mcp")).unwrap();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    town.state().answer = json!({ "refresh_token": "rotated", "expires_in": 100, "token_type": "Bearer" });
    town.clock.advance(101);
    for _ in 0..2 {
        assert!(town.failure(&login).await.contains("not bound to"));
    }
    assert_eq!(grants(&town, "refresh_token"), 1, "what came with such an answer is not used again");
    let shown: Vec<_> = town.site.hits().into_iter().filter_map(|hit| hit.authorization).collect();
    assert!(!shown.is_empty() && shown.iter().all(|text| text.starts_with("DPoP ")), "{shown:?}");
}
