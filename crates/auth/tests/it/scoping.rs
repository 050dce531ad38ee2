//! Which scopes are asked for.

use serde_json::json;

use crate::town::Town;

const ISSUER: &str = "/.well-known/oauth-authorization-server/as";
const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";

fn asked(town: &Town) -> Vec<Option<String>> {
    town.visits().iter().map(|visit| visit.get("scope").cloned()).collect()
}

fn needs(town: &Town, scopes: &[&str]) {
    town.state().needs = scopes.iter().map(|scope| (*scope).to_owned()).collect();
}

/// The challenge first, then the metadata, then nothing. AUTH-056, AUTH-057, AUTH-060, AUTH-061
#[tokio::test]
async fn scopes_are_chosen_in_order() {
    let town = Town::new().await;
    town.request(&town.login()).await.unwrap();
    assert_eq!(asked(&town), [None]);

    let town = Town::new().await;
    town.change(RESOURCE, "scopes_supported", json!(["read", "list"]));
    town.request(&town.login()).await.unwrap();
    assert_eq!(asked(&town), [Some("list read".into())]);

    let town = Town::new().await;
    town.change(RESOURCE, "scopes_supported", json!(["read", "list"]));
    town.state().challenge = "scope=\"special\"".to_owned();
    town.request(&town.login()).await.unwrap();
    assert_eq!(asked(&town), [Some("special".into())]);
}

/// What keeps a user logged in is asked for where the authorization server knows it, and not otherwise.
#[tokio::test]
async fn offline_access_is_asked_for_where_it_is_known() {
    let town = Town::new().await;
    town.state().challenge = "scope=\"read\"".to_owned();
    town.change(ISSUER, "scopes_supported", json!(["offline_access"]));
    town.request(&town.login()).await.unwrap();
    assert_eq!(asked(&town), [Some("offline_access read".into())]);
}

/// More scopes are asked for together with the old ones, and the request is sent again.
/// AUTH-058, AUTH-094, AUTH-095, SEC-037
#[tokio::test]
async fn a_step_up_keeps_what_there_was() {
    let town = Town::new().await;
    town.state().challenge = "scope=\"read\"".to_owned();
    let login = town.login();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    needs(&town, &["write"]);
    assert_eq!(town.request(&login).await.unwrap(), 200);
    assert_eq!(asked(&town), [Some("read".into()), Some("read write".into())]);
    assert_eq!(town.request(&login).await.unwrap(), 200);
    assert_eq!(asked(&town).len(), 2);
}

/// A step-up that came to nothing, but to which nobody said no, is tried again.
#[tokio::test]
async fn a_step_up_that_failed_is_tried_again() {
    let town = Town::new().await;
    town.state().challenge = "scope=\"read\"".to_owned();
    let login = town.login();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    needs(&town, &["write"]);
    town.state().refusal = Some("temporarily_unavailable");
    assert!(town.failure(&login).await.contains("temporarily_unavailable"));
    town.state().refusal = None;
    assert_eq!(town.request(&login).await.unwrap(), 200);
}

/// A server that is never content is asked once for each set of scopes; what one operation, or one server, was refused keeps no other
/// from asking. AUTH-096, AUTH-097, T-070
#[tokio::test]
async fn a_step_up_is_tried_once() {
    let town = Town::new().await;
    // Whatever is asked for, the token stays as poor as it is.
    town.state().answer = json!({ "access_token": "poor" });
    town.state().tokens.insert("poor".to_owned(), Default::default());
    let login = town.login();
    assert_eq!(town.request(&login).await.unwrap(), 200);
    needs(&town, &["admin"]);
    for _ in 0..3 {
        assert!(town.failure(&login).await.contains("still asks for the scopes admin"));
    }
    assert_eq!(asked(&town), [None, Some("admin".into())]);
    needs(&town, &["write"]);
    for _ in 0..3 {
        assert!(town.failure(&login).await.contains("still asks for the scopes write"));
    }
    needs(&town, &["admin"]);
    assert!(town.failure(&login).await.contains("still asks for the scopes admin"));
    assert_eq!(asked(&town), [None, Some("admin".into()), Some("admin write".into())]);
    let other = Town::new().await;
    let login = town.oauth().server(other.url("/mcp")).unwrap();
    assert_eq!(other.request(&login).await.unwrap(), 200);
    needs(&other, &["admin"]);
    assert_eq!(other.request(&login).await.unwrap(), 200);
    assert_eq!(asked(&other), [None, Some("admin".into())]);
}
