//! One server behind the gateway, as those see it who have something to ask.

use std::sync::Arc;

use jackfield_client::Client;
use jackfield_server::Prefix;
use tokio::sync::watch;

use crate::desk::Desk;
use crate::talk::Talks;
use crate::watches::Watches;

/// One server behind the gateway.
pub(crate) struct Line {
    /// What it is called where the gateway was built.
    pub(crate) name: String,
    pub(crate) prefix: Prefix,
    /// Finds whom a question of the server is for.
    pub(crate) desk: Arc<Desk>,
    pub(crate) talks: Arc<Talks>,
    pub(crate) watches: Arc<Watches>,
    standing: watch::Sender<Standing>,
}

/// Whether the server can be asked.
#[derive(Clone, Debug)]
pub(crate) enum Standing {
    /// Not yet known.
    Starting,
    /// It can.
    Up(Client),
    /// It cannot; says why.
    Down(String),
}

impl Line {
    pub(crate) fn new(name: String, prefix: Prefix, talks: Arc<Talks>, watches: Arc<Watches>) -> Self {
        Self { name, prefix, desk: Arc::default(), talks, watches, standing: watch::Sender::new(Standing::Starting) }
    }

    /// Returns the client of the server; if there is none, in clear words why.
    pub(crate) fn client(&self) -> Result<Client, String> {
        match &*self.standing.borrow() {
            Standing::Up(client) => Ok(client.clone()),
            Standing::Starting => {
                Err(format!("the server {} is still being started; try again in a moment", self.name))
            }
            Standing::Down(why) => {
                Err(format!("the server {} is not available: {why}. It is tried again by itself", self.name))
            }
        }
    }

    pub(crate) fn set(&self, standing: Standing) {
        self.standing.send_replace(standing);
    }

    /// Waits until it is known whether the server can be asked.
    pub(crate) async fn settled(&self) {
        let mut standing = self.standing.subscribe();
        // The sender is our own, so it is there.
        let _ = standing.wait_for(|standing| !matches!(standing, Standing::Starting)).await;
    }
}
