//! Our client at our own authorization server, over real sockets: log in, call, renew, ask for more, give back.

use std::sync::{Arc, Mutex};

use jackfield::auth::client::{AuthError, AuthEvent, Binding, Interaction, Login, OAuth, Page, Visit};
use jackfield::auth::dpop::ProofRules;
use jackfield::auth::resource::ScopeRules;
use jackfield::auth::server::{AuthorizationServer, AuthorizationServerBuilder, Registration, Resource, Users};
use jackfield::auth::{Clock, Protect as _, Secret};
use jackfield::client::{Client, Http};
use jackfield::http::client::{Asked, Authorizer, Boxed, NotAuthorized, Reaction, Refusal};
use jackfield::http::fetch::{Fetch as _, FetchRequest, HttpFetch};
use jackfield::http::{HttpConfig, HttpServer};
use jackfield::transport::Shutdown;
use jackfield::{Revision, Server, tool, tools};
use tokio::task::JoinSet;

/// Whisper.
#[tool]
fn whisper() -> String {
    "psst".to_owned()
}

/// Shout.
#[tool]
fn shout() -> String {
    "HEY".to_owned()
}

/// A protected server, and everything a test wants to know about its client.
pub(crate) struct World {
    pub(crate) url: String,
    pub(crate) clock: Clock,
    events: Arc<Mutex<Vec<AuthEvent>>>,
    _serving: JoinSet<()>,
}

impl World {
    async fn new(proofs: ProofRules) -> Self {
        Self::with(|builder| builder.proofs(proofs)).await
    }

    pub(crate) async fn with(change: impl FnOnce(AuthorizationServerBuilder) -> AuthorizationServerBuilder) -> Self {
        let clock = Clock::manual(1_800_000_000);
        let users = Users::new().unwrap();
        users.add_user("ann", &Secret::new("correct horse battery")).unwrap();
        // The names of the servers contain the port, which has to be known first.
        let reserved = jackfield_testkit::ReservedPort::new().unwrap();
        let free = reserved.address();
        let (issuer, url) = (format!("http://{free}"), format!("http://{free}/mcp"));
        let resource =
            Resource::new(&url).scope("whisper", "Whisper").scope("shout", "Shout").default_scopes("whisper");
        let authorization = change(AuthorizationServer::builder(&issuer))
            .resource(resource)
            .users(users)
            .registration(Registration::default())
            .clock(clock.clone())
            .build()
            .unwrap();
        let door = authorization.protect(&url).unwrap().build().unwrap();
        let rules = ScopeRules::new().tool("whisper", "whisper").tool("shout", "shout");
        let server = Server::new("secret").tools(tools![whisper, shout]).protect(rules);
        let config = HttpConfig::default().with_authenticator(door).with_routes(authorization);
        let bound = HttpServer::new(Arc::new(server.start().await.unwrap())).config(config).bind(free).await.unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let (_trigger, shutdown) = Shutdown::new();
            bound.serve(shutdown).await.unwrap();
        });
        Self { url, clock, events: Arc::default(), _serving: serving }
    }

    pub(crate) fn oauth(&self) -> OAuth {
        let events = self.events.clone();
        let oauth = OAuth::new("Test").clock(self.clock.clone()).interaction(Ann);
        oauth.observer(move |event| events.lock().unwrap().push(event.clone()))
    }

    pub(crate) async fn client(&self, login: &Arc<Login>) -> Client {
        Client::builder().connect(Http::new(&self.url).authorizer(login.clone())).await.unwrap()
    }

    pub(crate) fn count(&self, is: impl Fn(&AuthEvent) -> bool) -> usize {
        self.events.lock().unwrap().iter().filter(|event| is(event)).count()
    }
}

/// A user who knows her password and consents to everything.
#[derive(Debug)]
struct Ann;

impl Interaction for Ann {
    fn prepare<'a>(&'a self, _: Option<&'a str>) -> Boxed<'a, Result<Box<dyn Visit>, AuthError>> {
        Box::pin(std::future::ready(Ok(Box::new(Visiting) as Box<dyn Visit>)))
    }
}

#[derive(Debug)]
struct Visiting;

impl Visit for Visiting {
    fn redirect_uri(&self) -> &str {
        "http://127.0.0.1:9999/callback"
    }

    fn visit(self: Box<Self>, page: Page) -> Boxed<'static, Result<String, AuthError>> {
        Box::pin(async move {
            let browser = HttpFetch::desktop();
            let home = page.url.join("/").unwrap();
            let mut cookies = Vec::new();
            let mut answer = browser.fetch(FetchRequest::get(page.url.as_str())?).await?;
            for (path, more) in [
                ("login", vec![("username", "ann"), ("password", "correct horse battery")]),
                ("consent", vec![("decision", "allow")]),
            ] {
                let set = answer.headers.get_all("set-cookie").iter();
                cookies.extend(set.map(|cookie| cookie.to_str().unwrap().split(';').next().unwrap().to_owned()));
                let text = String::from_utf8(answer.body.to_vec()).unwrap();
                let field = |name: &str| {
                    let start = format!("name=\"{name}\" value=\"");
                    text.split(&start).nth(1).unwrap().split('"').next().unwrap().to_owned()
                };
                let (request, csrf) = (field("request"), field("csrf"));
                let form = [("request", request.as_str()), ("csrf", csrf.as_str())].into_iter().chain(more);
                let ask = FetchRequest::post_form(home.join(path).unwrap().as_str(), form)?;
                answer = browser.fetch(ask.with(http::header::COOKIE, cookies.join("; ").parse().unwrap())).await?;
            }
            Ok(answer.headers["location"].to_str().unwrap().to_owned())
        })
    }
}

pub(crate) async fn call(client: &Client, tool: &'static str) -> String {
    client.call(tool, ()).await.unwrap().text()
}

/// The whole way, with plain tokens. AUTH-023, AUTH-058, AUTH-065, AUTH-094, AUTH-095; T-072
#[tokio::test]
async fn our_client_logs_in_at_our_server() {
    let world = World::new(ProofRules::default()).await;
    let login = world.oauth().server(&world.url).unwrap();
    let client = world.client(&login).await;
    assert_eq!(call(&client, "whisper").await, "psst");
    let account = login.account().await.unwrap().unwrap();
    assert!(account.is_renewable && !account.is_bound && account.scopes.contains("whisper"));

    // At the end of the token a hundred calls renew it once.
    for round in 1..=3 {
        world.clock.advance(601);
        let mut calls = JoinSet::new();
        for _ in 0..100 {
            let client = client.clone();
            calls.spawn(async move { call(&client, "whisper").await });
        }
        assert!(calls.join_all().await.iter().all(|text| text == "psst"));
        assert_eq!(world.count(|event| *event == AuthEvent::Renewed), round);
    }
    assert_eq!(world.count(|event| matches!(event, AuthEvent::Visiting { .. })), 1);

    // More than the token allows: the user is asked, and keeps what there was.
    assert_eq!(call(&client, "shout").await, "HEY");
    assert_eq!(call(&client, "whisper").await, "psst");
    assert_eq!(world.count(|event| matches!(event, AuthEvent::Visiting { .. })), 2);
    let scopes = login.account().await.unwrap().unwrap().scopes;
    assert!(scopes.contains("shout") && scopes.contains("whisper"));

    assert!(login.logout().await.unwrap());
    assert_eq!(world.count(|event| *event == AuthEvent::LoggedOut { is_revoked: true }), 1);
    // Nobody is logged in any more, so the user is asked again.
    assert_eq!(call(&client, "whisper").await, "psst");
    assert_eq!(world.count(|event| matches!(event, AuthEvent::Visiting { .. })), 3);
    client.close().await;
}

/// Writes down what each request was given to say who is asking, and which were refused.
#[derive(Debug)]
struct Watched {
    login: Arc<Login>,
    given: Mutex<Vec<(String, bool)>>,
    refused: Mutex<Vec<String>>,
}

impl Authorizer for Watched {
    fn headers<'a>(&'a self, asked: Asked<'a>) -> Boxed<'a, Result<http::HeaderMap, NotAuthorized>> {
        Box::pin(async move {
            let headers = self.login.headers(asked).await?;
            let has_token = headers.contains_key(http::header::AUTHORIZATION);
            self.given.lock().unwrap().push((asked.method.to_string(), has_token));
            Ok(headers)
        })
    }

    fn refused<'a>(&'a self, refusal: &'a Refusal) -> Boxed<'a, Result<Reaction, NotAuthorized>> {
        self.refused.lock().unwrap().push(refusal.method.to_string());
        self.login.refused(refusal)
    }

    fn answered(&self, headers: &http::HeaderMap) {
        self.login.answered(headers);
    }
}

/// In a session too, each request carries the token: those that call, the one that listens, and the one that ends it. The server
/// takes none without. AUTH-076
#[tokio::test]
async fn each_request_of_a_session_carries_the_token() {
    let world = World::new(ProofRules::default()).await;
    let login = world.oauth().server(&world.url).unwrap();
    login.login().await.unwrap();
    let watched = Arc::new(Watched { login, given: Mutex::default(), refused: Mutex::default() });
    let builder = Client::builder().revision(Revision::LATEST_WITH_HANDSHAKE);
    let client = builder.connect(Http::new(&world.url).authorizer(watched.clone())).await.unwrap();
    assert_eq!(call(&client, "whisper").await, "psst");
    let listens = async || watched.given.lock().unwrap().iter().any(|(method, _)| method == "GET");
    jackfield_testkit::eventually("the client listens", listens).await;
    client.close().await;
    let given = watched.given.lock().unwrap().clone();
    for method in ["POST", "GET", "DELETE"] {
        assert!(given.iter().any(|(of, _)| of == method), "{method}: {given:?}");
    }
    assert!(given.iter().all(|(_, has_token)| *has_token), "{given:?}");
    assert!(watched.refused.lock().unwrap().is_empty());
}

/// The same with tokens that are bound to a key, at servers that want nonces.
#[tokio::test]
async fn bound_tokens_work_all_the_way() {
    let mut rules = ProofRules::default();
    rules.nonce = true;
    let world = World::new(rules).await;
    let login = world.oauth().binding(Binding::Always).server(&world.url).unwrap();
    let client = world.client(&login).await;
    assert_eq!(call(&client, "whisper").await, "psst");
    assert!(login.account().await.unwrap().unwrap().is_bound);
    world.clock.advance(601);
    assert_eq!(call(&client, "whisper").await, "psst");
    assert_eq!(world.count(|event| *event == AuthEvent::Renewed), 1);
    client.close().await;
}
