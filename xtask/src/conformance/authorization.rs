//! The scenarios of authorization servers: the suite asks for a person with a browser, and we play that person.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use jackfield_wire::Head;

use super::suite::LIMIT;
use crate::child;

/// The client that the fixture knows, and its user.
const CLIENT: &str = "conformance";
const LOGIN: &str = "username=ann&password=correct+horse+battery";
/// How often the way back to the suite is tried: it prints the address before it listens.
const TRIES: u32 = 100;

/// Runs all scenarios of a leg against the server at `address`.
pub(super) fn run(mut suite: Command, leg: &[&str], address: SocketAddr, folder: &Path) -> Result<()> {
    let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port().to_string();
    let issuer = format!("http://{address}");
    suite.args(["authorization", "--url", &issuer, "--client-id", CLIENT, "--resource", &format!("{issuer}/mcp")]);
    suite.args(["-p", &port]).args(leg).arg("-o").arg(folder);
    // A visit that fails ends the suite, which would wait for minutes otherwise.
    child::follow(&mut suite, LIMIT, &folder.with_extension("log"), |line| match line.strip_prefix(&issuer) {
        Some(path) if path.starts_with("/authorize?") => Browser::new(address).visit(path),
        _ => Ok(()),
    })
}

/// A person with a browser: logs in, consents, goes where the server says.
struct Browser {
    address: SocketAddr,
    cookies: Vec<String>,
}

struct Page {
    head: Head,
    body: String,
}

impl Browser {
    fn new(address: SocketAddr) -> Self {
        Self { address, cookies: Vec::new() }
    }

    fn visit(&mut self, path: &str) -> Result<()> {
        let login = self.send("GET", path, "")?;
        let consent = self.send("POST", "/login", &format!("{}&{LOGIN}", login.hidden()?))?;
        let back = self.send("POST", "/consent", &format!("{}&decision=allow", consent.hidden()?))?;
        let location = back.head.field("location").context("the server does not send the user back")?;
        let (host, path) =
            location.strip_prefix("http://").and_then(|rest| rest.split_once('/')).context("odd address")?;
        let mut callback = Self::new(host.parse()?);
        for _ in 0..TRIES {
            if callback.send("GET", &format!("/{path}"), "").is_ok() {
                return Ok(());
            }
            child::pause();
        }
        bail!("the suite does not listen for the user");
    }

    fn send(&mut self, method: &str, path: &str, form: &str) -> Result<Page> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let cookies = self.cookies.join("; ");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncookie: {cookies}\r\n\
            content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
            self.address,
            form.len()
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let head = Head::read(&answer)?.context("the answer has no head")?;
        let set = head.fields_named("set-cookie").filter_map(|cookie| cookie.split(';').next());
        self.cookies.extend(set.map(str::to_owned));
        let body = String::from_utf8_lossy(&answer[head.length..]).into_owned();
        Ok(Page { head, body })
    }
}

impl Page {
    /// The fields of the form that a person does not see.
    fn hidden(&self) -> Result<String> {
        let field = |name: &str| {
            let rest = self.body.split_once(&format!("name=\"{name}\" value=\""))?.1;
            Some(format!("{name}={}", rest.split_once('"')?.0))
        };
        let fields = field("request").zip(field("csrf")).context("the page has no form")?;
        Ok(format!("{}&{}", fields.0, fields.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read() {
        let body = r#"<input type="hidden" name="request" value="r1"><input type="hidden" name="csrf" value="c1">"#;
        let page = Page { head: Head::default(), body: body.into() };
        assert_eq!(page.hidden().unwrap(), "request=r1&csrf=c1");
        assert!(Page { body: String::new(), ..page }.hidden().is_err());
    }
}
