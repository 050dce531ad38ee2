//! Finding out what the server speaks.
//!
//! A server of the modern era answers `server/discover`, or says with one of its own errors that it knows the era. Any other
//! answer means an older one, which is opened by `initialize`. Older servers may also say nothing at all, or take a while to
//! start: therefore `initialize` is sent after a short while beside the probe that is still open, and the first good
//! answer wins. A server of both eras takes `initialize` as the choice of the older one, for as long as the connection lasts: if it
//! has answered both, the older one holds.

use std::pin::{Pin, pin};
use std::sync::Arc;

use jackfield_protocol::envelope::ResultText;
use jackfield_protocol::error::code;
use jackfield_protocol::meta::key;
use jackfield_protocol::{
    ClientRequest, DiscoverParams, DiscoverResult, EmptyParams, ErrorObject, InitializeParams, InitializeResult,
    Method, Notification, Outcome, Revision, ServerCapabilities, adapt, write_notification,
};

use crate::connection::Core;
use crate::connection::{ServerInfo, Session};
use crate::error::Cause;
use crate::questions::Connection;
use crate::request::Outbound;
use crate::request::RequestOptions;
use crate::{BadAnswer, Error, Link, Outgoing, OutgoingKind};

/// What is known about a server from an earlier connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Era {
    #[default]
    Unknown,
    Modern,
    Legacy,
}

impl Era {
    pub(crate) fn of(revision: Option<Revision>) -> Self {
        match revision {
            None => Self::Unknown,
            Some(revision) if revision.has_handshake() => Self::Legacy,
            Some(_) => Self::Modern,
        }
    }
}

/// Opens a session on a fresh connection. `patient`: the probe is always answered, so nothing is begun beside it.
pub(crate) async fn open(
    core: &Core,
    connection: &Connection,
    link: Arc<dyn Link>,
    era: Era,
    patient: bool,
) -> Result<Session, Error> {
    let (modern, legacy) = (core.options.modern(), core.options.legacy());
    match (modern.last(), legacy.last()) {
        (Some(&newest), _) if legacy.is_empty() || era == Era::Modern => {
            let answer = probe(core, &link, newest, &modern).await;
            discovered(core, link, judge(answer, &modern)?, &modern)
        }
        (None, Some(&newest)) => initialize(core, connection, link, newest).await,
        (Some(_), Some(&newest)) if era == Era::Legacy => initialize(core, connection, link, newest).await,
        (Some(&newest), Some(&newest_legacy)) => {
            detect(core, connection, link, newest, newest_legacy, &modern, patient).await
        }
        _ => Err(Cause::NoCommonRevision { offered: Vec::new(), allowed: Vec::new() }.into()),
    }
}

/// What the answer to the probe says about the server.
enum Verdict {
    Modern(Box<DiscoverResult>),
    /// It is of the modern era, but refuses.
    Refused(Error),
    /// It is older; this is what it said.
    Legacy(Error),
}

fn judge(answer: Result<ResultText, Error>, allowed: &[Revision]) -> Result<DiscoverResult, Error> {
    match verdict(answer) {
        Verdict::Modern(result) => Ok(*result),
        Verdict::Refused(error) => Err(refused(error, allowed)),
        Verdict::Legacy(error) => Err(error),
    }
}

fn verdict(answer: Result<ResultText, Error>) -> Verdict {
    match answer {
        Ok(text) => match Outcome::<DiscoverResult>::read(&text, Revision::LATEST) {
            Ok(Outcome::Complete(result)) => Verdict::Modern(Box::new(result)),
            Ok(_) => Verdict::Legacy(Error::bad_answer(Method::Discover.name(), BadAnswer::Kind)),
            Err(cause) => Verdict::Legacy(Error::bad_answer(Method::Discover.name(), BadAnswer::Content(cause))),
        },
        Err(error) => match error.server_error() {
            Some(object) if is_modern(object) => Verdict::Refused(error),
            None if error.status().is_some_and(|status| !may_be_of_older_server(status)) => Verdict::Refused(error),
            _ => Verdict::Legacy(error),
        },
    }
}

/// Whether only a server of the modern era answers like this.
fn is_modern(error: &ErrorObject) -> bool {
    matches!(
        error.code,
        code::UNSUPPORTED_PROTOCOL_VERSION | code::MISSING_REQUIRED_CLIENT_CAPABILITY | code::HEADER_MISMATCH
    )
}

/// Whether an older server may answer the probe with this HTTP status. One that is overloaded, broken or wants to know who is
/// options says nothing about its age.
pub(crate) fn may_be_of_older_server(status: u16) -> bool {
    (400..500).contains(&status) && !matches!(status, 401 | 403 | 407 | 408 | 429)
}

/// Probes, and begins the older handshake when there is no answer soon.
async fn detect(
    core: &Core,
    connection: &Connection,
    link: Arc<dyn Link>,
    newest: Revision,
    newest_legacy: Revision,
    modern: &[Revision],
    patient: bool,
) -> Result<Session, Error> {
    let timeouts = &core.options.timeouts;
    let probed = link.clone();
    let mut probe = pin!(probe(core, &probed, newest, modern));
    let early = if patient { Ok(probe.as_mut().await) } else { tokio::time::timeout(timeouts.probe, &mut probe).await };
    match early.map(verdict) {
        Ok(Verdict::Modern(result)) => discovered(core, link, *result, modern),
        Ok(Verdict::Refused(error)) => Err(refused(error, modern)),
        Ok(Verdict::Legacy(error)) if error.is_closed() || error.is_timeout() => Err(error),
        Ok(Verdict::Legacy(_)) => initialize(core, connection, link, newest_legacy).await,
        Err(_silence) => both(core, connection, link, probe, newest_legacy, modern).await,
    }
}

/// Waits for the first good answer to the probe or to `initialize`.
async fn both(
    core: &Core,
    connection: &Connection,
    link: Arc<dyn Link>,
    mut probe: Pin<&mut impl Future<Output = Result<ResultText, Error>>>,
    newest_legacy: Revision,
    modern: &[Revision],
) -> Result<Session, Error> {
    tracing::debug!("the server is silent; the older handshake begins beside the probe");
    let mut older = pin!(initialize(core, connection, link.clone(), newest_legacy));
    let verdict = tokio::select! {
        biased;
        answer = &mut probe => verdict(answer),
        session = &mut older => match session {
            Ok(session) => return Ok(session),
            // It refuses the handshake, so it may be modern and slow.
            Err(refusal) if refusal.server_error().is_some() => {
                return match verdict(probe.await) {
                    Verdict::Modern(result) => discovered(core, link, *result, modern),
                    Verdict::Refused(error) => Err(refused(error, modern)),
                    Verdict::Legacy(_) => Err(refusal),
                };
            }
            Err(error) => return Err(error),
        },
    };
    match verdict {
        Verdict::Modern(result) => match tokio::time::timeout(core.options.timeouts.probe, older).await {
            Ok(Ok(session)) => Ok(session),
            Ok(Err(_)) | Err(_) => discovered(core, link, *result, modern),
        },
        Verdict::Refused(error) => Err(refused(error, modern)),
        Verdict::Legacy(_) => older.await,
    }
}

/// A session for requests before anything is agreed on.
fn draft(core: &Core, link: &Arc<dyn Link>, revision: Revision) -> Session {
    let nothing = ServerInfo { info: None, capabilities: ServerCapabilities::default(), instructions: None };
    Session::new(link.clone(), revision, &core.options, None, nothing)
}

/// Asks the server what it is. When it does not speak the revision of the question but names one that is allowed, it is asked
/// once more in that.
async fn probe(core: &Core, link: &Arc<dyn Link>, newest: Revision, allowed: &[Revision]) -> Result<ResultText, Error> {
    let refusal = match probe_in(core, link, newest).await {
        Err(error) if error.server_error().is_some_and(|e| e.code == code::UNSUPPORTED_PROTOCOL_VERSION) => error,
        answer => return answer,
    };
    let offered = offered_versions(&refusal);
    match allowed.iter().rev().find(|revision| offered.iter().any(|version| version == revision.as_str())) {
        Some(&revision) => probe_in(core, link, revision).await,
        None => Err(refusal),
    }
}

async fn probe_in(core: &Core, link: &Arc<dyn Link>, revision: Revision) -> Result<ResultText, Error> {
    let session = draft(core, link, revision);
    let timeouts = &core.options.timeouts;
    let mut options = RequestOptions { cancels: false, ..RequestOptions::within(timeouts.connect, timeouts.maximum) };
    let request = ClientRequest::Discover(DiscoverParams::default());
    core.request_text(&session, Outbound::Any(request), &mut options).await
}

fn discovered(
    core: &Core,
    link: Arc<dyn Link>,
    result: DiscoverResult,
    allowed: &[Revision],
) -> Result<Session, Error> {
    let common = allowed.iter().rev().find(|revision| result.supported_versions.iter().any(|v| v == revision.as_str()));
    let Some(&revision) = common else {
        return Err(Cause::NoCommonRevision { offered: result.supported_versions, allowed: allowed.to_vec() }.into());
    };
    let info = result.meta.as_ref().and_then(|meta| meta.read(key::SERVER_INFO));
    let about = ServerInfo { info, capabilities: result.capabilities, instructions: result.instructions };
    link.agreed(revision);
    Ok(Session::new(link, revision, &core.options, core.log_level(), about))
}

/// A modern server that refuses names the versions it has; ours is none of them.
fn refused(error: Error, allowed: &[Revision]) -> Error {
    match error.server_error() {
        Some(object) if object.code == code::UNSUPPORTED_PROTOCOL_VERSION => {
            Cause::NoCommonRevision { offered: offered_versions(&error), allowed: allowed.to_vec() }.into()
        }
        _ => error,
    }
}

/// Returns the versions that a refusal names.
fn offered_versions(refusal: &Error) -> Vec<String> {
    let data = refusal.server_error().and_then(|object| object.data.as_ref());
    let supported = data.and_then(|data| data.get("supported")?.as_array());
    let texts = supported.into_iter().flatten().filter_map(|version| version.as_str().map(str::to_owned));
    texts.take(32).collect()
}

/// The handshake of the legacy era.
async fn initialize(
    core: &Core,
    connection: &Connection,
    link: Arc<dyn Link>,
    newest: Revision,
) -> Result<Session, Error> {
    connection.begins_handshake();
    let session = draft(core, &link, newest);
    let mut capabilities = core.options.capabilities();
    adapt(&mut capabilities, newest);
    let info = core.options.info.clone().unwrap_or_else(crate::config::default_info);
    let params = InitializeParams::new(newest.as_str(), capabilities, info);
    let timeouts = &core.options.timeouts;
    let mut options = RequestOptions { cancels: false, ..RequestOptions::within(timeouts.connect, timeouts.maximum) };
    let request = ClientRequest::Initialize(Box::new(params));
    let result: InitializeResult = core.request(&session, request, &mut options).await?;

    let allowed = core.options.legacy();
    let agreed = allowed.iter().find(|revision| revision.as_str() == result.protocol_version);
    let Some(&revision) = agreed else {
        return Err(Cause::NoCommonRevision { offered: vec![result.protocol_version], allowed }.into());
    };
    link.agreed(revision);
    let mut text = Vec::new();
    write_notification(&mut text, Notification::Initialized(EmptyParams::default()), revision)?;
    let method = Method::Initialized.name();
    crate::request::send(&session, Outgoing { text: &text, kind: OutgoingKind::Notification(method) }, method)?;
    let about = ServerInfo {
        info: Some(result.server_info),
        capabilities: result.capabilities,
        instructions: result.instructions,
    };
    Ok(Session::new(link, revision, &core.options, None, about))
}
