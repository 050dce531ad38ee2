//! Finding out where tokens come from.

use http::{HeaderMap, StatusCode};
use jackfield_http::fetch::{Document, Fetch, FetchError, FetchFuture, FetchRequest};
use serde_json::json;

use crate::town::Town;

const RESOURCE: &str = "/.well-known/oauth-protected-resource";

/// The header wins; without it the path comes first, then the root. AUTH-004, AUTH-023, AUTH-024
#[tokio::test]
async fn metadata_is_where_the_header_says_or_at_the_known_places() {
    let town = Town::new().await;
    let document = town.resource(&["/as"]);
    town.set("/elsewhere.json", document.clone());
    town.state().challenge = format!("resource_metadata=\"{}\"", town.url("/elsewhere.json"));
    assert_eq!(town.request(&town.login()).await.unwrap(), 200);
    assert!(town.paths(RESOURCE).is_empty());

    let town = Town::new().await;
    assert_eq!(town.request(&town.login()).await.unwrap(), 200);
    assert_eq!(town.paths(RESOURCE), ["/.well-known/oauth-protected-resource/mcp"]);

    let town = Town::new().await;
    town.remove("/.well-known/oauth-protected-resource/mcp");
    town.set(RESOURCE, town.resource(&["/as"]));
    assert_eq!(town.request(&town.login()).await.unwrap(), 200);
    assert_eq!(town.paths(RESOURCE), ["/.well-known/oauth-protected-resource/mcp", RESOURCE]);
}

/// A header that leads nowhere is an error, and not a reason to look elsewhere. AUTH-023
#[tokio::test]
async fn metadata_that_was_announced_has_to_be_there() {
    let town = Town::new().await;
    town.state().challenge = format!("resource_metadata=\"{}\"", town.url("/nowhere.json"));
    assert!(town.failure(&town.login()).await.contains("/nowhere.json cannot be used"));
    assert!(town.paths(RESOURCE).is_empty());
}

/// All places of an issuer in their order, with a path and without. AUTH-015, AUTH-017, AUTH-027, AUTH-028, AUTH-029
#[tokio::test]
async fn the_places_of_an_issuer_are_tried_in_order() {
    let places = [
        "/.well-known/oauth-authorization-server/as",
        "/.well-known/openid-configuration/as",
        "/as/.well-known/openid-configuration",
    ];
    for last in 0..places.len() {
        let town = Town::new().await;
        town.remove(places[0]);
        town.set(places[last], town.issuer("/as"));
        assert_eq!(town.request(&town.login()).await.unwrap(), 200);
        let tried: Vec<_> = town.paths(".well-known").into_iter().filter(|path| !path.contains("resource")).collect();
        assert_eq!(tried, places[..=last]);
    }
    let town = Town::new().await;
    town.set("/.well-known/oauth-protected-resource/mcp", town.resource(&[""]));
    town.set("/.well-known/openid-configuration", town.issuer(""));
    assert_eq!(town.request(&town.login()).await.unwrap(), 200);
    assert_eq!(town.paths("oauth-authorization-server"), ["/.well-known/oauth-authorization-server"]);
}

/// Metadata of another issuer is not used, however alike the two are. AUTH-030, AUTH-031, T-064
#[tokio::test]
async fn metadata_of_another_issuer_is_not_used() {
    let town = Town::new().await;
    let issuer = town.url("/as");
    for forged in ["https://honest.example", &format!("{issuer}/"), &issuer.to_uppercase(), &town.url("/other"), ""] {
        town.change("/.well-known/oauth-authorization-server/as", "issuer", json!(forged));
        assert!(town.failure(&town.login()).await.contains("shows metadata of"), "{forged}");
    }
    assert!(town.visits().is_empty() && town.clients().is_empty());
}

/// Metadata of another resource is not used. T-063
#[tokio::test]
async fn metadata_of_another_resource_is_not_used() {
    let town = Town::new().await;
    for forged in ["https://evil.example/mcp", &town.url("/other"), &town.url("/mcp/deeper"), ""] {
        town.change("/.well-known/oauth-protected-resource/mcp", "resource", json!(forged));
        assert!(town.failure(&town.login()).await.contains("shows metadata of"), "{forged}");
    }
    assert!(town.paths("authorization-server").is_empty());
    town.set("/.well-known/oauth-protected-resource/mcp", json!({ "resource": town.url("/mcp") }));
    assert!(town.failure(&town.login()).await.contains("names no authorization server"));
}

/// The way of the first revision with authorization: the host without its path, with metadata and without.
/// AUTH-006, AUTH-008, AUTH-009, AUTH-011
#[tokio::test]
async fn without_resource_metadata_the_host_is_asked() {
    let town = Town::new().await;
    town.remove("/.well-known/oauth-protected-resource/mcp");
    town.set("/.well-known/oauth-authorization-server", town.issuer(""));
    town.change("/.well-known/oauth-authorization-server", "token_endpoint", json!(town.url("/far/token")));
    assert_eq!(town.request(&town.login()).await.unwrap(), 200);
    assert_eq!(town.paths("token"), ["/far/token"]);
    let asked = town.site.hits().into_iter().find(|hit| hit.path.contains("oauth-authorization-server")).unwrap();
    assert!(asked.head.contains("mcp-protocol-version: "));

    let town = Town::new().await;
    town.remove("/.well-known/oauth-protected-resource/mcp");
    assert_eq!(town.request(&town.login()).await.unwrap(), 200);
    assert_eq!((town.paths("register"), town.paths("token")), (vec!["/register".into()], vec!["/token".into()]));
    assert!(town.paths("/authorize?").len() == 1 && town.visits()[0]["code_challenge_method"] == "S256");
    assert_eq!(town.visits()[0]["resource"], town.url("/mcp"));
}

/// A server that wants nobody to log in is not taken for one that does.
#[tokio::test]
async fn open_servers_need_no_login() {
    let town = Town::new().await;
    town.remove("/.well-known/oauth-protected-resource/mcp");
    town.set("/mcp", json!({}));
    let error = town.login().login().await.unwrap_err();
    assert!(matches!(error, jackfield_auth::client::AuthError::NotProtected), "{error}");
}

/// Answers one path with the metadata, and all others with a page, as sites do that are one program in the browser.
#[derive(Debug)]
struct OnePage(&'static str);

impl Fetch for OnePage {
    fn fetch(&self, ask: FetchRequest) -> FetchFuture<'_> {
        let is_metadata = ask.url.path() == self.0;
        let metadata = json!({ "issuer": "https://auth.example.com/as" }).to_string();
        let body = if is_metadata { metadata } else { "<!doctype html>".to_owned() };
        Box::pin(std::future::ready(Ok(Document::new(StatusCode::OK, HeaderMap::new(), body))))
    }
}

/// Whoever checks tokens finds the metadata of an issuer behind pages, as clients do.
#[tokio::test]
async fn pages_in_place_of_metadata_are_passed_by() {
    for place in ["/.well-known/oauth-authorization-server/as", "/as/.well-known/openid-configuration"] {
        let found = jackfield_auth::metadata::discover("https://auth.example.com/as", &OnePage(place)).await.unwrap();
        assert_eq!(found.issuer, "https://auth.example.com/as");
    }
    let nothing = jackfield_auth::metadata::discover("https://auth.example.com/as", &OnePage("/")).await;
    assert!(nothing.is_err());
}

/// Does not answer at one path, and has nothing at the others.
#[derive(Debug)]
struct Silent(&'static str);

impl Fetch for Silent {
    fn fetch(&self, ask: FetchRequest) -> FetchFuture<'_> {
        let answer = match ask.url.path() == self.0 {
            true => Err(FetchError::TimedOut),
            false => Ok(Document::new(StatusCode::NOT_FOUND, HeaderMap::new(), "")),
        };
        Box::pin(std::future::ready(answer))
    }
}

/// What could not be asked is not reported as missing, whatever the other places say.
#[tokio::test]
async fn a_timeout_is_not_hidden_by_what_is_missing() {
    for place in ["/.well-known/oauth-authorization-server/as", "/as/.well-known/openid-configuration"] {
        let found = jackfield_auth::metadata::discover("https://auth.example.com/as", &Silent(place)).await;
        assert!(matches!(found, Err(FetchError::TimedOut)), "{found:?}");
    }
    let found = jackfield_auth::metadata::discover("https://auth.example.com/as", &Silent("/nowhere")).await;
    assert!(matches!(found, Err(FetchError::Status(StatusCode::NOT_FOUND))), "{found:?}");
}

/// Fails at the first place, and has the metadata at the last one or nowhere.
#[derive(Debug)]
struct Broken {
    why: fn() -> FetchError,
    has_metadata: bool,
}

impl Fetch for Broken {
    fn fetch(&self, ask: FetchRequest) -> FetchFuture<'_> {
        let metadata = json!({ "issuer": "https://auth.example.com/as" }).to_string();
        let answer = match ask.url.path() {
            "/.well-known/oauth-authorization-server/as" => Err((self.why)()),
            "/as/.well-known/openid-configuration" if self.has_metadata => {
                Ok(Document::new(StatusCode::OK, HeaderMap::new(), metadata))
            }
            _ => Ok(Document::new(StatusCode::NOT_FOUND, HeaderMap::new(), "")),
        };
        Box::pin(std::future::ready(answer))
    }
}

/// A place that fails does not hide the metadata at another, and is told of where there is none.
#[tokio::test]
async fn a_place_that_fails_is_passed_by() {
    let failures: [fn() -> FetchError; 3] = [
        || FetchError::Status(StatusCode::INTERNAL_SERVER_ERROR),
        || FetchError::TooLarge,
        || FetchError::Refused("a redirect to elsewhere"),
    ];
    for why in failures {
        let discover = async |has_metadata| {
            jackfield_auth::metadata::discover("https://auth.example.com/as", &Broken { why, has_metadata }).await
        };
        assert_eq!(discover(true).await.unwrap().issuer, "https://auth.example.com/as");
        assert_eq!(discover(false).await.unwrap_err().to_string(), why().to_string());
    }
}

/// The same for clients, and where one place fails nobody guesses what the metadata would have said.
#[tokio::test]
async fn clients_pass_by_a_place_that_fails() {
    let town = Town::new().await;
    town.state().broken = Some("/.well-known/oauth-authorization-server/as");
    assert!(town.failure(&town.login()).await.contains("500"));
    town.set("/as/.well-known/openid-configuration", town.issuer("/as"));
    assert_eq!(town.request(&town.login()).await.unwrap(), 200);

    let town = Town::new().await;
    town.remove("/.well-known/oauth-protected-resource/mcp");
    town.state().broken = Some("/.well-known/oauth-authorization-server");
    assert!(town.failure(&town.login()).await.contains("500"));
    assert!(town.visits().is_empty() && town.clients().is_empty());
}
