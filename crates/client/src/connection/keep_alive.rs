//! Finds out whether a server is still there while nothing else is said.

use std::time::Duration;

use jackfield_protocol::{ClientRequest, EmptyParams, Method};
use serde::de::IgnoredAny;

use crate::connection::Core;
use crate::connection::Session;
use crate::error::Cause;
use crate::request::QUEUED_BYTES;
use crate::request::RequestOptions;
use crate::{EndReason, Error};

/// Pings the server from time to time; returns when it does not answer any more. Never returns where there are no pings.
pub(crate) async fn watch(core: &Core, session: &Session) -> EndReason {
    match core.options.timeouts.keep_alive {
        Some(interval) if Method::Ping.is_defined(session.revision) => until_silent(core, session, interval).await,
        _ => std::future::pending().await,
    }
}

async fn until_silent(core: &Core, session: &Session, interval: Duration) -> EndReason {
    // One ping may fail for a reason that passes; a second in a row does not.
    let mut has_missed = false;
    loop {
        tokio::time::sleep(interval).await;
        let mut options = RequestOptions::within(interval, interval);
        let ping = ClientRequest::Ping(EmptyParams::default());
        let failure = core.request::<IgnoredAny>(session, ping, &mut options).await.err().map(Error::into_cause);
        let missed = match failure {
            // An error of the server is a sign of life as well.
            None | Some(Cause::Server { .. } | Cause::BadAnswer { .. }) => {
                has_missed = false;
                continue;
            }
            Some(Cause::TimedOut { .. }) => return EndReason::new("the server did not answer a ping"),
            Some(Cause::Limit { what: QUEUED_BYTES, .. }) if session.link.has_one_stream() => {
                EndReason::new("the server does not read what is sent to it")
            }
            // The ping was not sent, because others wait; they have a limit of their own.
            Some(Cause::Limit { .. }) => continue,
            Some(Cause::Connect(cause)) => EndReason::new("the server cannot be reached").with_cause(cause),
            // A connection that is ending says why by itself, before the next ping.
            Some(_) => EndReason::new("the answers to pings are lost"),
        };
        if std::mem::replace(&mut has_missed, true) {
            return missed;
        }
    }
}
