//! Users and their browsers: where they are sent, what they see, what cannot be forged.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use http::{HeaderMap, StatusCode};
use jackfield_auth::jose::{JwkSet, SigningKey};
use jackfield_auth::server::{Client, Registration, TrustedIssuer};
use jackfield_http::fetch::{Document, Fetch, FetchError, FetchFuture, FetchRequest};
use serde_json::{Value, json};

use crate::visitor::{ISSUER, NOW, PASSWORD, REDIRECT, RESOURCE, Start, Visitor, server};

/// T-084: nobody is sent anywhere while client or address are in doubt. AUTH-112, AUTH-115, SEC-007
#[tokio::test]
async fn no_redirect_for_an_unknown_client_or_address() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    for start in [
        Start::new().set("client_id", ""),
        Start::new().set("client_id", "nobody"),
        Start::new().set("client_id", "https://app.example/client.json"),
        Start::new().set("redirect_uri", "https://evil.example/cb"),
        Start::new().set("redirect_uri", "https://app.example/cb/"),
        Start::new().set("redirect_uri", "https://app.example@evil.example/cb"),
        Start::new().set("redirect_uri", "javascript:alert(1)"),
        Start::new().set("redirect_uri", ""),
    ] {
        let answer = visitor.get(&start.path()).await;
        assert_eq!((answer.status, answer.headers.get("location")), (400, None), "{}", start.path());
        assert!(!answer.text().contains("evil.example"));
    }
    let doubled = format!("{}&client_id=app", Start::new().path());
    assert_eq!(visitor.get(&doubled).await.status, 400);
    let any_port = Start::new().set("redirect_uri", "http://127.0.0.1:49152/cb");
    assert_eq!(visitor.get(&any_port.path()).await.status, 200);
}

/// AUTH-063, AUTH-064, AUTH-106: other mistakes go back to the client, which learns who answers.
#[tokio::test]
async fn mistakes_of_the_client_are_told_to_the_client() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    for (name, value, error) in [
        ("response_type", "token", "unsupported_response_type"),
        ("response_type", "", "unsupported_response_type"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("scope", "read delete", "invalid_scope"),
        ("resource", "https://other.example/mcp", "invalid_target"),
        ("request", "x.y.z", "request_not_supported"),
        ("response_mode", "fragment", "invalid_request"),
        ("prompt", "none", "login_required"),
    ] {
        let answer = visitor.get(&Start::new().set(name, value).path()).await;
        assert_eq!(answer.param("error").as_deref(), Some(error), "{name}={value}");
        assert!(answer.location().starts_with("https://app.example/cb?"));
        assert_eq!(answer.param("iss").as_deref(), Some("https://auth.example.com"));
        assert_eq!(answer.param("state").as_deref(), Some("st&te"));
    }
}

/// T-089: the pages cannot be framed, run nothing, and show where it leads. AUTH-119, AUTH-120, SEC-003, SEC-005
/// Consent is a record of the store, by user, client and resource, and not a cookie; SEC-006 is about those that there are.
#[tokio::test]
async fn the_pages_are_safe_and_honest() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let start = Start::new().set("redirect_uri", "http://127.0.0.1:4000/cb").set("scope", "read write");
    let login = visitor.get(&start.path()).await;
    let consent = visitor.login(&login, PASSWORD).await;
    for page in [&login, &consent] {
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(policy.contains("form-action 'self';") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(page.headers["x-frame-options"], "DENY");
        assert_eq!(page.headers["cache-control"], "no-store");
        assert_eq!(page.headers["referrer-policy"], "same-origin");
        assert!(!page.text().contains("<script"));
    }
    for (page, name, seconds) in
        [(&login, "__Host-jackfield-browser", 3600), (&consent, "__Host-jackfield-session", 28_800)]
    {
        let cookies: Vec<&str> =
            page.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap()).collect();
        let [cookie] = cookies[..] else { panic!("{cookies:?}") };
        let (found, rest) = cookie.split_once('=').unwrap();
        assert_eq!(found, name);
        let about = format!("; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax; Secure");
        assert!(rest.strip_suffix(&about).is_some_and(|value| value.len() == 43), "{cookie}");
    }
    let text = consent.text();
    for shown in
        ["The App", "Read files", "Write files", "127.0.0.1", "http://127.0.0.1:4000/cb", "your own computer", "ann"]
    {
        assert!(text.contains(shown), "{shown}: {text}");
    }
}

/// T-089: a form that is not ours, not of this browser, or sent by GET, does nothing. SEC-004
#[tokio::test]
async fn consent_can_not_be_forged() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let page = visitor.get(&Start::new().path()).await;
    let consent = visitor.login(&page, PASSWORD).await;
    let (request, csrf) = (consent.field("request"), consent.field("csrf"));
    let allow = |request: &str, csrf: &str| {
        [("request", request.to_owned()), ("csrf", csrf.to_owned()), ("decision", "allow".to_owned())]
    };
    let mut stranger = Visitor::new(&server);
    stranger.get(&Start::new().path()).await;
    for (name, visitor, form) in [
        ("no csrf", &mut visitor.clone(), allow(&request, "")),
        ("wrong csrf", &mut visitor.clone(), allow(&request, "AAAA")),
        ("wrong request", &mut visitor.clone(), allow("AAAA", &csrf)),
        ("another browser", &mut stranger, allow(&request, &csrf)),
        ("no cookies", &mut Visitor::new(&server), allow(&request, &csrf)),
    ] {
        let form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = visitor.post("/consent", &form).await;
        assert_eq!((answer.status, answer.headers.get("location")), (400, None), "{name}");
    }
    for origin in ["null", "https://evil.example", "https://auth.example.com.evil.example", "http://auth.example.com"] {
        let mut foreign = visitor.clone().with("origin", origin);
        assert_eq!(foreign.decide(&consent, "allow").await.status, 403, "{origin}");
        assert_eq!(foreign.login(&page, PASSWORD).await.status, 403, "{origin}");
    }
    let mut visitor = visitor.with("origin", "https://auth.example.com");
    assert_eq!(visitor.get(&format!("/consent?request={request}&csrf={csrf}&decision=allow")).await.status, 405);
    assert_eq!(visitor.decide(&consent, "deny").await.param("error").as_deref(), Some("access_denied"));
    assert_eq!(visitor.decide(&consent, "allow").await.status, 400, "decided once");
}

/// AUTH-116: consent is remembered, but never for an address that any program could listen on.
#[tokio::test]
async fn consent_is_remembered_where_that_is_safe() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    visitor.obtain(&Start::new()).await;
    assert!(visitor.get(&Start::new().path()).await.param("code").is_some());
    assert!(visitor.get(&Start::new().set("prompt", "none").path()).await.param("code").is_some());
    assert_eq!(visitor.get(&Start::new().set("scope", "read write").path()).await.status, 200, "more than before");
    assert_eq!(visitor.get(&Start::new().set("prompt", "consent").path()).await.status, 200);
    assert!(visitor.get(&Start::new().set("prompt", "login").path()).await.text().contains("Password"));
    let local = Start::new().set("redirect_uri", "http://127.0.0.1:1234/cb");
    let page = visitor.get(&local.path()).await;
    visitor.decide(&page, "allow").await;
    assert_eq!(visitor.get(&local.path()).await.status, 200, "asked again");
}

/// T-090: five attempts at a user's password, thirty from an address; secrets are kept as digests.
#[tokio::test]
async fn guessing_is_slow() {
    let (server, clock) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    let page = visitor.get(&Start::new().path()).await;
    for _ in 0..5 {
        let answer = visitor.login(&page, "wrong password").await;
        assert!(answer.text().contains("not right"));
    }
    assert_eq!(visitor.login(&page, PASSWORD).await.status, 429, "not even the right one");
    clock.advance(301);
    let page = visitor.get(&Start::new().path()).await;
    assert!(visitor.login(&page, PASSWORD).await.text().contains("Allow access"));
    let mut robot = Visitor::new(&server);
    for _ in 0..20 {
        let answer =
            robot.clone().basic("robot", "guess").post("/token", &[("grant_type", "client_credentials")]).await;
        assert_eq!((answer.status, answer.error()), (401, "invalid_client".to_owned()));
    }
    robot = robot.basic("robot", "s3cret of the robot");
    assert_eq!(robot.post("/token", &[("grant_type", "client_credentials")]).await.status, 429);
}

/// T-086: registration is off unless it is wanted, bounded when it is, and its texts do nothing. AUTH-018
#[tokio::test]
async fn registrations_are_bounded_and_harmless() {
    let hostile = "<script>alert('x')</script>\"'&";
    let metadata = json!({ "client_name": hostile, "redirect_uris": ["http://127.0.0.1:3000/cb"], "application_type": "native",
        "token_endpoint_auth_method": "none", "software_id": hostile, "software_version": hostile });
    let (server, _) = server(|builder| {
        let mut registration = Registration::default();
        registration.in_all.times = 30;
        builder.registration(registration)
    });
    let mut visitor = Visitor::new(&server);
    let answer = visitor.post_json("/register", &metadata).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let id = answer.json()["client_id"].as_str().unwrap().to_owned();
    let start = Start::new().set("client_id", &id).set("redirect_uri", "http://127.0.0.1:3000/cb");
    let page = visitor.get(&start.path()).await;
    let consent = visitor.login(&page, PASSWORD).await;
    for page in [page, consent] {
        assert!(!page.text().contains("<script") && page.text().contains("&lt;script&gt;"), "{page:?}");
    }
    for (name, value) in [
        ("redirect_uris", json!([])),
        ("redirect_uris", json!(["http://app.example/cb"])),
        ("redirect_uris", json!(["javascript:alert(1)"])),
        ("redirect_uris", json!(["com.example.app:/cb"])),
        ("application_type", json!("web")),
        ("grant_types", json!(["client_credentials"])),
        ("response_types", json!(["token"])),
        ("token_endpoint_auth_method", json!("tls_client_auth")),
        ("logo_uri", json!("http://evil.example/logo.png")),
        ("client_name", json!("x".repeat(300))),
    ] {
        let mut wrong = metadata.clone();
        wrong[name] = value.clone();
        let answer = visitor.post_json("/register", &wrong).await;
        assert_eq!(answer.status, 400, "{name} {value}");
    }
    let mut accepted = 0;
    for number in 0..500_u32 {
        let mut visitor = Visitor::new(&server);
        visitor.address = std::net::Ipv4Addr::from(number / 10 + 0x0b00_0000).into();
        accepted += u32::from(visitor.post_json("/register", &metadata).await.status == 201);
    }
    assert_eq!(accepted, 19, "thirty in all, eleven of them were spent above");
    let off = jackfield_auth::server::AuthorizationServer::builder("https://auth.example.com")
        .resource(jackfield_auth::server::Resource::new("https://mcp.example.com/mcp"))
        .build()
        .unwrap();
    assert_eq!(Visitor::new(&off).post_json("/register", &metadata).await.status, 403);
    assert!(off.metadata().registration_endpoint.is_none());
}

/// Content type, cache control and text of a document.
type Page = (&'static str, &'static str, String);

/// Documents by their URL, and how often they were asked for.
#[derive(Debug, Default)]
struct Web {
    pages: Mutex<BTreeMap<String, Page>>,
    asked: Mutex<Vec<String>>,
}

impl Web {
    fn put(&self, url: &str, kind: &'static str, cache: &'static str, body: impl ToString) {
        self.pages.lock().unwrap().insert(url.to_owned(), (kind, cache, body.to_string()));
    }

    fn asked(&self, url: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| *asked == url).count()
    }
}

impl Fetch for Web {
    fn fetch(&self, ask: FetchRequest) -> FetchFuture<'_> {
        assert_eq!((ask.redirects, ask.limit), (0, 16 * 1024));
        self.asked.lock().unwrap().push(ask.url.to_string());
        let found = self.pages.lock().unwrap().get(ask.url.as_str()).cloned();
        Box::pin(async move {
            let (kind, cache, body) = found.ok_or(FetchError::TimedOut)?;
            if kind == "slow" {
                std::future::pending::<()>().await;
            }
            let mut headers = HeaderMap::new();
            headers.insert("content-type", kind.parse().unwrap());
            headers.insert("cache-control", cache.parse().unwrap());
            Ok(Document::new(StatusCode::OK, headers, body))
        })
    }
}

const CLIENT: &str = "https://app.example/client.json";

fn client_document() -> Value {
    json!({ "client_id": CLIENT, "client_name": "<b>Bold</b>", "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none" })
}

/// T-085: documents of clients. AUTH-019, AUTH-034, AUTH-039, AUTH-040, AUTH-041, AUTH-042, AUTH-043, AUTH-044, AUTH-118
#[tokio::test(start_paused = true)]
async fn documents_of_clients_are_read_with_care() {
    let web = Arc::new(Web::default());
    let (server, clock) = server(|builder| builder.client_documents(web.clone()));
    assert!(server.metadata().client_id_metadata_document_supported);
    let mut visitor = Visitor::new(&server);
    let start = Start::new().set("client_id", CLIENT);
    let status = async |visitor: &mut Visitor, start: &Start| visitor.get(&start.path()).await.status;

    assert_eq!(status(&mut visitor, &start).await, 400, "not there");
    web.put(CLIENT, "application/json", "max-age=100", client_document());
    let page = visitor.get(&start.path()).await;
    assert_eq!(page.status, 200, "a failure is not remembered: {page:?}");
    let consent = visitor.login(&page, PASSWORD).await.text();
    assert!(
        consent.contains("&lt;b&gt;Bold") && consent.contains("published by <strong>app.example</strong>"),
        "{consent}"
    );
    let asked = web.asked(CLIENT);
    assert_eq!(status(&mut visitor, &start).await, 200);
    assert_eq!(web.asked(CLIENT), asked, "kept");
    assert_eq!(status(&mut visitor, &start.clone().set("redirect_uri", "https://app.example/other")).await, 400);
    clock.advance(101);
    assert_eq!(status(&mut visitor, &start).await, 200);
    assert_eq!(web.asked(CLIENT), asked + 1, "as long as it said");

    let changed = |name: &str, value: Value| {
        let mut document = client_document();
        document[name] = value;
        document.to_string()
    };
    for (name, kind, body) in [
        ("another client", "application/json", changed("client_id", json!("https://app.example/other.json"))),
        ("another spelling", "application/json", changed("client_id", json!("https://APP.example/client.json"))),
        ("no name", "application/json", changed("client_name", json!(null))),
        ("no address", "application/json", changed("redirect_uris", json!([]))),
        ("an address over http", "application/json", changed("redirect_uris", json!(["http://app.example/cb"]))),
        ("a secret", "application/json", changed("client_secret", json!("x"))),
        ("a secret to come", "application/json", changed("token_endpoint_auth_method", json!("client_secret_post"))),
        ("no JSON", "application/json", "{".to_owned()),
        ("a list", "application/json", "[]".to_owned()),
        ("a page", "text/html", client_document().to_string()),
        ("too large", "application/json", changed("client_uri", json!("x".repeat(20_000)))),
        ("slow", "slow", client_document().to_string()),
    ] {
        clock.advance(3600);
        web.put(CLIENT, kind, "no-store", body);
        assert_eq!(status(&mut visitor, &start).await, 400, "{name}");
    }
    web.put(CLIENT, "application/json", "no-store", client_document());
    let asked = web.asked(CLIENT);
    assert_eq!((status(&mut visitor, &start).await, status(&mut visitor, &start).await), (200, 200));
    assert_eq!(web.asked(CLIENT), asked + 2, "must not be kept");

    let before = web.asked.lock().unwrap().len();
    for id in [
        "https://127.0.0.1/client.json",
        "https://localhost/client.json",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/c",
        "https://10.0.0.1/c",
        "https://0x7f000001/c",
        "https://user@app.example/c",
        "https://app.example/c#x",
        "https://app.example",
        "https://app.example/",
        "https://app.example/a/../c",
        "https://APP.example/c",
        "https://app.example:443/c",
        "http://app.example/c",
        "https://[::ffff:10.0.0.1]/c",
        "https://2130706433/c",
    ] {
        clock.advance(10);
        assert_eq!(status(&mut visitor, &Start::new().set("client_id", id)).await, 400, "{id}");
    }
    assert_eq!(web.asked.lock().unwrap().len(), before, "nothing was even asked for");
}

/// What a stranger's document says of itself grants nothing: without a user only clients of the administrator get tokens.
#[tokio::test]
async fn a_document_grants_nothing_by_itself() {
    let key = SigningKey::generate().unwrap();
    let mut document = client_document();
    document["token_endpoint_auth_method"] = json!("private_key_jwt");
    document["jwks"] = json!(JwkSet { keys: vec![key.public().clone()] });
    let jwt_bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    document["grant_types"] = json!(["authorization_code", "client_credentials", jwt_bearer]);
    let web = Arc::new(Web::default());
    web.put(CLIENT, "application/json", "max-age=100", document);
    let trusted =
        TrustedIssuer::workload("https://evil.example", Arc::new(JwkSet { keys: vec![key.public().clone()] }));
    let (server, _) = server(|builder| builder.client_documents(web.clone()).trust(trusted));
    for (number, grant) in ["client_credentials", jwt_bearer].into_iter().enumerate() {
        let claims = json!({ "iss": CLIENT, "sub": CLIENT, "aud": ISSUER, "exp": NOW + 60, "jti": number.to_string() });
        let signed = key.sign("jwt", &claims).unwrap();
        let form = [
            ("grant_type", grant),
            ("resource", RESOURCE),
            ("scope", "read write"),
            ("assertion", "x"),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", signed.as_str()),
        ];
        let answer = Visitor::new(&server).post("/token", &form).await;
        assert_eq!(answer.error(), "unauthorized_client", "{answer:?}");
    }
}

/// AUTH-005, AUTH-010, AUTH-014, AUTH-016, AUTH-064, AUTH-110, XCC-003
#[tokio::test]
async fn the_server_describes_itself() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server);
    for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
        let answer = visitor.get(path).await;
        let document = answer.json();
        assert_eq!((answer.status, &document["issuer"]), (200, &json!("https://auth.example.com")));
        assert_eq!(document["authorization_endpoint"], "https://auth.example.com/authorize");
        assert_eq!(document["code_challenge_methods_supported"], json!(["S256"]));
        assert_eq!(document["authorization_response_iss_parameter_supported"], true);
        let methods = document["token_endpoint_auth_methods_supported"].as_array().unwrap();
        assert!(methods.contains(&json!("private_key_jwt")) && methods.contains(&json!("client_secret_basic")));
        assert!(
            document["token_endpoint_auth_signing_alg_values_supported"].as_array().unwrap().contains(&json!("ES256"))
        );
        assert_eq!(answer.headers["access-control-allow-origin"], "*");
    }
    assert_eq!(visitor.get("/nowhere").await.status, 404);
    assert_eq!(visitor.get("/token").await.status, 405);
    let tenant = jackfield_auth::server::AuthorizationServer::builder("https://auth.example.com/tenant1")
        .resource(jackfield_auth::server::Resource::new("https://mcp.example.com/mcp"))
        .client(Client::public("app", [REDIRECT]))
        .build()
        .unwrap();
    let mut visitor = Visitor::new(&tenant);
    for path in [
        "/.well-known/oauth-authorization-server/tenant1",
        "/.well-known/openid-configuration/tenant1",
        "/tenant1/.well-known/openid-configuration",
        "/tenant1/jwks",
    ] {
        assert_eq!(visitor.get(path).await.status, 200, "{path}");
    }
    assert_eq!(visitor.get("/.well-known/oauth-authorization-server").await.status, 404);
}

/// AUTH-104: nothing but https, except on this machine.
#[test]
fn an_issuer_is_https() {
    use jackfield_auth::server::{AuthorizationServer, Resource};
    let build =
        |issuer: &str| AuthorizationServer::builder(issuer).resource(Resource::new("https://mcp.example.com")).build();
    for bad in [
        "http://auth.example.com",
        "https://auth.example.com?x",
        "https://auth.example.com#x",
        "auth.example.com",
        "https://AUTH.example.com",
    ] {
        assert!(build(bad).is_err(), "{bad}");
    }
    for good in [
        "https://auth.example.com",
        "https://auth.example.com/",
        "https://auth.example.com/a",
        "http://127.0.0.1:8000",
        "http://localhost:8000",
    ] {
        assert!(build(good).is_ok(), "{good}");
    }
}

/// Schemes of applications are for operators who ask for them.
#[tokio::test]
async fn schemes_of_applications_are_an_option() {
    let metadata = json!({ "redirect_uris": ["com.example.app:/cb"], "token_endpoint_auth_method": "none" });
    let (strict, _) = server(|builder| builder);
    assert_eq!(Visitor::new(&strict).post_json("/register", &metadata).await.error(), "invalid_redirect_uri");
    let (loose, _) = server(|builder| builder.private_use_schemes());
    assert_eq!(Visitor::new(&loose).post_json("/register", &metadata).await.status, 201);
}
