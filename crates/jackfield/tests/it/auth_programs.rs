//! Clients that get tokens without asking their user, and say so.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use jackfield::auth::client::{AuthEvent, GivenClient, IdentityProvider, Login};
use jackfield::auth::jose::{JwkSet, SigningKey};
use jackfield::auth::server::{Client as KnownClient, TrustedIssuer};
use jackfield::auth::{Clock, Secret};
use jackfield::client::{Builder, Client, Direction, Http};
use jackfield::http::fetch::{Document, Fetch, FetchFuture, FetchRequest, HttpFetch};
use jackfield::{Value, json, serde_json};

use crate::auth_client::{World, call};

const CLIENT_CREDENTIALS: &str = "io.modelcontextprotocol/oauth-client-credentials";
const ENTERPRISE: &str = "io.modelcontextprotocol/enterprise-managed-authorization";
const IDP: &str = "https://idp.example";

/// What a client said, message by message.
type Said = Arc<Mutex<Vec<Value>>>;

async fn connect(builder: Builder, world: &World, login: &Arc<Login>) -> (Client, Said) {
    let said = Said::default();
    let heard = said.clone();
    let builder = builder.on_message(move |direction, text| {
        if direction == Direction::ToServer {
            heard.lock().unwrap().push(serde_json::from_slice(text).unwrap());
        }
    });
    (builder.connect(Http::new(&world.url).authorizer(login.clone())).await.unwrap(), said)
}

/// The extensions that each request declared.
fn declared(said: &Said) -> Vec<Vec<String>> {
    let said = said.lock().unwrap();
    let requests = said.iter().filter(|message| message.get("id").is_some());
    let extensions =
        requests.map(|request| &request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"]);
    extensions.map(|found| found.as_object().into_iter().flatten().map(|(id, _)| id.clone()).collect()).collect()
}

fn robot() -> KnownClient {
    KnownClient::with_secret("robot", &"s3cret of the robot".into()).grants(["client_credentials"])
}

/// A program that acts for itself declares it with each request, sends its token as a bearer, and has the next one before the end of
/// the first. XCC-001, XCC-005
#[tokio::test]
async fn a_program_acts_for_itself() {
    let world = World::with(|builder| builder.client(robot())).await;
    let given = GivenClient::new("robot").secret("s3cret of the robot");
    let login = world.oauth().client_credentials(given).server(&world.url).unwrap();
    let (client, said) = connect(Client::builder(), &world, &login).await;
    assert_eq!(call(&client, "whisper").await, "psst");
    world.clock.advance(595);
    assert_eq!(call(&client, "whisper").await, "psst");
    client.close().await;
    let declared = declared(&said);
    assert!(
        declared.len() >= 3 && declared.iter().all(|ids| ids.iter().any(|id| id == CLIENT_CREDENTIALS)),
        "{declared:?}"
    );
    assert_eq!(world.count(|event| matches!(event, AuthEvent::Issued { is_bound: false, .. })), 2);
    assert_eq!(
        world.count(|event| matches!(event, AuthEvent::Challenged { .. })),
        1,
        "it never came with an old token"
    );
    assert_eq!(world.count(|event| matches!(event, AuthEvent::Visiting { .. })), 0);
}

/// Who logs in by hand declares neither; who wants to declare nothing does not. XEXT-003
#[tokio::test]
async fn only_what_is_used_is_declared() {
    let world = World::with(|builder| builder.client(robot())).await;
    let by_hand = world.oauth().server(&world.url).unwrap();
    let given = GivenClient::new("robot").secret("s3cret of the robot");
    let by_itself = world.oauth().client_credentials(given).server(&world.url).unwrap();
    let silent = Client::builder().without_extension(CLIENT_CREDENTIALS);
    for (builder, login) in [(Client::builder(), by_hand), (silent, by_itself)] {
        let (client, said) = connect(builder, &world, &login).await;
        assert_eq!(call(&client, "whisper").await, "psst");
        client.close().await;
        let ids: Vec<_> = declared(&said).into_iter().flatten().collect();
        assert!(!ids.iter().any(|id| id == CLIENT_CREDENTIALS || id == ENTERPRISE), "{ids:?}");
    }
}

/// The identity provider of an organization; everything else is fetched as usual, and remembered.
#[derive(Clone, Debug)]
struct Organization {
    key: Arc<SigningKey>,
    clock: Clock,
    others: HttpFetch,
    fetched: Arc<Mutex<Vec<String>>>,
}

impl Organization {
    /// Vouches for its user Ann towards the authorization server and for the resource that are asked for.
    fn vouch(&self, ask: &FetchRequest) -> Document {
        let form: BTreeMap<String, String> = url::form_urlencoded::parse(&ask.body).into_owned().collect();
        assert_eq!(form["subject_token"], "who ann is");
        let now = self.clock.now();
        let claims = json!({ "iss": IDP, "sub": "ann", "aud": form["audience"], "resource": form["resource"], "client_id": "app",
            "jti": now.to_string(), "iat": now, "exp": now + 300, "scope": "whisper" });
        let answer = json!({ "access_token": self.key.sign("oauth-id-jag+jwt", &claims).unwrap(), "token_type": "N_A",
            "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag", "expires_in": 300 });
        Document::new(http::StatusCode::OK, http::HeaderMap::new(), answer.to_string())
    }
}

impl Fetch for Organization {
    fn fetch(&self, ask: FetchRequest) -> FetchFuture<'_> {
        self.fetched.lock().unwrap().push(ask.url.path().to_owned());
        if ask.url.as_str().starts_with(IDP) {
            return Box::pin(std::future::ready(Ok(self.vouch(&ask))));
        }
        self.others.fetch(ask)
    }
}

/// A client that an organization set up declares it, and gets tokens by the organization's provider; its user is sent to no page, not
/// even when the first token is over. XEMA-001, XEMA-006, XEMA-008
#[tokio::test]
async fn an_organization_vouches_for_its_user() {
    let key = Arc::new(SigningKey::generate().unwrap());
    let keys = Arc::new(JwkSet { keys: vec![key.public().clone()] });
    let app = KnownClient::with_secret("app", &"s3cret of the app".into())
        .grants(["urn:ietf:params:oauth:grant-type:jwt-bearer"]);
    let world = World::with(|builder| builder.client(app).trust(TrustedIssuer::identity_provider(IDP, keys))).await;
    let fetched = Arc::<Mutex<Vec<String>>>::default();
    let organization =
        Organization { key, clock: world.clock.clone(), others: HttpFetch::desktop(), fetched: fetched.clone() };
    let provider = IdentityProvider::new(format!("{IDP}/token"), "app at work", Secret::new("who ann is"));
    let given = GivenClient::new("app").secret("s3cret of the app");
    let oauth = world.oauth().client(given).enterprise(provider).fetch(organization);
    let login = oauth.server(&world.url).unwrap();
    let (client, said) = connect(Client::builder(), &world, &login).await;
    assert_eq!(call(&client, "whisper").await, "psst");
    world.clock.advance(601);
    assert_eq!(call(&client, "whisper").await, "psst");
    client.close().await;
    let declared = declared(&said);
    assert!(declared.len() >= 3 && declared.iter().all(|ids| ids.iter().any(|id| id == ENTERPRISE)), "{declared:?}");
    assert_eq!(world.count(|event| matches!(event, AuthEvent::Visiting { .. })), 0);
    assert!(!fetched.lock().unwrap().iter().any(|path| path == "/authorize"), "{fetched:?}");
    assert_eq!(world.count(|event| matches!(event, AuthEvent::Issued { .. })), 2);
}
