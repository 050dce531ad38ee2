//! The listener that the browser comes back to.

use std::io;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::Request;
use jackfield_auth::client::{AuthError, Interaction as _, Loopback, OAuth, Opener, Paste};
use jackfield_http::client::{Agent, Boxed};
use tokio::task::JoinSet;
use url::Url;

use crate::town::Town;

/// Remembers what was opened, and tells it on.
#[derive(Clone, Debug)]
struct Recorder(tokio::sync::mpsc::Sender<Url>, Arc<Mutex<Vec<Url>>>);

impl Opener for Recorder {
    fn open(&self, page: &Url) -> io::Result<()> {
        self.1.lock().unwrap().push(page.clone());
        self.0.try_send(page.clone()).map_err(io::Error::other)
    }
}

struct Answered {
    status: u16,
    csp: String,
    text: String,
}

async fn get(url: &str, host: Option<&str>) -> Option<Answered> {
    let mut request = Request::get(url);
    if let Some(host) = host {
        request = request.header("host", host);
    }
    let answer = Agent::default().send(request.body(Bytes::new()).unwrap(), None).await.ok()?;
    let status = answer.status.as_u16();
    let csp = answer.headers["content-security-policy"].to_str().unwrap().to_owned();
    Some(Answered { status, csp, text: String::from_utf8(answer.text(10_000).await.unwrap().to_vec()).unwrap() })
}

/// T-067: forged, foreign and hostile answers change nothing and show nothing; the right one is taken once. AUTH-105, AUTH-114
/// The page that the client itself serves runs and loads nothing: SEC-033
#[tokio::test]
async fn one_answer_is_taken_and_it_is_the_right_one() {
    let town = Town::new().await;
    let (opened, mut pages) = tokio::sync::mpsc::channel(4);
    let seen: Arc<Mutex<Vec<Url>>> = Arc::default();
    let oauth = town.oauth().interaction(Loopback::new(Recorder(opened, seen.clone())));
    let login = oauth.server(town.url("/mcp")).unwrap();
    let mut logins = JoinSet::new();
    logins.spawn(async move { login.login().await });
    let page = pages.recv().await.unwrap();
    let param = |name: &str| page.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
    let (redirect, state) = (param("redirect_uri"), param("state"));
    let back = Url::parse(&redirect).unwrap();
    assert_eq!((back.scheme(), back.host_str()), ("http", Some("127.0.0.1")));
    assert!(back.port().unwrap() > 1023 && back.path().len() > 40);

    let hostile = "<script>alert(1)</script>";
    for (url, host) in [
        (format!("{redirect}?code=c"), None),
        (format!("{redirect}?code=c&state=guessed"), None),
        (format!("{redirect}?code=c&state={state}x"), None),
        (format!("{redirect}?code=c&state={state}&state={state}"), None),
        (format!("{redirect}?error={hostile}&error_description={hostile}&state={hostile}"), None),
        (format!("{}?code=c&state={state}", redirect.replace("/callback/", "/")), None),
        (format!("{redirect}/x?code=c&state={state}"), None),
        (format!("{redirect}?code=c&state={state}"), Some("rebound.example")),
        (format!("{redirect}?code=c&state={state}"), Some("localhost:1")),
    ] {
        let url = url.replace('<', "%3C").replace('>', "%3E");
        let answered = get(&url, host).await.unwrap();
        assert!((400..500).contains(&answered.status), "{url} {host:?}");
        assert!(answered.csp.starts_with("default-src 'none'") && answered.csp.contains("frame-ancestors 'none'"));
        assert!(!answered.text.contains("alert") && !answered.text.contains(&state), "{}", answered.text);
    }
    assert!(town.paths("/token").is_empty());

    let good = get(&format!("{redirect}?code=c&state={state}"), None).await.unwrap();
    assert!(good.status == 200 && !good.text.contains(&state) && good.csp.starts_with("default-src 'none'"));
    logins.join_next().await.unwrap().unwrap().unwrap();
    // Nobody listens any more.
    assert!(get(&format!("{redirect}?code=d&state={state}"), None).await.is_none());
    assert_eq!((town.paths("/token").len(), seen.lock().unwrap().len()), (1, 1));
}

/// What the user copied from the address bar will do as well.
#[tokio::test]
async fn an_answer_can_be_pasted() {
    #[derive(Debug)]
    struct Pasted(tokio::sync::Mutex<tokio::sync::mpsc::Receiver<Url>>);

    impl Paste for Pasted {
        fn paste(&self) -> Boxed<'_, io::Result<String>> {
            Box::pin(async {
                let page = self.0.lock().await.recv().await.unwrap();
                let param = |name: &str| page.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
                Ok(format!(" {}?code=c&state={}\n", param("redirect_uri"), param("state")))
            })
        }
    }

    let town = Town::new().await;
    let (opened, pages) = tokio::sync::mpsc::channel(4);
    let headless = Loopback::new(Recorder(opened, Arc::default())).or_paste(Pasted(tokio::sync::Mutex::new(pages)));
    let account = town.oauth().interaction(headless).server(town.url("/mcp")).unwrap().login().await.unwrap();
    assert_eq!(account.server, town.url("/mcp"));
}

/// T-067: who does not come back is not waited for forever.
#[tokio::test(start_paused = true)]
async fn nobody_waits_forever() {
    let town = Town::new().await;
    let (opened, mut pages) = tokio::sync::mpsc::channel(4);
    let login = town.oauth().interaction(Loopback::new(Recorder(opened, Arc::default())));
    let error = login.server(town.url("/mcp")).unwrap().login().await.unwrap_err();
    assert!(matches!(error, AuthError::TimedOut), "{error}");
    assert!(pages.recv().await.unwrap().path() == "/as/authorize" && town.paths("/token").is_empty());
}

/// A port that somebody else has is an error for a client that needs that very port, and none for others.
#[tokio::test]
async fn a_taken_port_is_noticed() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let redirect = format!("http://127.0.0.1:{}/callback", taken.local_addr().unwrap().port());
    let town = Town::new().await;
    let given = jackfield_auth::client::GivenClient::new("given");
    let (opened, _pages) = tokio::sync::mpsc::channel(4);
    let oauth: OAuth = town.oauth().client(given).redirect_uri(&redirect);
    let login = oauth.interaction(Loopback::new(Recorder(opened, Arc::default()))).server(town.url("/mcp")).unwrap();
    assert!(matches!(login.login().await, Err(AuthError::Redirect(_))));
    for bad in ["https://127.0.0.1/cb", "http://192.0.2.1/cb", "http://127.0.0.1/cb?x", "nonsense"] {
        assert!(Loopback::in_browser().prepare(Some(bad)).await.is_err(), "{bad}");
    }
}
