//! Opening pages for the user.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

use jackfield_http::client::Boxed;
use tokio::sync::oneshot;
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

/// The user's own browser: the program that the variable `BROWSER` names, or the platform's for that. No shell is in between.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemBrowser;

impl Opener for SystemBrowser {
    fn open(&self, page: &Url) -> io::Result<()> {
        let named = std::env::var_os("BROWSER").filter(|program| !program.is_empty());
        let mut command = command(named, page);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        // Some of these programs live as long as the browser; a thread of its own waits for them, so that none is left behind.
        std::thread::spawn(move || child.wait());
        Ok(())
    }
}

/// The program that opens a page; the address is one argument, and cannot be taken for an option.
fn command(named: Option<OsString>, page: &Url) -> Command {
    let mut command = if let Some(program) = named {
        Command::new(program)
    } else if cfg!(target_os = "windows") {
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
            "After the login the browser may say that it cannot connect. Then copy the whole address from its"
        )?;
        write!(screen, "address bar and paste it here: ")?;
        screen.flush()
    }
}

impl Paste for Terminal {
    fn paste(&self) -> Boxed<'_, io::Result<String>> {
        Box::pin(typed(|line| io::stdin().read_line(line)))
    }
}

/// Waits for a line that somebody types. Where the input has ended nobody types any more, so that the answer can only come another way.
async fn typed(read: impl FnOnce(&mut String) -> io::Result<usize> + Send + 'static) -> io::Result<String> {
    let (told, line) = oneshot::channel();
    // Not a thread of the runtime, which would wait for the line even when the program is over.
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = read(&mut line).map(|length| (length > 0).then_some(line));
        // Nobody waits if the answer came another way.
        let _ = told.send(read);
    });
    match line.await {
        Ok(Ok(Some(line))) => Ok(line),
        Ok(Err(error)) => Err(error),
        Ok(Ok(None)) | Err(_) => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where nobody can type, the end of the input is no answer: the browser's may still come.
    #[tokio::test]
    async fn the_end_of_the_input_is_no_answer() {
        let line = typed(|line| {
            line.push_str("http://127.0.0.1/?code=1\n");
            Ok(line.len())
        });
        assert_eq!(line.await.unwrap(), "http://127.0.0.1/?code=1\n");
        assert!(typed(|_| Err(io::ErrorKind::InvalidData.into())).await.is_err());

        let (read, was_read) = oneshot::channel();
        let mut ended = std::pin::pin!(typed(move |_| {
            let _ = read.send(());
            Ok(0)
        }));
        tokio::select! {
            biased;
            answer = &mut ended => panic!("{answer:?}"),
            _ = was_read => {}
        }
        // However often it is looked at.
        for _ in 0..100 {
            tokio::task::yield_now().await;
            let looked = std::future::poll_fn(|cx| std::task::Poll::Ready(ended.as_mut().poll(cx).is_pending()));
            assert!(looked.await);
        }
    }

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
            for named in [None, Some("/opt/my browser")] {
                let command = command(named.map(OsString::from), &Url::parse(text).unwrap());
                let arguments: Vec<_> = command.get_args().map(|one| one.to_str().unwrap().to_owned()).collect();
                let last = arguments.last().unwrap();
                assert!(last.starts_with("https://a.example/") && !last.contains(' ') && !last.contains('"'), "{last}");
                let program = command.get_program().to_str().unwrap().to_owned();
                assert!(!["sh", "bash", "cmd", "cmd.exe", "powershell"].contains(&program.as_str()), "{program}");
                assert!(named.is_none_or(|named| named == program && arguments.len() == 1), "{program}");
            }
        }
    }
}
