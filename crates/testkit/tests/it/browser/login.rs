//! Users who log in and decide.

use super::place::{HOSTILE, PASSWORD, Place};

/// T-086, T-089; AUTH-119, AUTH-120: a user logs in, sees what it is about, and comes to the client and wherever that leads.
#[tokio::test]
async fn a_user_logs_in_and_allows() {
    let Some(place) = Place::start().await else { return };
    let browser = &place.browser;
    browser.go(&place.begin("")).await;
    assert_eq!(browser.title().await, "Log in");
    assert!(browser.text("body").await.contains(HOSTILE), "a name is text, whatever it says");
    place.log_in("ann", "a wrong password").await;
    assert!(browser.text("[role=alert]").await.contains("not right"));
    place.log_in("ann", PASSWORD).await;
    browser.text("button[value=allow]").await;
    assert_eq!(browser.title().await, "Allow access?", "and no script ran");
    let text = browser.text("body").await;
    for shown in ["ann", HOSTILE, "Use the server", "127.0.0.1", "your own computer"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert_eq!((browser.count("script").await, browser.count("img").await), (0, 0));
    let width = "return getComputedStyle(document.body).maxWidth";
    assert_ne!(browser.run(width).await, "none", "the style is the one that the policy allows");
    browser.click("button[value=allow]").await;
    let code = place.arrived("code").await.unwrap();
    assert_eq!(place.arrived("state").await.as_deref(), Some("s1"));
    assert!(place.arrived("iss").await.is_some());
    assert!(browser.url().await.starts_with("http://localhost:"), "the client sends its users on to another site");
    assert_eq!(browser.run("return document.referrer").await, "", "nobody learns the address that the code came in");
    assert!(place.redeem(&code).await.is_ok());
    assert_eq!(place.redeem(&code).await.unwrap_err()["error"], "invalid_grant", "a code is used once");
}

/// Who says no goes back to the client with that, and nothing is remembered.
#[tokio::test]
async fn a_user_says_no() {
    let Some(place) = Place::start().await else { return };
    place.come_to_consent().await;
    place.browser.click("button[value=deny]").await;
    assert_eq!(place.arrived("error").await.as_deref(), Some("access_denied"));
    assert_eq!((place.arrived("code").await, place.arrived("state").await.as_deref()), (None, Some("s1")));
    place.browser.go(&place.begin("")).await;
    assert_eq!(place.browser.title().await, "Allow access?", "the user is still logged in, and is asked again");
}

/// T-089: in a browser with two tabs, the page of one user is no consent of the other.
#[tokio::test]
async fn another_user_logs_in_meanwhile() {
    let Some(place) = Place::start().await else { return };
    let browser = &place.browser;
    place.come_to_consent().await;
    let of_ann = browser.open_tab().await;
    browser.go(&place.begin("&prompt=login")).await;
    place.log_in("bob", PASSWORD).await;
    assert!(browser.text("body").await.contains("logged in as bob"));
    let of_bob = browser.open_tab().await;
    browser.switch_tab(&of_ann).await;
    assert!(browser.text("body").await.contains("logged in as ann"));
    browser.click("button[value=allow]").await;
    assert!(browser.text("h1").await.contains("does not work"));
    browser.switch_tab(&of_bob).await;
    browser.click("button[value=allow]").await;
    assert!(place.arrived("code").await.is_some());
}
