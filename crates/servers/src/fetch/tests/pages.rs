//! What becomes of what sites answer.

use url::Url;

use super::site::{Site, answer, fetch, fetcher, html, not_found, options, page, redirect, text};
use crate::fetch::options::{Proxy, Purpose};

const RAW: &str = " cannot be simplified to markdown, but here is the raw content:\n";

#[tokio::test]
async fn text_is_returned_with_its_type_and_pages_as_markdown() {
    let site = Site::start(|path| match path {
        "/plain" => text("Plain żółć"),
        "/page" => html("<!doctype html><title>T</title><h1>Head</h1><p>A <b>word</b>."),
        "/untyped" => answer(200, "", "<p>no type"),
        "/sniffed" => answer(200, "content-type: application/x-odd\r\n", "<!doctype html><html><p>odd"),
        "/empty-page" => html("<html><body></body></html>"),
        "/empty" => text(""),
        "/json" => answer(200, "content-type: application/json\r\n", "{}"),
        _ => not_found(),
    })
    .await;
    for (path, prefix, content) in [
        ("/plain", format!("Content type text/plain{RAW}"), "Plain żółć"),
        ("/page", String::new(), "T\n\n# Head\n\nA word."),
        ("/untyped", String::new(), "no type"),
        ("/sniffed", String::new(), "odd"),
        ("/empty-page", String::new(), "<error>Page failed to be simplified from HTML</error>"),
        ("/empty", format!("Content type text/plain{RAW}"), ""),
        ("/json", format!("Content type application/json{RAW}"), "{}"),
    ] {
        let page = fetch(options(), &site.url(path)).await.unwrap();
        assert_eq!((page.prefix, page.content.as_str()), (prefix, content), "{path}");
    }
    let url = Url::parse(&site.url("/page")).unwrap();
    let raw = fetcher(options()).page("page", url, Purpose::UserSpecified, true).await.unwrap();
    assert_eq!(raw.prefix, format!("Content type text/html{RAW}"));
    assert!(raw.content.starts_with("<!doctype"));
}

#[tokio::test]
async fn images_and_documents_are_refused_with_a_clear_text() {
    let site = Site::start(|path| match path {
        "/a.png" => answer(200, "content-type: image/png\r\n", b"\x89PNG"),
        "/a.pdf" => answer(200, "content-type: application/pdf; x=y\r\n", b"%PDF-1.7"),
        "/untyped.pdf" => answer(200, "", b"%PDF-1.7"),
        "/a.svg" => answer(200, "content-type: image/svg+xml\r\n", "<svg/>"),
        _ => not_found(),
    })
    .await;
    for (path, kind) in
        [("/a.png", "image/png"), ("/a.pdf", "application/pdf; x=y"), ("/untyped.pdf", "application/pdf")]
    {
        let error = fetch(options(), &site.url(path)).await.unwrap_err();
        let wanted = format!("the content type {kind} is not text; only pages and other text can be fetched");
        assert_eq!(error, format!("Failed to fetch {}: {wanted}", site.url(path)));
    }
    assert_eq!(fetch(options(), &site.url("/a.svg")).await.unwrap().content, "<svg/>");
}

#[tokio::test]
async fn errors_of_sites_name_their_status() {
    let site = Site::start(|path| if path == "/boom" { answer(500, "", "") } else { not_found() }).await;
    for (path, status) in [("/boom", 500), ("/missing", 404)] {
        let error = fetch(options(), &site.url(path)).await.unwrap_err();
        assert_eq!(error, format!("Failed to fetch {} - status code {status}", site.url(path)));
    }
}

#[tokio::test]
async fn requests_say_who_is_asking_and_what_they_accept() {
    let site = Site::start(|path| if path == "/robots.txt" { not_found() } else { text("ok") }).await;
    let url = Url::parse(&site.url("/")).unwrap();
    let standard = fetcher(options());
    page(&standard, &site.url("/#fragment")).await.unwrap();
    standard.page("x", url.clone(), Purpose::UserSpecified, false).await.unwrap();
    let mut own = options();
    own.user_agent = Some("mine/1".to_owned());
    fetcher(own).page("x", url, Purpose::UserSpecified, false).await.unwrap();
    let agents: Vec<_> = site.heads().iter().map(|head| header(head, "user-agent")).collect();
    let official =
        |kind| format!("ModelContextProtocol/1.0 ({kind}; +https://github.com/modelcontextprotocol/servers)");
    let [autonomous, manual] = [official("Autonomous"), official("User-Specified")];
    assert_eq!(agents, [autonomous.clone(), autonomous, manual, "mine/1".to_owned()]);
    assert_eq!(site.hits(), ["/robots.txt", "/", "/", "/"]);
    assert_eq!(header(&site.heads()[1], "accept-encoding"), "gzip, deflate, br");
}

fn header(head: &str, name: &str) -> String {
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")));
    line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

/// The site's wishes count for each address on the way, not only for the first.
#[tokio::test]
async fn robots_are_asked_at_every_hop() {
    let site = Site::start(|path| match path {
        "/robots.txt" => text("# hello\nUser-agent: *\nDisallow: /private\n"),
        "/there" => redirect("/here"),
        "/in" => redirect("/private/x"),
        _ => text("page"),
    })
    .await;
    assert_eq!(fetch(options(), &site.url("/there")).await.unwrap().content, "page");
    assert_eq!(site.hits(), ["/robots.txt", "/there", "/robots.txt", "/here"]);
    let error = fetch(options(), &site.url("/in")).await.unwrap_err();
    let robots = site.url("/robots.txt");
    assert!(error.starts_with(&format!("The sites robots.txt ({robots}), specifies that autonomous")), "{error}");
    assert!(error.contains(&format!("<url>{}</url><robots>\n# hello\n", site.url("/private/x"))), "{error}");
    assert!(!site.hits().contains(&"/private/x".to_owned()));

    let mut ignoring = options();
    ignoring.ignore_robots_txt = true;
    assert_eq!(fetch(ignoring, &site.url("/in")).await.unwrap().content, "page");
}

#[tokio::test]
async fn a_robots_txt_that_cannot_be_read_decides_by_its_status() {
    for (status, wanted) in [(401, false), (403, false), (404, true), (410, true), (500, true), (503, true)] {
        let site =
            Site::start(move |path| if path == "/robots.txt" { answer(status, "", "x") } else { text("page") }).await;
        let result = fetch(options(), &site.url("/")).await;
        let robots = site.url("/robots.txt");
        match result {
            Ok(_) => assert!(wanted, "{status}"),
            Err(error) => {
                assert!(
                    !wanted
                        && error
                            .starts_with(&format!("When fetching robots.txt ({robots}), received status {status} so"))
                );
            }
        }
    }
    // Nobody listens there any more.
    let gone = Site::start(|_| not_found()).await.url("/robots.txt");
    let error = fetch(options(), &gone.replace("robots.txt", "x")).await.unwrap_err();
    assert_eq!(error, format!("Failed to fetch robots.txt {gone} due to a connection issue"));
    let mut ignoring = options();
    ignoring.ignore_robots_txt = true;
    let error = fetch(ignoring, &gone).await.unwrap_err();
    assert_eq!(error, format!("Failed to fetch {gone}: ConnectError('All connection attempts failed')"));
}

#[tokio::test]
async fn redirects_are_followed_twenty_times() {
    let site = Site::start(|path| match path.trim_start_matches('/').parse::<u32>() {
        Ok(0) => text("end"),
        Ok(left) => redirect(&(left - 1).to_string()),
        Err(_) => not_found(),
    })
    .await;
    let mut ignoring = options();
    ignoring.ignore_robots_txt = true;
    assert_eq!(fetch(ignoring.clone(), &site.url("/20")).await.unwrap().content, "end");
    let error = fetch(ignoring, &site.url("/21")).await.unwrap_err();
    let wanted = "TooManyRedirects('Exceeded maximum allowed redirects.')";
    assert_eq!(error, format!("Failed to fetch {}: {wanted}", site.url("/21")));
    assert_eq!(site.hits().len(), 42);
}

/// A proxy that cannot be used is not silently left out.
#[tokio::test]
async fn a_bad_proxy_fails_the_call() {
    let site = Site::start(|_| text("page")).await;
    let mut proxied = options();
    proxied.proxy = Proxy::Url("ftp://user:secret@proxy".to_owned());
    let error = fetch(proxied, &site.url("/")).await.unwrap_err();
    assert!(
        error.starts_with("Failed to set up the HTTP client, check the proxy configuration (--proxy-url"),
        "{error}"
    );
    assert!(!error.contains("secret") && site.hits().is_empty());
}
