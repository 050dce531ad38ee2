//! Finds out whether a server is still there while nothing else is said.

use std::time::Duration;

use jackfield_protocol::{ClientRequest, EmptyParams, Method};
use serde::de::IgnoredAny;

use crate::asking::Asking;
use crate::core::Core;
use crate::sending::QUEUED_BYTES;
use crate::session::Session;
use crate::{Ended, Error};

/// Pings the server from time to time; returns when it does not answer any more. Never returns where there are no pings.
pub(crate) async fn watch(core: &Core, session: &Session) -> Ended {
    match core.options.timeouts.keep_alive {
        Some(interval) if Method::Ping.is_defined(session.revision) => until_silent(core, session, interval).await,
        _ => std::future::pending().await,
    }
}

async fn until_silent(core: &Core, session: &Session, interval: Duration) -> Ended {
    // One ping may fail for a reason that passes; a second in a row does not.
    let mut has_missed = false;
    loop {
        tokio::time::sleep(interval).await;
        let mut asking = Asking::within(interval, interval);
        let ping = ClientRequest::Ping(EmptyParams::default());
        let missed = match core.ask_plainly::<IgnoredAny>(session, ping, &mut asking).await {
            // An error is a sign of life as well.
            Ok(_) | Err(Error::Server { .. } | Error::BadAnswer { .. }) => {
                has_missed = false;
                continue;
            }
            Err(Error::TimedOut { .. }) => return Ended::new("the server did not answer a ping"),
            Err(Error::Limit { what: QUEUED_BYTES, .. }) if session.link.has_one_stream() => {
                Ended::new("the server does not read what is sent to it")
            }
            // The ping was not sent, because others wait; they have a limit of their own.
            Err(Error::Limit { .. }) => continue,
            Err(Error::Connect(cause)) => Ended::new("the server cannot be reached").with_cause(cause),
            // A connection that is ending says why by itself, before the next ping.
            Err(_) => Ended::new("the answers to pings are lost"),
        };
        if std::mem::replace(&mut has_missed, true) {
            return missed;
        }
    }
}
