//! Logging in at a protected server, and what the other commands make of it.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::run::{Folder, HttpDemo, Ran, command, finish};

const PASSWORD: &str = "correct horse battery";
/// The keyring of whoever runs the tests is none of their business.
pub(crate) const FILE: &str = "--credentials=file";

/// What a browser does: visits pages of one server, with cookies.
struct Browser {
    address: String,
    cookies: Vec<String>,
}

struct Page {
    head: String,
    body: String,
}

impl Page {
    fn field(&self, name: &str) -> String {
        let start = format!("name=\"{name}\" value=\"");
        let rest = self.body.split(&start).nth(1).unwrap_or_else(|| panic!("no {name}: {} {}", self.head, self.body));
        rest.split('"').next().unwrap().to_owned()
    }

    fn location(&self) -> String {
        let line = self.head.lines().find_map(|line| line.strip_prefix("location: "));
        line.unwrap_or_else(|| panic!("no redirect: {} {}", self.head, self.body)).to_owned()
    }
}

impl Browser {
    fn send(&mut self, method: &str, path: &str, form: &str) -> Page {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let kind = "content-type: application/x-www-form-urlencoded";
        let (length, cookies) = (form.len(), self.cookies.join("; "));
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{kind}\r\ncontent-length: {length}\r\ncookie: {cookies}\r\n\r\n",
            self.address
        );
        stream.write_all(format!("{head}{form}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let set = head.lines().filter_map(|line| line.strip_prefix("set-cookie: "));
        self.cookies.extend(set.map(|line| line.split(';').next().unwrap().to_owned()));
        Page { head: head.to_owned(), body: body.to_owned() }
    }

    /// Logs in and consents at a login page; returns where it leads.
    fn log_in(page: &str) -> String {
        let (address, path) = page.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut browser = Self { address: address.to_owned(), cookies: Vec::new() };
        let login = browser.send("GET", &format!("/{path}"), "");
        let hidden = |page: &Page| format!("request={}&csrf={}", page.field("request"), page.field("csrf"));
        let form = format!("{}&username=ann&password={}", hidden(&login), PASSWORD.replace(' ', "+"));
        let consent = browser.send("POST", "/login", &form);
        browser.send("POST", "/consent", &format!("{}&decision=allow", hidden(&consent))).location()
    }
}

/// Runs `jackfield login` with a user who logs in. The answer is pasted, or the browser visits where the page leads.
pub(crate) fn log_in(folder: &Folder, words: &[&str], paste: bool) -> Ran {
    log_in_with(folder, words, paste, &[])
}

/// The same with variables of the environment.
pub(crate) fn log_in_with(folder: &Folder, words: &[&str], paste: bool, variables: &[(&str, &str)]) -> Ran {
    let mut login = command();
    login.envs(variables.iter().copied());
    // A browser that does nothing; the address is shown as well.
    login.arg("login").args(words).current_dir(folder.path()).env("HOME", folder.path()).env("BROWSER", "true");
    if paste {
        login.arg("--headless");
    }
    let mut child = login.stdin(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let page =
        lines.find_map(|line| line.unwrap().trim().strip_prefix("http").map(|rest| format!("http{rest}"))).unwrap();
    let back = Browser::log_in(&page);
    if paste {
        child.stdin.take().unwrap().write_all(format!("{back}\n").as_bytes()).unwrap();
    } else {
        let (address, path) = back.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut browser = Browser { address: address.to_owned(), cookies: Vec::new() };
        let page = browser.send("GET", &format!("/{path}"), "");
        assert!(page.body.contains("You can close this page"), "{}", page.body);
    }
    let err = lines.map(|line| line.unwrap() + "\n").collect();
    let output = child.wait_with_output().unwrap();
    Ran { code: output.status.code(), out: String::from_utf8(output.stdout).unwrap(), err }
}

pub(crate) fn add_user(folder: &Folder) {
    let mut add = command();
    add.args(["auth", "add-user", "users.json", "ann"]).current_dir(folder.path());
    let added = finish(add, &format!("{PASSWORD}\n")).ok();
    assert!(added.starts_with("ann can log in;") && added.contains("started again"), "{added}");
}

/// The whole way of a user: refused, logged in, allowed, asked for more, logged out. Other programs on the machine that know the port are
/// strangers like any others. T-068, SEC-027
#[test]
fn a_user_logs_in_and_out() {
    let folder = Folder::new();
    add_user(&folder);
    let users = folder.path().join("users.json");
    let demo = HttpDemo::start_with(&["--auth", users.to_str().unwrap()]);
    let url = format!("http://{}/mcp", demo.address);
    let shown = RefCell::new(String::new());
    let run = |words: &[&str]| {
        let ran = folder.jackfield(words, &[("JACKFIELD_LOG", "trace")]);
        shown.borrow_mut().push_str(&(ran.out.clone() + &ran.err));
        ran
    };

    // Nobody is logged in, and nobody is there to be asked.
    let sum = ["call", &url, "get-sum", "a=2", "b=3"];
    let refused = run(&sum);
    assert_eq!(refused.code, Some(7), "{refused:?}");
    assert!(refused.err.contains(&format!("try: jackfield login {url}")), "{}", refused.err);
    assert!(run(&["auth", "list"]).ok().is_empty());
    let explained = run(&["auth", "explain", &url]).ok();
    for part in [
        "the server answers 401: Bearer",
        "the server's metadata is at",
        "the authorization server is",
        "a login should work",
    ] {
        assert!(explained.contains(part), "{explained}");
    }

    let logged_in = log_in(&folder, &[&url, FILE], true).ok();
    assert!(logged_in.starts_with(&format!("logged in: {url} by http://{}", demo.address)), "{logged_in}");
    assert_eq!(run(&sum).ok(), "The sum of 2 and 3 is 5.\n");
    let listed = run(&["auth", "list", "--json"]).json();
    assert_eq!((&listed[0]["server"], &listed[0]["scopes"][0]), (&url.as_str().into(), &"everything:use".into()));
    assert!(run(&["auth", "explain", &url]).ok().contains("ok logged in"));
    a_damaged_file_hides_no_login(&folder, &url);

    // A tool that needs more than the login allows is not even listed.
    let environment = ["call", &url, "get-env"];
    let refused = run(&environment);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let more = log_in(&folder, &[&url, "--scope", "everything:environment", "--verbose", FILE], false);
    assert!(more.err.contains(".local/share/jackfield/credentials, which only you can read"), "{}", more.err);
    more.ok();
    assert!(run(&environment).ok().contains("PATH"));

    // What is kept is for the user alone, and nothing of it was shown.
    let kept = folder.path().join(".local/share/jackfield/credentials");
    let secrets = secrets(&kept);
    assert!(secrets.len() >= 2, "{secrets:?}");
    run(&sum).ok();
    run(&["inspect", &url, "--verbose"]).ok();
    let out = run(&["logout", &url]);
    assert!(out.err.contains("has revoked the token"), "{out:?}");
    assert!(out.ok().contains("logged out"));
    assert_eq!(run(&["logout", &url]).code, Some(1));
    assert_eq!(run(&sum).code, Some(7));
    for secret in secrets {
        assert!(!shown.borrow().contains(&secret), "{secret} was shown");
    }
    what_is_damaged_can_be_logged_out_of(&folder, &url);
}

/// What must not be shown of the logins that are kept here.
fn secrets(kept: &Path) -> Vec<String> {
    let files = std::fs::read_dir(kept).unwrap().map(|file| file.unwrap().path());
    let texts =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "json")).map(std::fs::read_to_string);
    let mut secrets = Vec::new();
    for text in texts {
        collect(&serde_json::from_str(&text.unwrap()).unwrap(), &mut secrets);
    }
    secrets
}

/// Collects the tokens and keys in a value, however deep they are.
fn collect(value: &Value, secrets: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if matches!(name.as_str(), "access" | "refresh" | "key" | "secret") => {
                        secrets.push(text.clone());
                    }
                    Value::String(text) => {
                        if let Ok(inner) = serde_json::from_str::<Value>(text) {
                            collect(&inner, secrets);
                        }
                    }
                    other => collect(other, secrets),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, secrets)),
        _ => {}
    }
}

/// Of a login that cannot be read nobody is told that there is none.
fn what_is_damaged_can_be_logged_out_of(folder: &Folder, url: &str) {
    log_in(folder, &[url, FILE], true).ok();
    for file in std::fs::read_dir(folder.path().join(".local/share/jackfield/credentials")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "json") {
            std::fs::write(path, "half of it").unwrap();
        }
    }
    let out = folder.jackfield(&["logout", url], &[]);
    assert!(out.err.contains("could not be revoked"), "{out:?}");
    assert!(out.ok().contains("logged out"));
    assert_eq!(folder.jackfield(&["logout", url], &[]).code, Some(1));
}

/// What cannot be read is named, the rest is listed, and whoever asked knows by the exit code that it is not all.
fn a_damaged_file_hides_no_login(folder: &Folder, url: &str) {
    let kept = folder.path().join(".local/share/jackfield/credentials");
    let login = std::fs::read_dir(&kept)
        .unwrap()
        .map(|file| file.unwrap().path())
        .find(|path| path.extension().unwrap() == "json");
    let damaged = kept.join("damaged.json");
    // The copy is as private as its original, so that its content is all that is wrong with it.
    std::fs::copy(login.unwrap(), &damaged).unwrap();
    std::fs::write(&damaged, "half of it").unwrap();
    let listed = folder.jackfield(&["auth", "list"], &[]);
    assert_eq!(listed.code, Some(1), "{listed:?}");
    assert!(listed.out.starts_with(&format!("{url} by ")), "{listed:?}");
    assert!(listed.err.contains("credentials/damaged.json does not hold credentials that can be read"), "{listed:?}");
    let listed = folder.jackfield(&["auth", "list", "--json"], &[]);
    assert!(listed.code == Some(1) && listed.out.contains(url), "{listed:?}");
    std::fs::remove_file(&damaged).unwrap();
    folder.jackfield(&["auth", "list"], &[]).ok();
}

/// T-085: who names a document about a client that is inside of the network gets nothing of it, and nobody inside is visited.
#[test]
fn documents_of_clients_are_not_fetched_from_inside() {
    let folder = Folder::new();
    add_user(&folder);
    let users = folder.path().join("users.json");
    let demo = HttpDemo::start_with(&["--auth", users.to_str().unwrap()]);
    let inside = TcpListener::bind("127.0.0.1:0").unwrap();
    inside.set_nonblocking(true).unwrap();
    let port = inside.local_addr().unwrap().port();
    for host in ["localhost", "127.0.0.1"] {
        let client = format!("https%3A%2F%2F{host}%3A{port}%2Fclient.json");
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        let path = format!(
            "/authorize?response_type=code&client_id={client}&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2F&state=x\
             &code_challenge={challenge}&code_challenge_method=S256"
        );
        let mut browser = Browser { address: demo.address.clone(), cookies: Vec::new() };
        let page = browser.send("GET", &path, "");
        assert!(
            page.head.starts_with("HTTP/1.1 400") && !page.body.contains("password"),
            "{} {}",
            page.head,
            page.body
        );
        assert_eq!(inside.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "{host}");
    }
}

/// A server that asks nobody is told apart from one that does; so is one that is not there.
#[test]
fn explain_tells_what_is_wrong() {
    let folder = Folder::new();
    let demo = HttpDemo::start();
    let url = format!("http://{}/mcp", demo.address);
    let open = folder.jackfield(&["auth", "explain", &url], &[]);
    assert_eq!(open.code, Some(1), "{open:?}");
    assert!(open.out.contains("takes a request without a token") && open.err.contains("does not ask for a login"));
    let unused = jackfield_testkit::ReservedPort::new().unwrap();
    let gone = folder.jackfield(&["auth", "explain", &format!("http://{}/mcp", unused.address())], &[]);
    assert!(gone.code == Some(7) && !gone.out.contains("without a token"), "{gone:?}");
    let wrong = folder.jackfield(&["auth", "explain", &format!("http://{}/nothing-here", demo.address)], &[]);
    assert!(wrong.out.contains("the server answers 404 to a request without a token"), "{wrong:?}");
    let bad = folder.jackfield(&["login", "ftp://example.com"], &[]);
    assert_eq!(bad.code, Some(2), "{bad:?}");
    let nobody = folder.jackfield(&["serve", "everything", "--http", "127.0.0.1:0", "--auth", "nobody.json"], &[]);
    assert!(nobody.code == Some(1) && nobody.err.contains("jackfield auth add-user"), "{nobody:?}");
}

/// Who wants a keyring gets one or an error that says what to do; without a wish the file does, and it is told why. Linux has no
/// keyring but over the bus, and here there is no bus.
#[cfg(target_os = "linux")]
#[test]
fn a_login_is_kept_where_the_user_wants_it() {
    let folder = Folder::new();
    add_user(&folder);
    let users = folder.path().join("users.json");
    let demo = HttpDemo::start_with(&["--auth", users.to_str().unwrap()]);
    let url = format!("http://{}/mcp", demo.address);
    let strict = folder.jackfield(&["login", &url, "--headless", "--credentials", "keyring"], &[]);
    assert_eq!(strict.code, Some(1), "{strict:?}");
    assert!(!strict.err.contains("/authorize"), "nobody is sent to a page for nothing: {}", strict.err);
    assert!(strict.err.contains("the keyring cannot be used"), "{}", strict.err);
    assert!(strict.err.contains(&format!("jackfield login {url} --credentials file")), "{}", strict.err);
    let sum = ["call", &url, "get-sum", "a=2", "b=3"];
    assert_eq!(folder.jackfield(&sum, &[]).code, Some(7));
    let usual = log_in(&folder, &[&url, "--verbose"], true);
    let told = "which only you can read; the keyring cannot be used";
    assert!(usual.code == Some(0) && usual.err.contains(told), "{usual:?}");
    folder.jackfield(&sum, &[]).ok();
}
