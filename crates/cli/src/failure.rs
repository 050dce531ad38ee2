//! Why a command has no result: what happened, why, and what to try.

use std::error::Error as _;
use std::fmt::Write as _;
use std::io;
use std::process::ExitCode;

use jackfield_client::{Error, ErrorKind};

use crate::show::{escaped, one_line};

/// The classes of failure, each with its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Whoever reads our output has enough of it, which is no failure.
    ClosedPipe = 0,
    /// The tool says that it failed, or something on this machine did.
    Failed = 1,
    /// The command line, a file it names, or an argument of a tool is not right.
    Usage = 2,
    /// The server cannot be reached or started.
    Unreachable = 3,
    /// The server answered with an error, or broke the protocol.
    Server = 4,
    /// The server did not answer in time.
    TimedOut = 5,
    /// A question of the server was refused, so there is no result.
    Refused = 6,
    /// The server wants to know who is asking, and nobody is logged in.
    Login = 7,
    /// The person pressed Ctrl-C.
    Interrupted = 130,
    /// The process was asked to end.
    Terminated = 143,
}

/// What is said about exit codes in the help.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the tool reported a failure, or a file could not be written
  2    the command line, an mcp.json, or an argument of a tool is not right
  3    the server cannot be reached or started
  4    the server answered with an error, or broke the protocol
  5    the server did not answer in time
  6    a question of the server was refused, so there is no result
  7    the server asks for a login, or a login did not work
  130  interrupted by Ctrl-C
  143  ended by SIGTERM";

/// Why a command has no result.
#[derive(Debug)]
pub(crate) struct Failure {
    class: Class,
    what: String,
    whys: Vec<String>,
    tries: Vec<String>,
}

impl Failure {
    /// States what happened: in lower case, without a full stop.
    pub(crate) fn new(class: Class, what: impl Into<String>) -> Self {
        Self { class, what: what.into(), whys: Vec::new(), tries: Vec::new() }
    }

    /// A mistake on the command line or in a file it names.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::new(Class::Usage, what)
    }

    /// Adds why it happened.
    pub(crate) fn why(mut self, why: impl Into<String>) -> Self {
        self.whys.push(why.into());
        self
    }

    /// Adds what to try.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.tries.push(hint.into());
        self
    }

    /// Adds what to try, if there is something.
    pub(crate) fn hint_if(self, hint: Option<impl Into<String>>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Changes the class.
    pub(crate) fn of_class(mut self, class: Class) -> Self {
        self.class = class;
        self
    }

    /// Says it in other words; what was said before becomes a reason.
    pub(crate) fn titled(mut self, what: impl Into<String>) -> Self {
        self.whys.insert(0, std::mem::replace(&mut self.what, what.into()));
        self
    }

    /// Says of whom it is said.
    pub(crate) fn with_label(mut self, label: &str) -> Self {
        self.what = format!("{label}: {}", self.what);
        self
    }

    /// Whether it is of a class.
    pub(crate) fn is_of(&self, class: Class) -> bool {
        self.class == class
    }

    /// Returns the exit code.
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(self.class as u8)
    }

    /// Returns what is printed on standard error; parts of it may be a server's words.
    pub(crate) fn message(&self) -> String {
        if self.class == Class::ClosedPipe || self.what.is_empty() {
            return String::new();
        }
        let mut out = format!("error: {}\n", escaped(&self.what));
        for (label, lines) in [("why", &self.whys), ("try", &self.tries)] {
            for line in lines {
                let _ = writeln!(out, "  {label}: {}", escaped(line).replace('\n', "\n       "));
            }
        }
        out
    }

    /// Says what a request to a server came to.
    pub(crate) fn of(error: &Error) -> Self {
        if let Some(cause) = crate::login::cause(error) {
            return crate::login::plain_failure(cause);
        }
        let failure = Self::new(class(error), what(error));
        let failure = match error.source().filter(|_| error.server_error().is_none()) {
            Some(cause) => failure.why(chain(cause)),
            None => failure,
        };
        failure.hint_if(hint(error))
    }
}

fn class(error: &Error) -> Class {
    match error.kind() {
        _ if error.is_refused_question() || error.is_undeclared_question() => Class::Refused,
        ErrorKind::Timeout => Class::TimedOut,
        ErrorKind::Connect => Class::Unreachable,
        ErrorKind::Input => Class::Usage,
        _ => Class::Server,
    }
}

fn what(error: &Error) -> String {
    match error.server_error().zip(error.method()) {
        Some((said, method)) => {
            format!("the server refused {method}: {} (code {})", one_line(&shortened(&said.message)), said.code)
        }
        None => one_line(&shortened(&error.to_string())).into_owned(),
    }
}

/// What to try, where there is something better than reading the message again.
fn hint(error: &Error) -> Option<&'static str> {
    match error.kind() {
        ErrorKind::Timeout => Some("give it more time with --timeout, or look at what is said with --verbose"),
        ErrorKind::Connect if error.is_no_common_revision() => {
            Some("leave --revision out, so that the two sides can agree on one")
        }
        _ if error.is_not_offered() => Some("see what the server offers with `jackfield inspect`"),
        _ if error.is_refused_question() => {
            Some("answer the server's questions on a terminal, or with --answer and --reply")
        }
        ErrorKind::Protocol if !error.is_undeclared_question() => Some("see the messages with --verbose"),
        ErrorKind::Closed => Some("see what the server says with --verbose"),
        _ => None,
    }
}

/// Returns an error and its causes as one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut out = one_line(&shortened(&error.to_string())).into_owned();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = one_line(&shortened(&error.to_string())).into_owned();
        if !out.ends_with(&text) {
            out = format!("{out}: {text}");
        }
        cause = error.source();
    }
    out
}

/// Nobody reads more than this of a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 2000;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST).chain(['…']).collect()
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::of(&error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let class = if error.kind() == io::ErrorKind::BrokenPipe { Class::ClosedPipe } else { Class::Failed };
        Self::new(class, "the output cannot be written").why(error.to_string())
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        let closed = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
        let closed = closed.into_iter().any(|error| error.kind() == io::ErrorKind::BrokenPipe);
        let class = if closed { Class::ClosedPipe } else { Class::Failed };
        Self::new(class, format!("{error:#}"))
    }
}

/// Returns the candidate that was probably meant.
pub(crate) fn likely<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_lowercase()), candidate))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
