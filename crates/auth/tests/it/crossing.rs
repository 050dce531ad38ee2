//! Pages of other origins: what scripts of theirs may ask, and what is for people only.

use http::{Method, Request};
use jackfield_auth::server::{AuthorizationServer, Resource};

use crate::guarded::{self, Guarded};
use crate::visitor::{Visitor, server};

/// Endpoints for programs answer scripts of any origin; pages on which people log in and consent do not.
#[tokio::test]
async fn scripts_may_use_what_is_for_programs() {
    let (server, _) = server(|builder| builder);
    let mut visitor = Visitor::new(&server).with("origin", "https://page.example");
    for (path, methods) in [
        ("/token", "POST"),
        ("/register", "POST"),
        ("/revoke", "POST"),
        ("/jwks", "GET, HEAD"),
        ("/.well-known/oauth-authorization-server", "GET, HEAD"),
        ("/.well-known/openid-configuration", "GET, HEAD"),
    ] {
        let answer = visitor.ask(Method::OPTIONS, path).await;
        assert_eq!((answer.status, answer.body.len()), (204, 0), "{path}");
        assert_eq!(answer.headers["access-control-allow-origin"], "*", "{path}");
        assert_eq!(answer.headers["access-control-allow-methods"], methods, "{path}");
        let allowed = answer.headers["access-control-allow-headers"].to_str().unwrap();
        assert!(allowed.contains("authorization") && allowed.contains("dpop"), "{path}: {allowed}");
        assert!(!answer.headers.contains_key("access-control-allow-credentials"), "{path}");
    }
    for (path, methods) in [
        ("/authorize", "GET, POST"),
        ("/login", "POST"),
        ("/consent", "POST"),
        ("/callback", "GET, HEAD"),
        ("/introspect", "POST"),
    ] {
        let answer = visitor.ask(Method::OPTIONS, path).await;
        assert_eq!((answer.status, answer.headers["allow"].to_str().unwrap()), (405, methods), "{path}");
        assert!(!answer.headers.contains_key("access-control-allow-origin"), "{path}");
    }
    assert_eq!(visitor.ask(Method::OPTIONS, "/elsewhere").await.status, 404);
}

/// An application that mounts the server has to hand it each of these paths, and no others.
#[tokio::test]
async fn every_path_that_is_named_is_served() {
    for (issuer, prefix) in [("https://auth.example.com", ""), ("https://example.com/tenant", "/tenant")] {
        let builder = AuthorizationServer::builder(issuer).resource(Resource::new("https://mcp.example.com/mcp"));
        let server = builder.build().unwrap();
        assert_eq!(server.issuer(), issuer);
        let paths = server.paths();
        assert!(paths.contains(&format!("/.well-known/oauth-authorization-server{prefix}")), "{paths:?}");
        assert!(paths.contains(&format!("/.well-known/openid-configuration{prefix}")), "{paths:?}");
        for path in &paths {
            assert_ne!(Visitor::new(&server).get(path).await.status, 404, "{path}");
            let beside = format!("{path}/more");
            assert_eq!(Visitor::new(&server).get(&beside).await.status, 404, "{beside}");
        }
    }
}

/// The metadata of a protected server is for everybody. Whatever else a script of a page sends needs a token.
#[tokio::test]
async fn scripts_may_read_the_metadata_of_a_resource() {
    let guarded = Guarded::new(|builder| builder);
    let place = "/.well-known/oauth-protected-resource/mcp";
    let ask = async |method: Method| {
        let request = Request::builder().method(method).uri(place).body(bytes::Bytes::new()).unwrap();
        guarded.send(request).await
    };
    let (get, head, options) = (ask(Method::GET).await, ask(Method::HEAD).await, ask(Method::OPTIONS).await);
    assert_eq!((get.status, head.status, options.status), (200, 200, 204));
    assert_eq!(get.json()["resource"], guarded::RESOURCE);
    assert!(head.body.is_empty() && options.body.is_empty());
    for answer in [&get, &head, &options] {
        assert_eq!(answer.headers["access-control-allow-origin"], "*");
    }
    assert_eq!(head.headers["content-type"], "application/json");
    assert_eq!(options.headers["access-control-allow-methods"], "GET, HEAD");
    assert_eq!(options.headers["access-control-allow-headers"], "mcp-protocol-version");
    let post = ask(Method::POST).await;
    assert_eq!((post.status, post.headers["allow"].to_str().unwrap()), (405, "GET, HEAD"));
    assert!(guarded.inner.0.lock().unwrap().is_empty(), "nothing reached the service");
}

/// What a server says about itself, and how far its clock may be from that of the issuer.
#[tokio::test]
async fn a_resource_says_where_people_read_about_it() {
    let guarded = Guarded::new(|builder| builder.documentation("https://docs.example").name("Files").leeway(10_000));
    assert_eq!(guarded.server.resource(), guarded::RESOURCE);
    let place = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";
    assert_eq!(guarded.server.metadata_url(), place);
    assert!(format!("{:?}", guarded.server).contains(guarded::RESOURCE));
    let request = Request::get("/.well-known/oauth-protected-resource/mcp").body(bytes::Bytes::new()).unwrap();
    let document = guarded.send(request).await.json();
    assert_eq!(
        (&document["resource_documentation"], &document["resource_name"]),
        (&"https://docs.example".into(), &"Files".into())
    );
    // More than five minutes are never taken for a difference of clocks.
    let token = |end: u64| guarded.token(serde_json::json!({ "exp": end }));
    assert_eq!(guarded.with_token(&token(guarded::NOW - 299)).await.status, 200);
    assert_eq!(guarded.with_token(&token(guarded::NOW - 300)).await.status, 401);
}
