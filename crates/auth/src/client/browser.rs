//! Opening pages for the user.

use std::fmt;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

use jackfield_http::client::Boxed;
use url::Url;

use super::Paste;

/// Opens a page for the user.
pub trait Opener: Send + Sync + fmt::Debug + 'static {
    /// Opens a page. Its address was checked: it begins with `https`, or with `http` for a page on this machine.
    ///
    /// # Errors
    /// No browser could be started.
    fn open(&self, page: &Url) -> io::Result<()>;
}

/// The user's own browser. It is started by the platform's program for that, without a shell in between.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemBrowser;

impl Opener for SystemBrowser {
    fn open(&self, page: &Url) -> io::Result<()> {
        let mut command = command(page);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        // Some of these programs live as long as the browser; a thread of its own waits for them, so that none is left behind.
        std::thread::spawn(move || child.wait());
        Ok(())
    }
}

/// The program that opens a page; the address is one argument, and can not be taken for an option.
fn command(page: &Url) -> Command {
    let mut command = if cfg!(target_os = "windows") {
        let mut command = Command::new("rundll32.exe");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else if cfg!(target_os = "macos") {
        Command::new("/usr/bin/open")
    } else {
        Command::new("xdg-open")
    };
    command.arg(page.as_str());
    command
}

/// A terminal without a browser: the address is shown on standard error, and the answer is pasted on standard input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal;

impl Opener for Terminal {
    fn open(&self, page: &Url) -> io::Result<()> {
        let mut screen = io::stderr().lock();
        writeln!(screen, "Open this address in a browser, on any machine:\n\n  {page}\n")?;
        writeln!(
            screen,
            "After the login the browser may say that it can not connect. Then copy the whole address from its"
        )?;
        write!(screen, "address bar and paste it here: ")?;
        screen.flush()
    }
}

impl Paste for Terminal {
    fn paste(&self) -> Boxed<'_, io::Result<String>> {
        Box::pin(async {
            let read = tokio::task::spawn_blocking(|| {
                let mut line = String::new();
                io::stdin().read_line(&mut line).map(|_| line)
            });
            read.await.map_err(io::Error::other)?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-060: whatever the address contains, it is one argument that is no option, and no shell reads it. SEC-031, SEC-032
    #[test]
    fn an_address_is_one_argument() {
        for text in [
            "https://a.example/$(touch x)",
            "https://a.example/`id`",
            "https://a.example/\"&calc&\"",
            "https://a.example/%26calc",
            "https://a.example/--flag",
            "https://a.example/a b;c|d",
            "https://a.example/?x='1'&y=%COMSPEC%",
        ] {
            let command = command(&Url::parse(text).unwrap());
            let arguments: Vec<_> = command.get_args().map(|one| one.to_str().unwrap().to_owned()).collect();
            let last = arguments.last().unwrap();
            assert!(last.starts_with("https://a.example/") && !last.contains(' ') && !last.contains('"'), "{last}");
            let program = command.get_program().to_str().unwrap().to_owned();
            assert!(!["sh", "bash", "cmd", "cmd.exe", "powershell"].contains(&program.as_str()), "{program}");
        }
    }
}
