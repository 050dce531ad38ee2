//! Consent: what it is for, whose it is, and where it leads.

use jackfield_auth::Secret;
use jackfield_auth::server::{Client, Registration, Resource, Users};
use serde_json::json;

use crate::visitor::{Answer, PASSWORD, REDIRECT, RESOURCE, Start, Visitor, server};

const OTHER: &str = "https://other.example.com/mcp";

/// The same scope can mean more at another resource, so consent is asked for again there.
#[tokio::test]
async fn consent_is_for_one_resource() {
    let (server, _) =
        server(|builder| builder.resource(Resource::new(OTHER).scope("read", "Read letters").default_scopes("read")));
    let mut visitor = Visitor::new(&server);
    visitor.obtain(&Start::new()).await;
    assert!(visitor.get(&Start::new().path()).await.param("code").is_some(), "asked before");
    let page = visitor.get(&Start::new().set("resource", OTHER).path()).await;
    assert!(page.status == 200 && page.text().contains("Read letters"), "{page:?}");
}

/// T-089: a page that was shown to one user is no consent of another who logged in meanwhile. SEC-004
#[tokio::test]
async fn nobody_consents_on_the_page_of_another() {
    let users = Users::new().unwrap();
    for user in ["ann", "bob"] {
        users.add_user(user, &Secret::new(PASSWORD)).unwrap();
    }
    let (server, _) = server(|builder| builder.users(users));
    let mut browser = Visitor::new(&server);
    let page = browser.get(&Start::new().path()).await;
    let of_ann = browser.login(&page, PASSWORD).await;
    assert!(of_ann.text().contains("<strong>ann</strong>"));
    let again = browser.get(&Start::new().set("prompt", "login").path()).await;
    let of_bob = browser.login_as(&again, "bob", PASSWORD).await;
    assert!(of_bob.text().contains("<strong>bob</strong>"));
    let answer = browser.decide(&of_ann, "allow").await;
    assert_eq!((answer.status, answer.headers.get("location")), (400, None));
    assert!(browser.decide(&of_bob, "allow").await.param("code").is_some());
}

/// Whoever logs in again has one session, not two.
#[tokio::test]
async fn a_new_login_ends_the_one_before() {
    let (server, _) = server(|builder| builder);
    let mut browser = Visitor::new(&server);
    browser.obtain(&Start::new()).await;
    let mut thief = browser.clone();
    assert!(thief.get(&Start::new().set("prompt", "none").path()).await.param("code").is_some());
    let page = browser.get(&Start::new().set("prompt", "login").path()).await;
    browser.login(&page, PASSWORD).await;
    let answer = thief.get(&Start::new().set("prompt", "none").path()).await;
    assert_eq!(answer.param("error").as_deref(), Some("login_required"));
}

/// `prompt` is a list of words, of which `none` stands alone.
#[tokio::test]
async fn what_has_to_be_shown_is_a_list() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    visitor.obtain(&Start::new()).await;
    let mut shown = async |prompt: &str| visitor.get(&Start::new().set("prompt", prompt).path()).await;
    assert!(shown("login consent").await.text().contains("Password"));
    assert!(shown("consent select_account").await.text().contains("Password"));
    assert!(shown("consent").await.text().contains("Allow access?"));
    assert_eq!(shown("none login").await.param("error").as_deref(), Some("invalid_request"));
}

async fn register(visitor: &mut Visitor, redirect: &str, method: &str) -> serde_json::Value {
    let metadata = json!({ "client_name": "Stranger", "redirect_uris": [redirect], "token_endpoint_auth_method": method,
        "grant_types": ["authorization_code", "refresh_token"] });
    visitor.post_json("/register", &metadata).await.json()
}

/// AUTH-115, AUTH-116: a stranger's address is shown before anybody is sent there, because it may look like ours. Only a user
/// who has seen it and said yes goes there at once (RFC 9700, section 4.11.2).
#[tokio::test]
async fn nobody_is_sent_to_a_stranger_by_mistake() {
    const EVIL: &str = "https://evil.example/looks-like-ours";
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let stranger = register(&mut visitor, EVIL, "none").await;
    let start = Start::new().set("client_id", stranger["client_id"].as_str().unwrap()).set("redirect_uri", EVIL);
    #[track_caller]
    fn is_shown(answer: &Answer) {
        assert_eq!((answer.status, answer.headers.get("location")), (200, None), "{answer:?}");
        let text = answer.text();
        assert!(text.contains("Return to <strong>evil.example</strong>") && !text.contains("http-equiv"), "{text}");
    }
    is_shown(&visitor.get(&start.clone().set("scope", "made-up").path()).await);
    is_shown(&visitor.get(&start.clone().set("prompt", "none").path()).await);
    let page = visitor.get(&start.path()).await;
    let page = visitor.login(&page, PASSWORD).await;
    is_shown(&visitor.decide(&page, "deny").await);
    let page = visitor.get(&start.path()).await;
    assert!(visitor.decide(&page, "allow").await.param("code").is_some());

    // A program on the user's own machine is no page that could look like ours.
    let local = register(&mut visitor, "http://127.0.0.1:1234/cb", "none").await;
    let start = Start::new()
        .set("client_id", local["client_id"].as_str().unwrap())
        .set("redirect_uri", "http://127.0.0.1:1234/cb")
        .set("scope", "made-up");
    assert_eq!(visitor.get(&start.path()).await.param("error").as_deref(), Some("invalid_scope"));
}

/// Forms come back to us, and a page leads on from there: browsers would hold the policy of the form's page against every
/// address that the client's own page redirects to.
#[tokio::test]
async fn a_form_leads_elsewhere_by_a_page() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let answer = visitor.obtain(&Start::new()).await;
    let text = answer.text();
    let to = answer.location().replace('&', "&amp;");
    assert_eq!(answer.status, 200);
    assert!(to.starts_with(REDIRECT) && text.contains(&format!("content=\"0;url={to}\"")), "{text}");
    assert!(text.contains(&format!("<a href=\"{to}\">app.example</a>")), "{text}");
    assert_eq!(answer.headers["referrer-policy"], "same-origin");
    assert!(answer.headers["content-security-policy"].to_str().unwrap().contains("default-src 'none'"));
    let again = visitor.get(&Start::new().path()).await;
    assert_eq!(again.status, 303, "where there was no form there is no page");
}

/// What self-registered clients can find out about tokens: those of their own.
#[tokio::test]
async fn strangers_learn_nothing_about_tokens_of_others() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let start = Start::new();
    let code = visitor.obtain(&start).await.param("code").unwrap();
    let token = visitor.post("/token", &start.redeem(&code)).await.json()["access_token"].as_str().unwrap().to_owned();
    let stranger = register(&mut visitor, REDIRECT, "client_secret_basic").await;
    let (id, secret) = (stranger["client_id"].as_str().unwrap(), stranger["client_secret"].as_str().unwrap());
    let ask = async |id: &str, secret: &str| {
        Visitor::new(&server).basic(id, secret).post("/introspect", &[("token", &token)]).await.json()
    };
    assert_eq!(ask(id, secret).await, json!({ "active": false }));
    assert_eq!(ask("robot", "s3cret of the robot").await["active"], true);
}

/// A client that registered itself is known for as long as it is in use.
#[tokio::test]
async fn a_client_in_use_is_not_forgotten() {
    const CALLBACK: &str = "http://127.0.0.1:1234/cb";
    let (server, clock) = server(|builder| builder.registration(Registration::default()));
    let mut visitor = Visitor::new(&server);
    let client = register(&mut visitor, CALLBACK, "none").await;
    let id = client["client_id"].as_str().unwrap();
    let start = Start::new().set("client_id", id).set("redirect_uri", CALLBACK).set("resource", RESOURCE);
    let code = visitor.obtain(&start).await.param("code").unwrap();
    let mut tokens = visitor.post("/token", &start.redeem(&code)).await.json();
    for _ in 0..5 {
        clock.advance(25 * 86_400);
        let refresh = tokens["refresh_token"].as_str().unwrap().to_owned();
        let form = [("grant_type", "refresh_token"), ("client_id", id), ("refresh_token", &*refresh)];
        let answer = visitor.post("/token", &form).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        tokens = answer.json();
    }
}

/// AUTH-092: a client registers with the scopes it needs first; when a server demands more, its user may grant more. Only an
/// administrator's word keeps scopes from a client.
#[tokio::test]
async fn a_client_may_need_more_than_it_registered_for() {
    let limited = Client::public("limited", [REDIRECT]).scopes("read");
    let (server, _) = server(|builder| builder.client(limited));
    let mut visitor = Visitor::new(&server);
    let metadata =
        json!({ "redirect_uris": ["http://127.0.0.1:1234/cb"], "token_endpoint_auth_method": "none", "scope": "read" });
    let client = visitor.post_json("/register", &metadata).await.json();
    let start = |id: &str, redirect: &str| Start::new().set("client_id", id).set("redirect_uri", redirect);
    let own = start(client["client_id"].as_str().unwrap(), "http://127.0.0.1:1234/cb");
    let page = visitor.get(&own.clone().set("scope", "read write").path()).await;
    assert!(visitor.login(&page, PASSWORD).await.text().contains("Write files"));
    let answer = visitor.get(&own.set("scope", "read made-up").path()).await;
    assert_eq!(answer.param("error").as_deref(), Some("invalid_scope"));
    let answer = visitor.get(&start("limited", REDIRECT).set("scope", "read write").path()).await;
    assert_eq!(answer.param("error").as_deref(), Some("invalid_scope"));
}
