//! One use of a server: connect, do something, close.

use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use jackfield::protocol::{Implementation, LoggingMessageParams, Root};
use jackfield_client::{Builder, Client, Command, Direction, Error, ErrorKind, Http, Restarts, Timeouts};
use jackfield_host::{CommandTarget, Reach, UrlTarget};

use crate::failure::{Class, Failure};
use crate::interrupt::interrupted;
use crate::login::{self, AskFirst};
use crate::progress::Progress;
use crate::questions::Questions;
use crate::show::one_line;
use crate::stderr::ServerStderr;
use crate::tape::Recording;
use crate::target::{ServerOptions, Target};

/// A server that is connected.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) target: Target,
    pub(crate) progress: Arc<Progress>,
    /// How long it took to connect.
    pub(crate) connected_in: std::time::Duration,
}

/// What to do when the server goes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persistence {
    /// Give up.
    Once,
    /// Start it or connect again.
    Always,
}

/// Connects to a server, does something with it, and closes the connection in any case.
pub(crate) async fn with_server(
    options: &ServerOptions,
    target: Target,
    persistence: Persistence,
    work: impl AsyncFnOnce(&Session) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    let recording = Recording::begin(options.tape.as_deref())?;
    let outcome = used(options, target, persistence, recording.as_ref(), work).await;
    Recording::end(recording, outcome)
}

async fn used(
    options: &ServerOptions,
    target: Target,
    persistence: Persistence,
    recording: Option<&Recording>,
    work: impl AsyncFnOnce(&Session) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    let mut stop = pin!(interrupted());
    let stderr = Arc::new(ServerStderr::new(options.verbose));
    let progress = Arc::new(Progress::new());
    let begun = Instant::now();
    let client = tokio::select! {
        client = connect(options, &target, persistence, recording, &stderr, &progress) => client?,
        class = &mut stop => return Err(Failure::new(class, "")),
    };
    let session = Session { client, target, progress, connected_in: begun.elapsed() };
    let outcome = tokio::select! {
        outcome = work(&session) => outcome,
        class = &mut stop => Err(Failure::new(class, "")),
    };
    session.progress.clear();
    let closed = session.client.is_closed();
    // Whoever is impatient does not wait for the server to end.
    tokio::select! {
        () = session.client.close() => {}
        _ = interrupted() => {}
    }
    // A server that went away often said why.
    let outcome = outcome.map_err(|failure| name_login(failure, &session.target));
    outcome.map_err(|failure| match stderr.last().filter(|_| closed || failure.is_of(Class::Server)) {
        Some(last) => failure.why(format!("the server wrote:\n{last}")),
        None => failure,
    })
}

async fn connect(
    options: &ServerOptions,
    target: &Target,
    persistence: Persistence,
    recording: Option<&Recording>,
    stderr: &Arc<ServerStderr>,
    progress: &Arc<Progress>,
) -> Result<Client, Failure> {
    let questions = Questions::new(&target.label, &options.answer, options.reply.as_deref(), progress.clone())?;
    let builder = questions.answer(builder(options, persistence, recording)?);
    let connected = match &target.reach {
        Reach::Url(url) => {
            let mut server = url
                .headers
                .iter()
                .fold(Http::new(&url.url), |server, header| server.header(header.name(), header.value()));
            if let Some(path) = &options.ca_file {
                let pem = std::fs::read(path).map_err(|error| {
                    Failure::usage(format!("the certificates in {} cannot be read", path.display()))
                        .why(error.to_string())
                })?;
                server = server.trust(pem);
            }
            builder.connect(with_login(server, url, &questions)?).await
        }
        Reach::Command(command) => {
            announce(target, command, options.verbose);
            builder.spawn(prepared(command, stderr)).await
        }
    };
    let client = connected.map_err(|error| unreachable(&error, target, stderr))?;
    if let Some(level) = options.log {
        match client.set_log_level(level).await {
            Err(error) if error.is_not_offered() => eprintln!("note: this server has no log messages"),
            other => other?,
        }
    }
    Ok(client)
}

/// Says who is asking, if somebody is logged in there. Whoever says it by a header knows better.
fn with_login(server: Http, url: &UrlTarget, questions: &Arc<Questions>) -> Result<Http, Failure> {
    if url.headers.iter().any(|header| header.name().eq_ignore_ascii_case("authorization")) {
        return Ok(server);
    }
    // Without a place for logins there are none.
    let Ok(mut oauth) = login::oauth() else { return Ok(server) };
    if let Some(asking) = AskFirst::new(questions) {
        oauth = oauth.interaction(asking);
    }
    // A URL that is none is reported when it is connected to.
    Ok(match oauth.server(&url.url) {
        Ok(login) => server.authorizer(login),
        Err(_) => server,
    })
}

/// Names the command that logs in at this server.
fn name_login(failure: Failure, target: &Target) -> Failure {
    match &target.reach {
        Reach::Url(url) if failure.is_of(Class::Login) => failure.hint(format!("jackfield login {}", url.url)),
        _ => failure,
    }
}

fn builder(
    options: &ServerOptions,
    persistence: Persistence,
    recording: Option<&Recording>,
) -> Result<Builder, Failure> {
    let mut builder = Client::builder().info(Implementation::new("jackfield", env!("CARGO_PKG_VERSION"))).tasks();
    if let Some(revision) = options.revision {
        builder = builder.revision(revision);
    }
    if let Some(timeout) = options.timeout {
        let mut timeouts = Timeouts::default();
        (timeouts.connect, timeouts.request) = (timeout, timeout);
        timeouts.maximum = timeouts.maximum.max(timeout);
        builder = builder.timeouts(timeouts);
    }
    if persistence == Persistence::Once {
        let mut restarts = Restarts::default();
        restarts.limit = 0;
        builder = builder.restarts(restarts);
    }
    if !options.root.is_empty() {
        builder = builder.roots(options.root.iter().map(|path| root(path)).collect::<Result<Vec<_>, _>>()?);
    }
    if options.log.is_some() {
        builder = builder.on_log(show_log);
    }
    if let Some(recording) = recording {
        builder = builder.tape(recording.tape.clone());
    }
    if options.verbose {
        builder = builder.on_message(show_message);
    }
    Ok(builder)
}

fn prepared(target: &CommandTarget, stderr: &Arc<ServerStderr>) -> Command {
    let hears = stderr.clone();
    let mut command = Command::new(&target.program).args(&target.arguments).on_stderr(move |text| hears.hear(text));
    for (name, value) in &target.variables {
        command = command.env(name, value);
    }
    for name in &target.inherited {
        command = command.inherit(name);
    }
    if let Some(directory) = &target.directory {
        command = command.directory(directory);
    }
    command
}

/// A file of the project decides what is started, so the person gets to see it.
fn announce(target: &Target, command: &CommandTarget, verbose: bool) {
    use std::io::IsTerminal;
    if let Some(file) = &target.file
        && (verbose || std::io::stderr().is_terminal())
    {
        eprintln!("note: starting {} ({})", one_line(&command.line()), file.display());
    }
}

/// Returns why a program could not be started.
fn start_failure(error: &Error) -> Option<&std::io::Error> {
    std::error::Error::source(error).filter(|_| error.kind() == ErrorKind::Connect)?.downcast_ref()
}

/// Says why there is no connection.
fn unreachable(error: &Error, target: &Target, stderr: &ServerStderr) -> Failure {
    let failure = match (&target.reach, error) {
        (Reach::Command(command), error) if let Some(cause) = start_failure(error) => {
            let program = command.program.to_string_lossy();
            let failure =
                Failure::new(Class::Unreachable, format!("{program} cannot be started")).why(cause.to_string());
            match &command.directory {
                Some(directory) if !directory.is_dir() => {
                    failure.hint(format!("there is no directory {}", directory.display()))
                }
                _ if cause.kind() == std::io::ErrorKind::NotFound => {
                    failure.hint("check that the program is installed and found through PATH")
                }
                _ => failure,
            }
        }
        (Reach::Command(_), error) if error.is_closed() => Failure::of(error)
            .of_class(Class::Unreachable)
            .titled(format!("{} ended before it spoke the protocol", target.label))
            .hint("run the command by itself to see what it says"),
        (Reach::Url(url), error) if let Some(cause) = login::cause(error) => {
            login::failure(cause, &url.url).with_label(&target.label)
        }
        (_, error) => refused(error, &target.label),
    };
    match stderr.last() {
        Some(last) => failure.why(format!("the server wrote:\n{last}")),
        None => failure,
    }
}

/// Says why a server does not want us, or is none.
fn refused(error: &Error, label: &str) -> Failure {
    let failure = Failure::of(error).with_label(label);
    match error.status() {
        Some(401 | 403) => failure
            .of_class(Class::Unreachable)
            .hint("say who you are: --header 'Authorization: Bearer $TOKEN', with the token in the variable TOKEN"),
        Some(404 | 405) => failure
            .of_class(Class::Unreachable)
            .hint("check the path of the URL; servers are often found at /mcp, older ones at /sse"),
        Some(_) => failure.of_class(Class::Unreachable),
        None if error.server_error().is_some() => failure.of_class(Class::Unreachable),
        None if error.is_closed() => {
            failure.of_class(Class::Unreachable).hint("check the address, and that the server is running")
        }
        None => failure,
    }
}

/// Makes a root of a folder.
fn root(path: &Path) -> Result<Root, Failure> {
    let bad = |why: String| Failure::usage(format!("{} is not a directory", path.display())).why(why);
    let full = path.canonicalize().map_err(|error| bad(error.to_string()))?;
    if !full.is_dir() {
        return Err(bad("it is a file".to_owned()));
    }
    let mut uri = "file://".to_owned();
    let text = full.to_string_lossy().replace('\\', "/");
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                uri.push(char::from(byte))
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    let mut root = Root::new(uri);
    root.name = full.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(root)
}

fn show_log(message: LoggingMessageParams) {
    let logger = message.logger.as_deref().map(|logger| format!(" {}", one_line(logger))).unwrap_or_default();
    let text = message.data.read::<String>().unwrap_or_else(|_| message.data.get().to_owned());
    eprintln!("{}{logger}: {}", message.level, one_line(&text));
}

fn show_message(direction: Direction, text: &[u8]) {
    let arrow = if direction == Direction::ToServer { "→" } else { "←" };
    eprintln!("{arrow} {}", one_line(&String::from_utf8_lossy(text)));
}
