//! A local server that only one client may use.

use jackfield_http::{HttpConfig, SharedToken};
use serde_json::json;

use crate::client::Ask;
use crate::fixture::Fixture;

/// SEC-027: other processes of the machine, which do not know the token, are refused on every path and method.
#[tokio::test]
async fn strangers_on_the_same_machine_are_refused() {
    let token = SharedToken::random().unwrap();
    assert_ne!(token.reveal(), SharedToken::random().unwrap().reveal());
    assert!(token.reveal().len() >= 64 && !format!("{token:?}").contains(token.reveal()));
    let fixture = Fixture::with(HttpConfig::default().with_authenticator(token.clone())).await;
    let secret = token.reveal();
    let call = || Ask::tool("echo", json!({}));
    for given in [format!("Bearer {secret}"), format!("bearer {secret}")] {
        assert_eq!(fixture.ask(&call().with("authorization", &given)).await.status, 200);
    }
    for wrong in [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        "Bearer x".to_owned(),
        secret.to_owned(),
        format!("Basic {secret}"),
        format!("Bearer {}", &secret[1..]),
        format!("Bearer {secret}x"),
        format!("Bearer {}", secret.to_uppercase()),
    ] {
        let answer = fixture.ask(&call().with("authorization", &wrong)).await;
        assert_eq!(answer.status, 401, "{wrong:?}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        assert!(!answer.json().to_string().contains(secret));
    }
    assert_eq!(fixture.ask(&call()).await.status, 401);
    let twice = call().with("authorization", &format!("Bearer {secret}")).and("authorization", "Bearer x");
    assert_ne!(fixture.ask(&twice).await.status, 200);
    for verb in ["GET", "DELETE"] {
        assert_eq!(fixture.ask(&Ask::new(verb, "/mcp").with("mcp-session-id", "x")).await.status, 401, "{verb}");
    }
}

/// An empty secret is no secret.
#[tokio::test]
async fn an_empty_token_opens_nothing() {
    let fixture = Fixture::with(HttpConfig::default().with_authenticator(SharedToken::new(""))).await;
    assert_eq!(fixture.ask(&Ask::tool("echo", json!({})).with("authorization", "Bearer ")).await.status, 401);
}

/// Configurations and servers may be printed, as programs do that log how they start; the token is not among it.
#[tokio::test]
async fn what_is_printed_does_not_tell_the_token() {
    let token = SharedToken::random().unwrap();
    let config = || HttpConfig::default().with_authenticator(token.clone()).allow_host("mcp.example");
    let (tools, _seen) = crate::fixture::Tools::new();
    let server = jackfield_http::HttpServer::new(tools.clone()).config(config());
    let mut printed = format!("{:?} {server:?}", config());
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    printed += &format!(" {bound:?} {:?}", jackfield_http::StreamableService::new(tools, config()));
    assert!(printed.contains("mcp.example") && printed.contains(&bound.local_addr().to_string()), "{printed}");
    assert!(!printed.contains(token.reveal()));
}
