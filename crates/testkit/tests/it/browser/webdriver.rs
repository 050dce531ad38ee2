//! Chromium without a window, driven by WebDriver: JSON over HTTP, of which we need little.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use jackfield::{Value, json};
use jackfield_testkit::eventually;
use jackfield_wire::Response;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// How long a page or an element may take to appear. It is long because machines are busy at times.
const PATIENCE: Duration = Duration::from_secs(40);

/// A browser with a profile of its own.
pub(super) struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
}

impl Browser {
    /// Starts one; none if this machine has none.
    pub(super) async fn start() -> Option<Self> {
        let Some(binary) = ["chromium", "chromium-browser", "google-chrome"].iter().find_map(|name| program(name))
        else {
            eprintln!("skipped: there is no chromium");
            return None;
        };
        let Some(driver) = program("chromedriver") else {
            eprintln!("skipped: there is no chromedriver");
            return None;
        };
        let mut command = Command::new(driver);
        // A group of its own, so that all of it can be ended whatever becomes of the test.
        command.arg("--port=0").process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut driver = command.spawn().unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let found = async {
            loop {
                let line = lines.next_line().await.unwrap().expect("the driver ended");
                if let Some((_, port)) = line.split_once("successfully on port ") {
                    return port.trim_end_matches('.').parse::<u16>().unwrap();
                }
            }
        };
        let port = tokio::time::timeout(PATIENCE, found).await.expect("the driver does not say its port");
        let mut browser = Self { driver, address: ([127, 0, 0, 1], port).into(), session: String::new() };
        let options = json!({ "binary": binary, "args": ["--headless=new", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--disable-features=OptimizationHints,MediaRouter"] });
        let wait = u64::try_from(PATIENCE.as_millis()).unwrap();
        let capabilities = json!({ "browserName": "chrome", "goog:chromeOptions": options,
            "timeouts": { "implicit": wait, "pageLoad": wait, "script": wait } });
        let opened =
            browser.send("POST", "/session", &json!({ "capabilities": { "alwaysMatch": capabilities } })).await;
        browser.session = opened["sessionId"].as_str().unwrap().to_owned();
        Some(browser)
    }

    pub(super) async fn go(&self, url: &str) {
        self.post("url", json!({ "url": url })).await;
    }

    pub(super) async fn url(&self) -> String {
        self.get("url").await.as_str().unwrap().to_owned()
    }

    pub(super) async fn title(&self) -> String {
        self.get("title").await.as_str().unwrap().to_owned()
    }

    /// What a person reads in an element; waits until there is one.
    pub(super) async fn text(&self, selector: &str) -> String {
        self.of_element(selector, "text").await
    }

    pub(super) async fn attribute(&self, selector: &str, name: &str) -> String {
        self.of_element(selector, &format!("attribute/{name}")).await
    }

    /// Reads something of an element. A page that gives way to the next one between finding and reading is looked at again.
    async fn of_element(&self, selector: &str, what: &str) -> String {
        for _ in 0..PAGES {
            let path = format!("/session/{}/element/{}/{what}", self.session, self.element(selector).await);
            match self.try_send("GET", &path, &json!(null)).await {
                Err(problem) if problem.contains("stale element reference") => {}
                read => return read.unwrap().as_str().unwrap().to_owned(),
            }
        }
        panic!("{selector} does not stay on its page");
    }

    pub(super) async fn count(&self, selector: &str) -> usize {
        self.run(&format!("return document.querySelectorAll({}).length", json!(selector))).await.as_u64().unwrap()
            as usize
    }

    pub(super) async fn fill(&self, selector: &str, text: &str) {
        let element = self.element(selector).await;
        self.post(&format!("element/{element}/value"), json!({ "text": text })).await;
    }

    /// Clicks a button that leads to another page, and waits until its own page is gone. The driver says that a click is done before
    /// the next page has begun, so that reading at once would still show the old one.
    pub(super) async fn click(&self, selector: &str) {
        let element = self.element(selector).await;
        self.post(&format!("element/{element}/click"), json!({})).await;
        let path = format!("/session/{}/element/{element}/name", self.session);
        eventually("the page of the button is gone", async || self.try_send("GET", &path, &json!(null)).await.is_err())
            .await;
    }

    /// Runs a script in the page, as its own scripts would be if it had any.
    pub(super) async fn run(&self, script: &str) -> Value {
        self.post("execute/sync", json!({ "script": script, "args": [] })).await
    }

    /// Goes on inside a frame of the page.
    pub(super) async fn enter_frame(&self, selector: &str) {
        let element = self.element(selector).await;
        self.post("frame", json!({ "id": { ELEMENT: element } })).await;
    }

    pub(super) async fn leave_frame(&self) {
        self.post("frame", json!({ "id": null })).await;
    }

    /// Opens another tab and goes on there; returns the one before.
    pub(super) async fn open_tab(&self) -> Value {
        let before = self.get("window").await;
        let opened = self.post("window/new", json!({ "type": "tab" })).await;
        self.switch_tab(&opened["handle"]).await;
        before
    }

    pub(super) async fn switch_tab(&self, handle: &Value) {
        self.post("window", json!({ "handle": handle })).await;
    }

    async fn element(&self, selector: &str) -> String {
        let found = self.post("element", json!({ "using": "css selector", "value": selector })).await;
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    async fn get(&self, path: &str) -> Value {
        self.send("GET", &format!("/session/{}/{path}", self.session), &json!(null)).await
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        self.send("POST", &format!("/session/{}/{path}", self.session), &body).await
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        self.try_send(method, path, body).await.unwrap()
    }

    /// Sends a command; an error is what the driver says.
    async fn try_send(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let exchange = async {
            let mut stream = TcpStream::connect(self.address).await.unwrap();
            let body = if body.is_null() { String::new() } else { body.to_string() };
            let head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\n", self.address);
            let head = format!("{head}content-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            loop {
                if let Some(response) = Response::read(&answer).unwrap() {
                    return (response.head.status, String::from_utf8(response.body).unwrap());
                }
                assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0, "the driver hung up");
            }
        };
        let (status, body) = tokio::time::timeout(2 * PATIENCE, exchange).await.expect("the driver does not answer");
        if status != 200 {
            return Err(format!("{method} {path} {body}"));
        }
        Ok(serde_json::from_str::<Value>(&body).unwrap()["value"].take())
    }
}

/// How many pages may come one after the other while something is read.
const PAGES: usize = 10;
/// The name that WebDriver has for references to elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(group) = self.driver.id() {
            let _ = std::process::Command::new("kill").args(["-TERM", "--", &format!("-{group}")]).status();
        }
    }
}

fn program(name: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
