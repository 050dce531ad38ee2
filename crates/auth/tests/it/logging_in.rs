//! Becoming known, asking the user, getting a token.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jackfield_auth::Secret;
use jackfield_auth::client::{
    AuthError, AuthEvent, Binding, GivenClient, IdentityProvider, Interaction, MemoryStore, OAuth, Page, Visit,
};
use jackfield_auth::jose::SigningKey;
use jackfield_http::client::Boxed;
use jackfield_http::fetch::HttpFetch;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::storing::{Flaky, names};
use crate::town::{Town, Yes};

const ISSUER: &str = "/.well-known/oauth-authorization-server/as";
const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";

/// What goes to the login page and to the token endpoint, and where the token goes then.
/// AUTH-068, AUTH-069, AUTH-070, AUTH-071, AUTH-072, AUTH-075, AUTH-077, AUTH-106, AUTH-108, AUTH-111
#[tokio::test]
async fn a_user_logs_in() {
    let town = Town::new().await;
    let login = town.login();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    assert_eq!(town.request(&login).await.unwrap(), 200);
    let (visit, form) = (town.visits()[0].clone(), town.forms()[0].clone());
    assert_eq!((visit["resource"].clone(), form["resource"].clone()), (town.url("/mcp"), town.url("/mcp")));
    assert_eq!((visit["code_challenge_method"].as_str(), visit["response_type"].as_str()), ("S256", "code"));
    let challenge = jackfield_auth::pkce::CodeChallenge::parse(&visit["code_challenge"]).unwrap();
    assert!(challenge.is_of(&form["code_verifier"]));
    assert!(visit["state"].len() >= 43 && visit["state"] != form["code_verifier"]);
    assert_eq!((form["code"].as_str(), &form["redirect_uri"]), ("the-code", &visit["redirect_uri"]));
    assert_eq!(town.clients()[0]["redirect_uris"], json!([visit["redirect_uri"]]));
    let served: Vec<_> = town.site.hits().into_iter().filter(|hit| hit.path.starts_with("/mcp")).collect();
    let tokens: Vec<_> = served.iter().map(|hit| hit.authorization.clone()).collect();
    assert_eq!(tokens, [None, Some("Bearer token-1".into()), Some("Bearer token-1".into())]);
    assert!(served.iter().all(|hit| hit.path == "/mcp"));
}

/// A server that does not announce S256 is not used. AUTH-107, AUTH-109, T-066
#[tokio::test]
async fn without_pkce_nobody_logs_in() {
    let town = Town::new().await;
    for methods in [json!([]), json!(["plain"]), json!(["s256"])] {
        town.change(ISSUER, "code_challenge_methods_supported", methods);
        assert!(town.failure(&town.login()).await.contains("does not announce PKCE"));
    }
    town.state().documents.get_mut(ISSUER).unwrap().as_object_mut().unwrap().remove("code_challenge_methods_supported");
    assert!(town.failure(&town.login()).await.contains("does not announce PKCE"));
    assert!(town.visits().is_empty());
}

/// What is given comes first, then the document, then registration; without any there is an error that says so.
/// AUTH-018, AUTH-019, AUTH-032, AUTH-033, AUTH-036, AUTH-045, AUTH-046
#[tokio::test]
async fn clients_are_known_in_the_right_order() {
    let town = Town::new().await;
    town.change(ISSUER, "client_id_metadata_document_supported", json!(true));
    let document = "https://app.example/client.json";
    let with_document = town.oauth().client_document(document).unwrap();
    let with_both = with_document.clone().client(GivenClient::new("given"));
    for (oauth, id) in [(&with_both, "given"), (&with_document, document), (&town.oauth(), "client-1-of-as")] {
        let login = oauth.clone().store(MemoryStore::default()).server(town.url("/mcp")).unwrap();
        assert_eq!(town.request(&login).await.unwrap(), 200);
        assert_eq!(town.visits().last().unwrap()["client_id"], id);
        assert_eq!(town.forms().last().unwrap()["client_id"], id);
    }
    // A document is of no use where it is not announced.
    let member = "client_id_metadata_document_supported";
    town.change(ISSUER, member, json!(false));
    for _ in 0..2 {
        let login = with_document.clone().store(MemoryStore::default()).server(town.url("/mcp")).unwrap();
        assert_eq!(town.request(&login).await.unwrap(), 200);
        assert!(town.visits().last().unwrap()["client_id"].starts_with("client-"));
        town.state().documents.get_mut(ISSUER).unwrap().as_object_mut().unwrap().remove(member);
    }
    town.state().documents.get_mut(ISSUER).unwrap().as_object_mut().unwrap().remove("registration_endpoint");
    assert!(town.failure(&town.login()).await.contains("no client id was given for it"));
    for bad in [
        "http://app.example/client.json",
        "https://app.example",
        "https://app.example/",
        "https://u@app.example/c",
        "https://app.example/c#x",
    ] {
        assert!(OAuth::new("x").client_document(bad).is_err(), "{bad}");
    }
}

/// What a client says of itself when it registers. AUTH-047, AUTH-048, AUTH-086
#[tokio::test]
async fn a_client_on_a_users_machine_registers_as_one() {
    let town = Town::new().await;
    town.request(&town.login()).await.unwrap();
    let client = town.clients()[0].clone();
    assert_eq!((&client["application_type"], &client["client_name"]), (&json!("native"), &json!("The App")));
    assert_eq!(client["grant_types"], json!(["authorization_code", "refresh_token"]));
    assert_eq!(client["token_endpoint_auth_method"], "none");
    // It stays known until the user logs out.
    town.login().login().await.unwrap();
    assert_eq!((town.clients().len(), town.visits().len()), (1, 2));
    town.login().logout().await.unwrap();
    town.request(&town.login()).await.unwrap();
    assert_eq!((town.clients().len(), town.visits().len()), (2, 3));
}

/// A client whose users come back to a site runs there. AUTH-047, AUTH-048
#[tokio::test]
async fn a_client_on_a_site_registers_as_one() {
    for (redirect, kind) in [
        ("https://app.example/cb", "web"),
        ("https://localhost/cb", "native"),
        ("https://[::1]/cb", "native"),
        ("http://[::1]:4000/cb", "native"),
    ] {
        let town = Town::new().await;
        let login = town.oauth().redirect_uri(redirect).server(town.url("/mcp")).unwrap();
        town.request(&login).await.unwrap();
        let client = town.clients()[0].clone();
        assert_eq!((&client["application_type"], &client["redirect_uris"]), (&json!(kind), &json!([redirect])));
    }
}

/// Users come back over https, or to their own machine; anything else is refused before anybody is asked. AUTH-105
#[tokio::test]
async fn users_come_back_to_a_safe_place() {
    let town = Town::new().await;
    for bad in ["http://app.example/cb", "com.example.app:/cb", "javascript:alert(1)", "https://app.example/#x", ""] {
        let refused = town.oauth().redirect_uri(bad).server(town.url("/mcp")).unwrap_err();
        assert!(matches!(&refused, AuthError::Redirect(uri) if uri == bad), "{refused}");
    }
    assert!(town.site.hits().is_empty());
    let loose = town.oauth().private_use_schemes().redirect_uri("com.example.app:/cb");
    assert_eq!(town.request(&loose.server(town.url("/mcp")).unwrap()).await.unwrap(), 200);
    // An interaction of the application's own has no other choice.
    let town = Town::new().await;
    let login = town.oauth().interaction(Elsewhere("http://app.example/cb")).server(town.url("/mcp")).unwrap();
    assert!(town.failure(&login).await.contains("cannot come back to http://app.example/cb"));
    assert!(town.clients().is_empty() && town.visits().is_empty() && town.paths("/token").is_empty());
}

/// Has users come back to one address, whatever is wanted; nobody ever does.
#[derive(Clone, Debug)]
struct Elsewhere(&'static str);

impl Interaction for Elsewhere {
    fn prepare<'a>(&'a self, _: Option<&'a str>) -> Boxed<'a, Result<Box<dyn Visit>, AuthError>> {
        Box::pin(std::future::ready(Ok(Box::new(self.clone()) as Box<dyn Visit>)))
    }
}

impl Visit for Elsewhere {
    fn redirect_uri(&self) -> &str {
        self.0
    }

    fn visit(self: Box<Self>, _: Page) -> Boxed<'static, Result<String, AuthError>> {
        Box::pin(std::future::ready(Err(AuthError::TimedOut)))
    }
}

/// A client that the authorization server has forgotten registers anew, whether that shows when a token is renewed or when a user
/// logs in.
#[tokio::test]
async fn a_forgotten_client_registers_anew() {
    let town = Town::new().await;
    town.state().answer = json!({ "refresh_token": "rotated", "expires_in": 100 });
    let login = town.login();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    town.state().forgotten.insert("client-1-of-as".to_owned());
    town.clock.advance(101);
    town.state().tokens.clear();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    assert_eq!(town.clients().len(), 2);
    // The next one is forgotten while nobody has anything to renew.
    town.state().answer = json!({});
    town.login().login().await.unwrap();
    town.state().forgotten.insert("client-2-of-as".to_owned());
    assert!(town.login().login().await.unwrap_err().to_string().contains("invalid_client"));
    town.login().login().await.unwrap();
    let ids: Vec<_> = town.visits().iter().map(|visit| visit["client_id"].clone()).collect();
    assert_eq!(ids.last().unwrap(), "client-3-of-as");
    assert_eq!(town.clients().len(), 3);
}

/// Servers that do not know a client show a page of their own, from which nobody comes back.
#[tokio::test]
async fn a_client_from_whose_page_nobody_comes_back_registers_anew() {
    let town = Town::new().await;
    town.login().login().await.unwrap();
    let nobody = town.oauth().interaction(Elsewhere("http://127.0.0.1:4000/callback/x"));
    let nobody = nobody.server(town.url("/mcp")).unwrap();
    assert!(matches!(nobody.login().await, Err(AuthError::TimedOut)));
    assert_eq!(town.clients().len(), 1, "the one that was remembered was tried");
    town.login().login().await.unwrap();
    assert_eq!(town.clients().len(), 2);
    // One that never got a token is not kept.
    let town = Town::new().await;
    let nobody = town.oauth().interaction(Elsewhere("http://127.0.0.1:4000/callback/x"));
    nobody.server(town.url("/mcp")).unwrap().login().await.unwrap_err();
    assert!(names(&*town.store).await.is_empty());
}

/// Says no when it is let, and counts how often it was asked.
#[derive(Clone, Debug)]
struct No {
    asked: Arc<AtomicUsize>,
    let_go: Arc<Semaphore>,
}

impl Interaction for No {
    fn prepare<'a>(&'a self, _: Option<&'a str>) -> Boxed<'a, Result<Box<dyn Visit>, AuthError>> {
        Box::pin(std::future::ready(Ok(Box::new(self.clone()) as Box<dyn Visit>)))
    }
}

impl Visit for No {
    fn redirect_uri(&self) -> &str {
        "http://127.0.0.1:4000/callback/x"
    }

    fn visit(self: Box<Self>, page: Page) -> Boxed<'static, Result<String, AuthError>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            self.let_go.acquire().await.unwrap().forget();
            Ok(format!("error=access_denied&state={}", page.state.expose()))
        })
    }
}

/// However many requests are refused at once, the user is asked once, and a no is a no to all of them.
#[tokio::test]
async fn a_no_is_for_all_who_waited() {
    let town = Arc::new(Town::new().await);
    let no = No { asked: Arc::default(), let_go: Arc::new(Semaphore::new(0)) };
    let login = town.oauth().interaction(no.clone()).server(town.url("/mcp")).unwrap();
    for round in 1..=2 {
        town.events.lock().unwrap().clear();
        let mut calls = JoinSet::new();
        for _ in 0..10 {
            let (town, login) = (town.clone(), login.clone());
            calls.spawn(async move { town.failure(&login).await });
        }
        let challenged = |event: &&AuthEvent| matches!(event, AuthEvent::Challenged { .. });
        let all_wait = async || town.events.lock().unwrap().iter().filter(challenged).count() == 10;
        jackfield_testkit::eventually("all calls are refused", all_wait).await;
        no.let_go.add_permits(10);
        let failures = calls.join_all().await;
        assert!(failures.iter().all(|failure| failure.contains("access_denied")), "{failures:?}");
        assert_eq!(no.asked.load(Ordering::SeqCst), round, "later requests ask again");
        no.let_go.forget_permits(10);
    }
}

/// However often the user says no, the client is registered once.
#[tokio::test]
async fn logins_that_do_not_finish_register_once() {
    let town = Town::new().await;
    let no = No { asked: Arc::default(), let_go: Arc::new(Semaphore::new(3)) };
    for _ in 0..3 {
        let login = town.oauth().interaction(no.clone()).server(town.url("/mcp")).unwrap();
        assert!(matches!(login.login().await, Err(AuthError::Denied(_))));
    }
    // Nor does somebody who gives up before the user has answered.
    let login = town.oauth().interaction(no.clone()).server(town.url("/mcp")).unwrap();
    tokio::select! {
        biased;
        _ = login.login() => panic!("nobody has answered"),
        () = jackfield_testkit::eventually("the user is asked", async || no.asked.load(Ordering::SeqCst) == 4) => {}
    }
    town.login().login().await.unwrap();
    assert_eq!(town.clients().len(), 1);
    // A server that does not know the client that it has just registered is asked for another.
    let town = Town::new().await;
    town.state().forgotten.insert("client-1-of-as".to_owned());
    town.login().login().await.unwrap_err();
    assert!(names(&*town.store).await.is_empty());
    town.login().login().await.unwrap();
    assert_eq!(town.clients().len(), 2);
}

/// A token that ended before it was ever shown was not refused, and nobody is told so for ever.
#[tokio::test]
async fn a_token_that_ended_unseen_is_replaced() {
    let town = Town::new().await;
    town.state().answer = json!({ "expires_in": 100 });
    let login = town.login();
    login.login().await.unwrap();
    town.clock.advance(101);
    assert_eq!(town.request(&login).await.unwrap(), 200);
    assert_eq!(town.visits().len(), 2);
}

/// Servers that want a nonce in each proof may tell several requests at once; each of them is sent again.
#[tokio::test]
async fn each_request_gets_the_nonce_it_lacks() {
    let town = Arc::new(Town::new().await);
    town.state().answer = json!({ "token_type": "DPoP" });
    let login = town.oauth().binding(Binding::Always).server(town.url("/mcp")).unwrap();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    for nonce in ["first", "second"] {
        town.state().nonce = Some(nonce);
        let mut calls = JoinSet::new();
        for _ in 0..3 {
            let (town, login) = (town.clone(), login.clone());
            calls.spawn(async move { town.request(&login).await.unwrap() });
        }
        assert_eq!(calls.join_all().await, [200, 200, 200], "{nonce}");
    }
}

/// AUTH-049, AUTH-050
#[tokio::test]
async fn a_refused_registration_says_why() {
    let town = Town::new().await;
    town.state().no_registration = Some("invalid_redirect_uri");
    let failure = town.failure(&town.login()).await;
    assert!(failure.contains("invalid_redirect_uri (not to this address)"), "{failure}");
}

/// Credentials of one authorization server never meet another.
/// AUTH-025, AUTH-026, AUTH-051, AUTH-052, AUTH-053, T-065
#[tokio::test]
async fn another_authorization_server_begins_anew() {
    let town = Town::new().await;
    town.state().answer = json!({ "refresh_token": "rotated" });
    let login = town.login();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    town.set(RESOURCE, town.resource(&["/new"]));
    town.set("/.well-known/oauth-authorization-server/new", town.issuer("/new"));
    town.state().tokens.clear();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    let ids: Vec<_> = town.visits().iter().map(|visit| visit["client_id"].clone()).collect();
    assert_eq!(ids, ["client-1-of-as", "client-2-of-new"]);
    let new: Vec<_> = town.site.hits().into_iter().filter(|hit| hit.path.starts_with("/new")).collect();
    assert!(new.iter().all(|hit| !hit.body.contains("refresh-1") && !hit.body.contains("client-1")));
    let names = names(&*town.store).await;
    assert!(
        names.contains(&format!("client {}", town.url("/as")))
            && names.contains(&format!("client {}", town.url("/new")))
    );
}

/// A client that somebody registered elsewhere is not shown to a new authorization server. AUTH-054, T-065
#[tokio::test]
async fn given_clients_belong_to_their_issuer() {
    let town = Town::new().await;
    let given = GivenClient::new("given").secret("s3cret");
    let login = town.oauth().client(given.clone().issuer("https://other.example")).server(town.url("/mcp")).unwrap();
    assert!(town.failure(&login).await.contains("belongs to https://other.example"));
    // Without a name it belongs to the first.
    let login = town.oauth().client(given).server(town.url("/mcp")).unwrap();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    town.set(RESOURCE, town.resource(&["/new"]));
    town.set("/.well-known/oauth-authorization-server/new", town.issuer("/new"));
    town.state().tokens.clear();
    assert!(town.failure(&login).await.contains("the client id belongs to"));
    assert!(town.paths("/new/").is_empty());
}

/// The same for other servers of the application, and for those it meets after its next start. AUTH-054, AUTH-082, T-065
#[tokio::test]
async fn a_given_client_is_shown_to_one_issuer() {
    let (town, crooked) = (Town::new().await, Town::new().await);
    let given = || town.oauth().client(GivenClient::new("given").secret("s3cret of given"));
    let oauth = given();
    let login = oauth.server(crooked.url("/mcp")).unwrap();
    login.explain().await.unwrap();
    assert_eq!(town.request(&oauth.server(town.url("/mcp")).unwrap()).await.unwrap(), 200, "to look is not to use");
    for oauth in [oauth, given()] {
        let login = oauth.server(crooked.url("/mcp")).unwrap();
        let failure = crooked.failure(&login).await;
        assert!(failure.contains(&format!("the client id belongs to {}", town.url("/as"))), "{failure}");
    }
    assert!(crooked.visits().is_empty() && crooked.paths("/token").is_empty());
    // Unless somebody says that it is known there too.
    let client = GivenClient::new("given").secret("another").issuer(crooked.url("/as"));
    let login = town.oauth().client(client).server(crooked.url("/mcp")).unwrap();
    assert_eq!(crooked.request(&login).await.unwrap(), 200);
}

/// What could not be kept is not taken for kept: the next login keeps whose client it is.
#[tokio::test]
async fn a_given_client_is_bound_when_the_store_works_again() {
    let town = Town::new().await;
    let store = Arc::new(Flaky::new(town.store.clone()));
    let oauth = town.oauth().client(GivenClient::new("given")).shared_store(store.clone());
    let login = oauth.server(town.url("/mcp")).unwrap();
    store.fail("issuer of ");
    assert!(matches!(login.login().await, Err(AuthError::Store(_))));
    login.login().await.unwrap();
    assert!(names(&*town.store).await.contains(&"issuer of given".to_owned()));
}

/// Two servers share a store, and each sees its own token only. AUTH-082
#[tokio::test]
async fn a_server_never_sees_the_token_of_another() {
    let (one, other) = (Town::new().await, Town::new().await);
    one.state().answer = json!({ "access_token": "the-token-of-one" });
    one.state().tokens.insert("the-token-of-one".to_owned(), Default::default());
    let oauth = one.oauth();
    let login = oauth.server(one.url("/mcp")).unwrap();
    assert_eq!(one.request(&login).await.unwrap(), 200);
    assert_eq!(other.request(&oauth.server(other.url("/mcp")).unwrap()).await.unwrap(), 200);
    assert_eq!(one.request(&oauth.server(one.url("/mcp")).unwrap()).await.unwrap(), 200, "it is kept");
    let shown: Vec<_> = other.site.hits().into_iter().filter_map(|hit| hit.authorization).collect();
    assert_eq!(shown, ["Bearer token-1"]);
    assert!(one.site.hits().iter().any(|hit| hit.authorization.as_deref() == Some("Bearer the-token-of-one")));
}

/// How a secret is shown is the server's choice.
#[tokio::test]
async fn secrets_are_shown_as_the_server_wants() {
    for (methods, in_body) in
        [(json!(["client_secret_post"]), true), (json!(["client_secret_basic"]), false), (json!([]), false)]
    {
        let town = Town::new().await;
        town.change(ISSUER, "token_endpoint_auth_methods_supported", methods);
        let given = GivenClient::new("a:b").secret("c&d e");
        let login = town.oauth().client(given).server(town.url("/mcp")).unwrap();
        assert_eq!(town.request(&login).await.unwrap(), 200);
        let form = town.forms()[0].clone();
        assert_eq!(form.contains_key("client_secret"), in_body);
        let header = town.site.hits().into_iter().find(|hit| hit.path == "/as/token").unwrap().authorization;
        // The base64 of `a%3Ab:c%26d+e`.
        assert_eq!(header.as_deref(), (!in_body).then_some("Basic YSUzQWI6YyUyNmQrZQ=="));
    }
}

/// An answer of another server, or without our secret, goes nowhere. AUTH-065, AUTH-114, T-064, T-067
#[tokio::test]
async fn answers_that_are_not_ours_go_to_no_token_endpoint() {
    let town = Town::new().await;
    for (name, value) in [("iss", "https://evil.example"), ("state", "other"), ("error", "access_denied")] {
        town.state().callback = [(name.to_owned(), value.to_owned())].into();
        town.failure(&town.login()).await;
    }
    town.state().callback.clear();
    town.change(ISSUER, "authorization_response_iss_parameter_supported", json!(true));
    assert!(town.failure(&town.login()).await.contains("does not say which authorization server"));
    assert!(town.paths("/token").is_empty());
    town.state().callback = [("iss".to_owned(), town.url("/as"))].into();
    assert_eq!(town.request(&town.login()).await.unwrap(), 200);
}

/// Moves the authorization server while the user is away.
#[derive(Clone)]
struct Meanwhile(Yes, Arc<dyn Fn() + Send + Sync>);

impl std::fmt::Debug for Meanwhile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Meanwhile")
    }
}

impl Interaction for Meanwhile {
    fn prepare<'a>(&'a self, wanted: Option<&'a str>) -> Boxed<'a, Result<Box<dyn Visit>, AuthError>> {
        Box::pin(async move {
            let visit = self.0.prepare(wanted).await?;
            Ok(Box::new(MeanwhileVisit(visit, self.1.clone())) as Box<dyn Visit>)
        })
    }
}

struct MeanwhileVisit(Box<dyn Visit>, Arc<dyn Fn() + Send + Sync>);

impl std::fmt::Debug for MeanwhileVisit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MeanwhileVisit")
    }
}

impl Visit for MeanwhileVisit {
    fn redirect_uri(&self) -> &str {
        self.0.redirect_uri()
    }

    fn visit(self: Box<Self>, page: Page) -> Boxed<'static, Result<String, AuthError>> {
        let Self(visit, change) = *self;
        Box::pin(async move {
            change();
            visit.visit(page).await
        })
    }
}

/// The answer is compared with the issuer that was checked before the user was sent away, whatever its metadata says by then, and
/// the code goes where that issuer said. AUTH-062
#[tokio::test]
async fn the_issuer_is_written_down_before_the_user_leaves() {
    for (named, is_taken) in [("/as", true), ("/new", false)] {
        let town = Town::new().await;
        town.change(ISSUER, "authorization_response_iss_parameter_supported", json!(true));
        let (state, issuer, named) = (town.shared_state(), town.issuer("/new"), town.url(named));
        let change = move || {
            let mut state = state.lock().unwrap();
            state.documents.insert(ISSUER.to_owned(), issuer.clone());
            state.callback = [("iss".to_owned(), named.clone())].into();
        };
        let interaction = Meanwhile(Yes(HttpFetch::desktop()), Arc::new(change));
        let login = town.oauth().interaction(interaction).server(town.url("/mcp")).unwrap();
        assert_eq!(login.login().await.is_ok(), is_taken);
        assert_eq!(town.paths("/token"), if is_taken { vec!["/as/token"] } else { vec![] });
    }
}

/// A server that refuses every token does not open the browser again and again. T-070
#[tokio::test]
async fn a_server_that_refuses_every_token_is_given_up() {
    let town = Town::new().await;
    town.state().hates_tokens = true;
    let login = town.login();
    assert!(town.failure(&login).await.contains("refuses the token that was just issued"));
    assert_eq!(town.visits().len(), 1);
}

/// Without anybody to ask there is an error that says so, and a program can tell it from others.
#[tokio::test]
async fn nobody_to_ask_is_an_error_of_its_own() {
    let town = Town::new().await;
    let login = OAuth::new("x").server(town.url("/mcp")).unwrap();
    let error = town.request(&login).await.unwrap_err();
    let cause = std::error::Error::source(error.not_authorized().unwrap()).unwrap();
    assert!(cause.downcast_ref::<AuthError>().unwrap().needs_login());
}

/// Secrets are in no event, no error and nothing that is printed. T-068, AUTH-085
#[tokio::test]
async fn secrets_are_not_told() {
    let town = Town::new().await;
    town.state().answer = json!({ "refresh_token": "rotated", "expires_in": 100 });
    let oauth = town.oauth().client(GivenClient::new("given").secret("c-secret"));
    let login = oauth.server(town.url("/mcp")).unwrap();
    town.request(&login).await.unwrap();
    town.clock.advance(90);
    town.request(&login).await.unwrap();
    town.state().refusal = Some("invalid_grant");
    town.clock.advance(90);
    town.state().tokens.clear();
    let failure = town.failure(&login).await;
    let account = login.account().await.unwrap();
    let all = format!("{:?} {oauth:?} {login:?} {failure} {account:?}", town.events.lock().unwrap());
    for secret in ["token-1", "token-2", "refresh-", "c-secret", "the-code", &town.forms()[0]["code_verifier"]] {
        assert!(!all.contains(secret), "{secret} in {all}");
    }
    assert!(all.contains("Issued") && all.contains("Renewed") && all.contains("NotRenewed"));
}

/// Each step is told, so that a person can see where it goes wrong.
#[tokio::test]
async fn every_step_is_told() {
    let town = Town::new().await;
    town.state().answer = json!({ "expires_in": 100 });
    town.login().login().await.unwrap();
    let told: Vec<String> = town.events.lock().unwrap().iter().map(name).collect();
    let expected = "Challenged Looked Resource Looked Issuer Client Visiting CameBack Issued Kept";
    assert_eq!(told.join(" "), expected);
    town.events.lock().unwrap().clear();
    town.login().explain().await.unwrap();
    assert_eq!(
        town.events.lock().unwrap().iter().map(name).collect::<Vec<_>>().join(" "),
        "Challenged Looked Resource Looked Issuer"
    );
}

fn name(event: &AuthEvent) -> String {
    format!("{event:?}").split([' ', '{']).next().unwrap().to_owned()
}

/// Programs that act for themselves: by a secret, by a key, and by their platform; without a user, and in time for the end of
/// the token. XCC-002, XCC-004
#[tokio::test]
async fn programs_get_tokens_without_a_user() {
    let town = Town::new().await;
    town.state().answer = json!({ "expires_in": 100 });
    let given = || GivenClient::new("robot").secret("s");
    let login = town.oauth().client_credentials(given()).server(town.url("/mcp")).unwrap();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    town.clock.advance(90);
    assert_eq!(town.request(&login).await.unwrap(), 200);
    let key = SigningKey::generate().unwrap();
    let public = key.public().clone();
    let with_key = town.oauth().client_credentials(GivenClient::new("robot").key(key));
    let of_platform = town.oauth().client(given()).workload_identity(Secret::new("jwt-of-platform"));
    for oauth in [with_key, of_platform] {
        let login = oauth.store(MemoryStore::default()).server(town.url("/mcp")).unwrap();
        assert_eq!(town.request(&login).await.unwrap(), 200);
    }
    let forms = town.forms();
    assert!(forms.iter().all(|form| form["resource"] == town.url("/mcp")) && town.visits().is_empty());
    let kinds: Vec<_> = forms.iter().map(|form| form["grant_type"].rsplit(':').next().unwrap()).collect();
    assert_eq!(kinds, ["client_credentials", "client_credentials", "client_credentials", "jwt-bearer"]);
    assert_eq!(forms[3]["assertion"], "jwt-of-platform");
    let assertion = jackfield_auth::jose::Jws::parse(&forms[2]["client_assertion"]).unwrap();
    let claims: serde_json::Value = serde_json::from_slice(assertion.verify(&public).unwrap()).unwrap();
    assert_eq!(
        (&claims["iss"], &claims["sub"], &claims["aud"]),
        (&json!("robot"), &json!("robot"), &json!(town.url("/as")))
    );
    assert!(claims["exp"].as_u64().unwrap() - claims["iat"].as_u64().unwrap() <= 60 && claims["jti"].is_string());
    // The server refused one request for each login; the renewal came before the end of the token.
    let refused = town.site.hits().into_iter().filter(|hit| hit.path == "/mcp" && hit.authorization.is_none());
    assert_eq!(refused.count(), 3);
}

/// The organization decides: its identity provider is asked for an assertion, which the authorization server takes; the user sees
/// no page. XEMA-001
#[tokio::test]
async fn an_organization_vouches_for_its_users() {
    const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
    let town = Town::new().await;
    town.state().answer = json!({ "issued_token_type": ID_JAG });
    let provider = IdentityProvider::new(town.url("/idp/token"), "idp-client", Secret::new("who-ann-is"));
    let oauth = town.oauth().client(GivenClient::new("app").secret("s")).enterprise(provider);
    assert_eq!(town.request(&oauth.server(town.url("/mcp")).unwrap()).await.unwrap(), 200);
    let (forms, paths) = (town.forms(), town.paths("/token"));
    assert_eq!(paths, ["/idp/token", "/as/token"]);
    let asked = |name: &str| forms[0][name].as_str();
    assert_eq!(asked("grant_type"), "urn:ietf:params:oauth:grant-type:token-exchange");
    assert_eq!((asked("requested_token_type"), asked("subject_token")), (ID_JAG, "who-ann-is"));
    assert_eq!(asked("subject_token_type"), "urn:ietf:params:oauth:token-type:id_token");
    assert_eq!((asked("audience"), asked("resource")), (town.url("/as").as_str(), town.url("/mcp").as_str()));
    assert_eq!(forms[1]["assertion"], "token-1");
    assert!(town.visits().is_empty());
    // Anything else than such an assertion goes no further.
    town.state().answer = json!({ "issued_token_type": "urn:ietf:params:oauth:token-type:access_token" });
    let other = oauth.store(MemoryStore::default()).server(town.url("/mcp")).unwrap();
    assert!(town.failure(&other).await.contains("something else than an ID-JAG"));
}

/// The document that an application serves about itself. AUTH-037, AUTH-038
#[test]
fn a_client_describes_itself() {
    let url = "https://app.example/client.json";
    let document = OAuth::new("The App").client_document(url).unwrap().document().unwrap();
    assert_eq!((&document["client_id"], &document["client_name"]), (&json!(url), &json!("The App")));
    assert_eq!(document["redirect_uris"], json!(["http://127.0.0.1/callback"]));
    assert_eq!(document["token_endpoint_auth_method"], "none");
    let signs = OAuth::new("x").client_document(url).unwrap().client_key(SigningKey::generate().unwrap());
    let document = signs.document().unwrap();
    assert_eq!(document["token_endpoint_auth_method"], "private_key_jwt");
    assert!(document["jwks"]["keys"][0]["x"].is_string() && document["jwks"]["keys"][0].get("d").is_none());
    assert!(OAuth::new("x").document().is_none());
}
