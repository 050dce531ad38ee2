//! One server behind the gateway, as those see it who have something to ask.

use std::sync::Arc;

use jackfield_client::Client;
use jackfield_server::Prefix;
use tokio::sync::watch;

use crate::caller_lookup::CallerLookup;
use crate::forwarded_call::ForwardedCalls;
use crate::resource_subscriptions::ResourceSubscriptions;

/// One server behind the gateway.
pub(crate) struct Upstream {
    /// What it is called where the gateway was built.
    pub(crate) name: String,
    pub(crate) prefix: Prefix,
    /// Finds whom a question of the server is for.
    pub(crate) callers: Arc<CallerLookup>,
    pub(crate) calls: Arc<ForwardedCalls>,
    pub(crate) subscriptions: Arc<ResourceSubscriptions>,
    state: watch::Sender<UpstreamState>,
}

/// Whether the server can be asked.
#[derive(Clone, Debug)]
pub(crate) enum UpstreamState {
    /// Not yet known.
    Starting,
    /// It can.
    Up(Client),
    /// It cannot; says why.
    Down(String),
}

impl Upstream {
    pub(crate) fn new(
        name: String,
        prefix: Prefix,
        calls: Arc<ForwardedCalls>,
        subscriptions: Arc<ResourceSubscriptions>,
    ) -> Self {
        Self {
            name,
            prefix,
            callers: Arc::default(),
            calls,
            subscriptions,
            state: watch::Sender::new(UpstreamState::Starting),
        }
    }

    /// Returns the client of the server; if there is none, in clear words why.
    pub(crate) fn client(&self) -> Result<Client, String> {
        match &*self.state.borrow() {
            UpstreamState::Up(client) => Ok(client.clone()),
            UpstreamState::Starting => {
                Err(format!("the server {} is still being started; try again in a moment", self.name))
            }
            UpstreamState::Down(why) => {
                Err(format!("the server {} is not available: {why}. It is tried again by itself", self.name))
            }
        }
    }

    pub(crate) fn set(&self, state: UpstreamState) {
        self.state.send_replace(state);
    }

    /// Waits until it is known whether the server can be asked.
    pub(crate) async fn until_known(&self) {
        let mut state = self.state.subscribe();
        // The sender is our own, so it is there.
        let _ = state.wait_for(|state| !matches!(state, UpstreamState::Starting)).await;
    }
}
