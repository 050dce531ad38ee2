//! An authorization server on loopback, and the pages of clients and of strangers.

use std::sync::Arc;

use jackfield::auth::pkce::Verifier;
use jackfield::auth::server::{AuthorizationServer, Client, Resource, Users};
use jackfield::auth::{Clock, Secret};
use jackfield::http::{HttpConfig, HttpServer};
use jackfield::transport::Shutdown;
use jackfield::{Server, Value};
use jackfield_testkit::ReservedPort;
use jackfield_wire::Response;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::webdriver::Browser;

pub(super) const PASSWORD: &str = "correct horse battery";
/// What a client calls itself that would like to be more than a name.
pub(super) const HOSTILE: &str =
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";

/// An authorization server, a browser, and a site of somebody else.
pub(super) struct Place {
    pub(super) browser: Browser,
    pub(super) clock: Clock,
    pub(super) issuer: String,
    /// Where the pages of others are: at `127.0.0.1`, which is the same site for browsers whatever the port, and at
    /// `localhost`, which is another.
    pub(super) site: u16,
    verifier: Verifier,
    _tasks: JoinSet<()>,
}

impl Place {
    /// Starts it all; none if there is no browser.
    pub(super) async fn start() -> Option<Self> {
        let browser = Browser::start().await?;
        let mut tasks = JoinSet::new();
        let site = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = site.local_addr().unwrap().port();
        tasks.spawn(serve_site(site));
        // The issuer has to be known before anything listens.
        let (reserved, clock) = (ReservedPort::new().unwrap(), Clock::manual(1_800_000_000));
        let address = reserved.address();
        let (issuer, resource) = (format!("http://{address}"), format!("http://{address}/mcp"));
        let users = Users::new().unwrap();
        for user in ["ann", "bob"] {
            users.add_user(user, &Secret::new(PASSWORD)).unwrap();
        }
        let authorization = AuthorizationServer::builder(&issuer)
            .resource(Resource::new(&resource).scope("mcp", "Use the server"))
            .users(users)
            .client(Client::public("app", [format!("http://127.0.0.1:{port}/cb")]).name(HOSTILE))
            .clock(clock.clone())
            .build()
            .unwrap();
        let door = authorization.protect(&resource).unwrap().build().unwrap();
        let config = HttpConfig::default().with_authenticator(door).with_routes(authorization);
        let server = Arc::new(Server::new("guarded").start().await.unwrap());
        let bound = HttpServer::new(server).config(config).bind(address).await.unwrap();
        tasks.spawn(async move {
            let (_trigger, shutdown) = Shutdown::new();
            bound.serve(shutdown).await.unwrap();
        });
        Some(Self { browser, clock, issuer, site: port, verifier: Verifier::random().unwrap(), _tasks: tasks })
    }

    /// The address where a client sends its user.
    pub(super) fn begin(&self, more: &str) -> String {
        let challenge = self.verifier.challenge();
        format!(
            "{}/authorize?response_type=code&client_id=app&redirect_uri=http://127.0.0.1:{}/cb&state=s1&scope=mcp\
            &code_challenge={}&code_challenge_method=S256{more}",
            self.issuer,
            self.site,
            challenge.as_str()
        )
    }

    /// The address of a page on another site.
    pub(super) fn elsewhere(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.site)
    }

    pub(super) async fn log_in(&self, user: &str, password: &str) {
        self.browser.fill("#username", user).await;
        self.browser.fill("#password", password).await;
        self.browser.click("button").await;
    }

    /// Comes to the consent page.
    pub(super) async fn come_to_consent(&self) {
        self.browser.go(&self.begin("")).await;
        self.log_in("ann", PASSWORD).await;
        self.browser.text("button[value=allow]").await;
    }

    /// Comes to the consent page of a user who is logged in.
    pub(super) async fn come_to_consent_again(&self) {
        self.browser.go(&self.begin("")).await;
        self.browser.text("button[value=allow]").await;
    }

    /// A parameter of the address at which the browser arrived at the client.
    pub(super) async fn arrived(&self, name: &str) -> Option<String> {
        let query = self.browser.text("#arrived").await;
        let start = format!("{name}=");
        query.split('&').find_map(|pair| pair.strip_prefix(&start)).map(str::to_owned)
    }

    /// Redeems a code as the client does.
    pub(super) async fn redeem(&self, code: &str) -> Result<Value, Value> {
        let form = format!(
            "grant_type=authorization_code&client_id=app&code={code}&redirect_uri=http://127.0.0.1:{}/cb&code_verifier={}",
            self.site,
            self.verifier.expose()
        );
        let host = self.issuer.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).await.unwrap();
        let request = format!(
            "POST /token HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/x-www-form-urlencoded\r\n\
            content-length: {}\r\n\r\n{form}",
            form.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = Response::read(&answer).unwrap().expect("the answer is complete");
        let body = serde_json::from_slice(&answer.body).unwrap();
        if answer.head.status == 200 { Ok(body) } else { Err(body) }
    }
}

/// Serves the pages of others. A client's page sends its users on to another site, as many do; `/page?HTML` is a page of
/// whatever a stranger wants.
async fn serve_site(listener: TcpListener) {
    let mut visits = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        visits.spawn(serve_visit(stream));
        while visits.try_join_next().is_some() {}
    }
}

async fn serve_visit(mut stream: TcpStream) {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if stream.read_buf(&mut head).await.is_ok_and(|count| count == 0) {
            return;
        }
    }
    let head = String::from_utf8_lossy(&head);
    let host = head.lines().find_map(|line| line.strip_prefix("Host: ")).unwrap_or_default();
    let target = head.split(' ').nth(1).unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (status, location, body) = match path {
        "/cb" => {
            ("302 Found", format!("http://{}/arrived?{query}", host.replace("127.0.0.1", "localhost")), String::new())
        }
        "/arrived" => ("200 OK", String::new(), format!("<p id=\"arrived\">{}</p>", query.replace('<', "&lt;"))),
        "/page" => ("200 OK", String::new(), decoded(query)),
        _ => ("404 Not Found", String::new(), String::new()),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-type: text/html\r\nlocation: {location}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    // A browser that went away needs no answer.
    let _ = stream.write_all(answer.as_bytes()).await;
}

/// Encodes a page for the query of `/page`.
pub(super) fn encoded(html: &str) -> String {
    html.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn decoded(query: &str) -> String {
    let bytes = query.split('%').filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect();
    String::from_utf8(bytes).unwrap()
}
