//! What a browser is not talked into.

use super::place::{Place, encoded};

/// T-087, T-089: a page that was left open for too long does nothing any more, and one that was answered is answered once.
#[tokio::test]
async fn old_pages_do_nothing() {
    let Some(place) = Place::start().await else { return };
    let browser = &place.browser;
    place.come_to_consent().await;
    place.clock.advance(601);
    browser.click("button[value=allow]").await;
    assert!(browser.text("body").await.contains("too old"));

    place.come_to_consent_again().await;
    let form = [browser.attribute("[name=request]", "value").await, browser.attribute("[name=csrf]", "value").await];
    browser.click("button[value=allow]").await;
    assert!(place.arrived("code").await.is_some());
    browser.go(&format!("{}/authorize", place.issuer)).await;
    assert!(browser.text("body").await.contains("names no client"));
    // The same form once more, from a page of our own and in the same browser.
    browser
        .run(&format!(
            "document.body.innerHTML = `<form method=post action=/consent><input name=request value={}>\
            <input name=csrf value={}><button name=decision value=allow>Again</button></form>`",
            form[0], form[1]
        ))
        .await;
    browser.click("button[value=allow]").await;
    assert!(browser.text("body").await.contains("too old"));
}

/// T-089, SEC-005: a page of ours in a frame of another's shows nothing to click on.
#[tokio::test]
async fn pages_are_not_framed() {
    let Some(place) = Place::start().await else { return };
    let browser = &place.browser;
    place.come_to_consent().await;
    let frames = format!(
        "<iframe id=theirs src=\"{}\"></iframe><iframe id=ours src=\"{}\"></iframe>",
        place.elsewhere(&format!("/page?{}", encoded("<p id=inside>theirs</p>"))),
        place.begin("").replace('&', "&amp;")
    );
    for site in [place.elsewhere(""), format!("http://127.0.0.1:{}", place.site)] {
        browser.go(&format!("{site}/page?{}", encoded(&frames))).await;
        browser.enter_frame("#theirs").await;
        assert_eq!(browser.text("#inside").await, "theirs", "frames work");
        browser.leave_frame().await;
        browser.enter_frame("#ours").await;
        assert_eq!((browser.count("form").await, browser.count("button").await), (0, 0), "{site}");
        assert_eq!(browser.run("return document.URL").await, "chrome-error://chromewebdata/");
        browser.leave_frame().await;
    }
}

/// T-089, SEC-004: a page of another site cannot consent in the name of its visitor, even if it knows what the form holds.
#[tokio::test]
async fn a_page_elsewhere_does_not_consent() {
    let Some(place) = Place::start().await else { return };
    let browser = &place.browser;
    place.come_to_consent().await;
    let form = format!(
        "<form method=post action=\"{}/consent\"><input name=request value=\"{}\"><input name=csrf value=\"{}\">\
        <button name=decision value=allow>Win a prize</button></form>",
        place.issuer,
        browser.attribute("[name=request]", "value").await,
        browser.attribute("[name=csrf]", "value").await
    );
    let consent = browser.open_tab().await;
    browser.go(&place.elsewhere(&format!("/page?{}", encoded(&form)))).await;
    browser.click("button").await;
    assert!(browser.text("body").await.contains("another site"));
    browser.switch_tab(&consent).await;
    browser.click("button[value=allow]").await;
    assert!(place.arrived("code").await.is_some(), "nothing was decided meanwhile");
}
