//! What the contract lists as weaknesses of the original. Each of these succeeds against an implementation that checks less.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::site::{Names, Site, answer, fetch, fetcher_with, html, not_found, options, page, redirect, text};
use crate::fetch::{Options, Proxy};

const PUBLIC: &str = "Start the server with --allow-private-ips to allow private, loopback and link-local addresses.";

fn address(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

fn without_robots() -> Options {
    let mut options = options();
    options.ignore_robots_txt = true;
    options
}

/// DNS rebinding: a name that is public when it is checked and inner when it is dialled. It is resolved once for a connection.
#[tokio::test]
async fn a_name_is_resolved_once_and_what_was_checked_is_dialled() {
    let outer = Site::start(|_| text("outer")).await;
    let inner = Site::start_at(&format!("127.0.0.2:{}", outer.address.port()), |_| text("inner")).await;
    let names = Names::new(&[&[outer.address], &[inner.address]]);
    let url = format!("http://rebinding.example:{}/", outer.address.port());
    let fetched = page(&fetcher_with(without_robots(), names.clone()), &url).await.unwrap();
    assert_eq!((fetched.content.as_str(), names.asked.load(Ordering::SeqCst)), ("outer", 1));

    let names = Names::new(&[&[inner.address]]);
    let error = page(&fetcher_with(without_robots(), names), &url).await.unwrap_err();
    assert_eq!(
        error,
        format!(
            "Refused to fetch {url}: rebinding.example resolves to 127.0.0.2, which is not a public address. {PUBLIC}"
        )
    );
    assert!(inner.hits().is_empty());
}

/// One public address among several does not make a name public.
#[tokio::test]
async fn every_address_of_a_name_is_checked() {
    let outer = Site::start(|_| text("outer")).await;
    let names = Names::new(&[&[outer.address, address("10.0.0.1:80")]]);
    let url = format!("http://mixed.example:{}/", outer.address.port());
    let error = page(&fetcher_with(without_robots(), names), &url).await.unwrap_err();
    assert!(error.contains("mixed.example resolves to 10.0.0.1, which is not"), "{error}");
    assert!(outer.hits().is_empty());
}

/// A public page that leads inside, by address, by a spelling of one, by name, and for its robots.txt.
#[tokio::test]
async fn a_redirect_does_not_lead_inside() {
    let inner = Site::start_at("127.0.0.2:0", |_| text("secret")).await;
    let port = inner.address.port();
    let targets =
        [format!("http://127.0.0.2:{port}/"), format!("http://2130706434:{port}/"), format!("http://0x7f.2:{port}/")];
    for target in targets {
        let outer = Site::start(move |path| if path == "/robots.txt" { not_found() } else { redirect(&target) }).await;
        for options in [options(), without_robots()] {
            let error = fetch(options, &outer.url("/")).await.unwrap_err();
            assert!(error.starts_with(&format!("Refused to fetch http://127.0.0.2:{port}/")), "{error}");
        }
    }
    let outer = Site::start(move |_| redirect(&format!("http://127.0.0.2:{port}/robots.txt"))).await;
    let error = fetch(options(), &outer.url("/page")).await.unwrap_err();
    assert!(error.contains("127.0.0.2 resolves to 127.0.0.2, which is not a public address"), "{error}");

    let outer = Site::start(move |_| redirect(&format!("http://inner.example:{port}/"))).await;
    let names = Names::new(&[&[inner.address]]);
    let error = page(&fetcher_with(without_robots(), names), &outer.url("/")).await.unwrap_err();
    assert!(error.contains("inner.example resolves to 127.0.0.2"), "{error}");
    assert!(inner.hits().is_empty());
}

#[tokio::test]
async fn a_redirect_does_not_leave_the_web_or_carry_credentials() {
    for (target, why) in [
        ("file:///etc/passwd", "only http and https URLs are fetched"),
        ("gopher://127.0.0.1/", "only http and https URLs are fetched"),
        ("http://user:secret@127.0.0.1/", "a URL with a user name or password is not fetched"),
    ] {
        let outer = Site::start(move |path| if path == "/robots.txt" { not_found() } else { redirect(target) }).await;
        for options in [options(), without_robots()] {
            let error = fetch(options, &outer.url("/")).await.unwrap_err();
            assert!(error.starts_with("Refused to fetch ") && error.ends_with(why), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}

#[tokio::test]
async fn hosts_that_the_operator_denies_are_not_reached_by_redirect() {
    let outer = Site::start(|path| if path == "/" { redirect("http://denied.example/") } else { not_found() }).await;
    let mut strict = options();
    strict.destinations.denied_hosts = vec!["denied.example".to_owned()];
    let error = fetch(strict, &outer.url("/")).await.unwrap_err();
    assert!(error.ends_with("the operator of this server does not allow the host denied.example"), "{error}");
}

/// A proxy would reach what we must not reach.
#[tokio::test]
async fn a_proxy_does_not_fetch_what_is_inside() {
    let proxy = Site::start(|_| text("through the proxy")).await;
    let mut proxied = without_robots();
    proxied.proxy = Proxy::Url(format!("http://{}", proxy.address));
    for url in ["http://127.0.0.2/", "http://2130706434/", "http://[::1]/", "http://169.254.169.254/latest/meta-data/"]
    {
        let error = fetch(proxied.clone(), url).await.unwrap_err();
        assert!(error.contains("is not a public address"), "{url}: {error}");
    }
    let inner = Names::new(&[&[address("10.0.0.1:80")]]);
    let error = page(&fetcher_with(proxied.clone(), inner), "http://inner.example/").await.unwrap_err();
    assert!(error.contains("inner.example resolves to 10.0.0.1"), "{error}");
    assert!(proxy.hits().is_empty());

    // A name that only the proxy knows passes.
    let fetched = fetch(proxied, "http://outer.example/x").await.unwrap();
    assert_eq!(
        (fetched.content.as_str(), proxy.hits()),
        ("through the proxy", vec!["http://outer.example/x".to_owned()])
    );
}

#[tokio::test]
async fn a_body_ends_at_the_limits() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![b'a'; 10_000_000]).unwrap();
    let bomb = encoder.finish().unwrap();
    let endless = format!("HTTP/1.1 200 X\r\ncontent-type: text/plain\r\n\r\n{}", "a".repeat(200_000)).into_bytes();
    let site = Site::start(move |path| match path {
        "/bomb" => answer(200, "content-type: text/plain\r\ncontent-encoding: gzip\r\n", &bomb),
        "/endless" => endless.clone(),
        "/announced" => b"HTTP/1.1 200 X\r\ncontent-length: 99999999999\r\n\r\nx".to_vec(),
        "/fits" => text(&"a".repeat(100_000)),
        _ => not_found(),
    })
    .await;
    let mut small = without_robots();
    small.limits.wire_bytes = 100_000;
    small.limits.decoded_bytes = 1_000_000;
    for (path, why) in [
        ("/bomb", "the body is longer than 1000000 bytes when it is decompressed"),
        ("/endless", "the body is longer than 100000 bytes"),
        ("/announced", "the body is longer than 100000 bytes"),
    ] {
        let error = fetch(small.clone(), &site.url(path)).await.unwrap_err();
        assert_eq!(error, format!("Failed to fetch {}: {why}", site.url(path)));
    }
    assert_eq!(fetch(small, &site.url("/fits")).await.unwrap().content.len(), 100_000);
}

/// A site that answers nothing, and one whose body never ends, keep a call for its time and no longer.
#[tokio::test(start_paused = true)]
async fn a_slow_site_ends_with_the_time_of_the_call() {
    let site = Site::start(|_| Vec::new()).await;
    let mut hasty = without_robots();
    hasty.limits.time = Duration::from_secs(30);
    let error = fetch(hasty, &site.url("/")).await.unwrap_err();
    assert_eq!(error, format!("Failed to fetch {}: no answer within 30 s", site.url("/")));
}

/// Many slow sites do not take the memory of many pages at once.
#[tokio::test]
async fn only_so_many_pages_are_fetched_at_the_same_time() {
    let site = Site::start(|path| if path == "/slow" { Vec::new() } else { text("fast") }).await;
    let mut narrow = without_robots();
    narrow.limits.pages = 2;
    let fetcher = fetcher_with(narrow, Names::default());
    let mut slow = tokio::task::JoinSet::new();
    for _ in 0..2 {
        let (fetcher, url) = (fetcher.clone(), site.url("/slow"));
        slow.spawn(async move { page(&fetcher, &url).await });
    }
    while site.hits().len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(fetcher.free_pages(), 0);
    slow.shutdown().await;
    assert_eq!(page(&fetcher, &site.url("/fast")).await.unwrap().content, "fast");
    assert_eq!(fetcher.free_pages(), 2);
}

#[tokio::test]
async fn a_page_that_is_made_to_overload_a_parser_is_refused() {
    let site = Site::start(|path| match path {
        "/deep" => html(&"<div>".repeat(100_000)),
        "/wide" => html(&"<br>".repeat(20_000)),
        "/formats" => html(&(0..200).map(|id| format!("<p><b id={id}>x")).collect::<String>()),
        _ => not_found(),
    })
    .await;
    let mut small = without_robots();
    (small.limits.nodes, small.limits.depth) = (10_000, 100);
    for path in ["/deep", "/wide", "/formats"] {
        let error = fetch(small.clone(), &site.url(path)).await.unwrap_err();
        let why = "too large or nested too deeply to be simplified; it can be read with raw";
        assert!(error.ends_with(why), "{path}: {error}");
    }
}
