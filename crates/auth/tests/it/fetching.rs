//! Fetching over HTTP: what may be reached, and how much of it.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use http::HeaderValue;
use http::header::AUTHORIZATION;
use jackfield_http::client::{AgentConfig, Boxed, Resolve};
use jackfield_http::fetch::{Document, Fetch as _, FetchError, FetchRequest, HttpFetch, Reach};

use crate::site::{Site, response};

/// A name server whose answers change; the last one stays.
#[derive(Debug)]
struct Changing(Mutex<(VecDeque<Vec<IpAddr>>, usize)>);

impl Changing {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let answers = answers.iter().map(|answer| answer.iter().map(|one| one.parse().unwrap()).collect()).collect();
        Arc::new(Self(Mutex::new((answers, 0))))
    }

    fn asked(&self) -> usize {
        self.0.lock().unwrap().1
    }
}

impl Resolve for Changing {
    fn resolve<'a>(&'a self, _: &'a str, port: u16) -> Boxed<'a, io::Result<Vec<SocketAddr>>> {
        let mut state = self.0.lock().unwrap();
        state.1 += 1;
        let answer = if state.0.len() > 1 { state.0.pop_front() } else { state.0.front().cloned() };
        let answer = answer.unwrap_or_default().into_iter().map(|address| SocketAddr::new(address, port)).collect();
        Box::pin(std::future::ready(Ok(answer)))
    }
}

fn fetch(reach: Reach, names: Option<Arc<Changing>>) -> HttpFetch {
    let mut config = AgentConfig::default();
    config.proxies_from_environment = false;
    config.names = names.map(|names| names as Arc<dyn Resolve>);
    HttpFetch::new(reach, config)
}

async fn get(fetch: &HttpFetch, url: &str) -> Result<Document, FetchError> {
    fetch.fetch(FetchRequest::get(url)?).await
}

#[track_caller]
fn refused(result: Result<Document, FetchError>, what: &str) {
    assert!(matches!(result, Err(FetchError::Refused(_))), "{what}: {result:?}");
}

/// T-062, T-085: a name whose address changes after it was checked reaches nothing. SEC-011, SEC-013, SEC-016, SEC-017
#[tokio::test]
async fn the_address_that_was_checked_is_the_one_that_is_dialled() {
    let site = Site::open(|_| response(200, "", "{}")).await;
    let port = site.address.port();
    for inner in
        ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fd00:ec2::254"]
    {
        let names = Changing::new(&[&[inner]]);
        let result = get(&fetch(Reach::Public, Some(names.clone())), &format!("https://rebound.example:{port}/")).await;
        refused(result, inner);
        assert_eq!(names.asked(), 1);
    }
    assert!(site.hits().is_empty());

    // Were the name resolved a second time for dialling, nobody would answer at 127.0.0.2.
    let names = Changing::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let fetch = fetch(Reach::Desktop, Some(names.clone()));
    let document = get(&fetch, &format!("http://a.localhost:{port}/x")).await.unwrap();
    assert_eq!((document.status.as_u16(), names.asked()), (200, 1));
}

/// T-062: of several addresses only those within reach are dialled.
#[tokio::test]
async fn addresses_out_of_reach_are_left_out() {
    let site = Site::open(|_| response(200, "", "{}")).await;
    let names = Changing::new(&[&["169.254.169.254", "224.0.0.1", "127.0.0.1"]]);
    let url = format!("http://a.localhost:{}/x", site.address.port());
    assert_eq!(get(&fetch(Reach::Desktop, Some(names)), &url).await.unwrap().status, 200);
}

/// T-062: every hop is checked like the first. SEC-012, SEC-014
#[tokio::test]
async fn redirects_are_checked_hop_by_hop() {
    let site = Site::open(|hit| {
        let to = |target: &str| response(302, &format!("location: {target}\r\n"), "");
        match hit.path.as_str() {
            "/metadata" => to("http://169.254.169.254/latest/meta-data"),
            "/mapped" => to("http://[::ffff:169.254.169.254]/"),
            "/decimal" => to("https://2852039166/"),
            "/plain" => to("http://example.com/"),
            "/file" => to("file:///etc/passwd"),
            "/user" => to("http://u:p@127.0.0.1/"),
            "/loop" => to("/loop"),
            "/nowhere" => response(302, "", ""),
            "/one" => to("/two"),
            "/two" => to("three"),
            "/three" => to("/end"),
            _ => response(200, "", "{}"),
        }
    })
    .await;
    let fetch = fetch(Reach::Desktop, None);
    for path in ["/metadata", "/mapped", "/decimal", "/plain", "/file", "/user"] {
        refused(get(&fetch, &site.url(path)).await, path);
    }
    assert!(matches!(get(&fetch, &site.url("/loop")).await, Err(FetchError::Unusable(_))));
    assert!(matches!(get(&fetch, &site.url("/nowhere")).await, Err(FetchError::Unusable(_))));
    assert_eq!(get(&fetch, &site.url("/one")).await.unwrap().status, 200);
    assert_eq!(site.paths().iter().filter(|path| *path == "/loop").count(), 4);
}

/// T-062: what was sent to one origin is not sent to another, and a POST is not sent on at all. T-065
#[tokio::test]
async fn credentials_do_not_travel_along_redirects() {
    let other = Site::open(|_| response(200, "set-cookie: a=b\r\n", "{}")).await;
    let target = other.url("/there");
    let site = Site::open(move |_| response(307, &format!("location: {target}\r\nset-cookie: c=d\r\n"), "")).await;
    let fetch = fetch(Reach::Desktop, None);
    let ask = FetchRequest::get(&site.url("/")).unwrap().with(AUTHORIZATION, HeaderValue::from_static("Bearer secret"));
    assert_eq!(fetch.fetch(ask.clone()).await.unwrap().status, 200);
    fetch.fetch(ask).await.unwrap();
    assert!(site.hits()[0].head.contains("bearer secret"));
    for hit in other.hits() {
        assert!(!hit.head.contains("secret") && !hit.head.contains("cookie"), "{}", hit.head);
    }
    let form = FetchRequest::post_form(&site.url("/token"), [("code", "secret")]).unwrap();
    assert_eq!(fetch.fetch(form).await.unwrap().status, 307);
    assert_eq!(other.hits().len(), 2);
}

/// T-071, T-085: what is too large or too slow is given up.
#[tokio::test]
async fn answers_keep_to_their_limits() {
    let site = Site::open(|hit| match hit.path.as_str() {
        "/large" => response(200, "", &"x".repeat(1001)),
        "/endless" => format!("HTTP/1.1 200 X\r\nconnection: close\r\n\r\n{}", "x".repeat(5000)),
        "/encoded" => response(200, "content-encoding: gzip\r\n", "x"),
        _ => response(200, "", &"x".repeat(1000)),
    })
    .await;
    let fetch = fetch(Reach::Desktop, None);
    let ask = |path: &str| {
        let mut ask = FetchRequest::get(&site.url(path)).unwrap();
        ask.limit = 1000;
        ask
    };
    assert_eq!(fetch.fetch(ask("/")).await.unwrap().body.len(), 1000);
    assert!(matches!(fetch.fetch(ask("/large")).await, Err(FetchError::TooLarge)));
    assert!(matches!(fetch.fetch(ask("/endless")).await, Err(FetchError::TooLarge)));
    assert!(matches!(fetch.fetch(ask("/encoded")).await, Err(FetchError::Unusable(_))));
}

/// T-071: a server that never answers is given up in time. T-085
#[tokio::test(start_paused = true)]
async fn silence_ends_at_the_deadline() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    assert!(matches!(get(&fetch(Reach::Desktop, None), &url).await, Err(FetchError::TimedOut)));
}
