//! Who is logged in.

use serde::{Deserialize, Serialize};

use crate::random;
use crate::server::authorization::cookies::Cookie;
use crate::server::builder::AuthorizationServer;
use crate::server::requests::request::ReceivedRequest;
use crate::server::requests::respond::OAuthError;

/// A user who is logged in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::server) struct Session {
    pub(in crate::server) user: String,
    pub(in crate::server) since: u64,
}

impl AuthorizationServer {
    /// Returns who is logged in.
    pub(in crate::server) async fn session(&self, request: &ReceivedRequest) -> Result<Option<Session>, OAuthError> {
        let Some(cookie) = request.cookie(self.cookie_name(Cookie::Session)) else { return Ok(None) };
        let session: Option<Session> = self.store().load(&key(&cookie)).await?;
        // A user who was removed is logged in no longer.
        Ok(session.filter(|session| self.0.users.as_ref().is_some_and(|users| users.contains(&session.user))))
    }

    /// Opens a session under a new name, and ends the one that the browser had before. Returns the cookie.
    pub(in crate::server) async fn open_session(
        &self,
        request: &ReceivedRequest,
        session: &Session,
    ) -> Result<String, OAuthError> {
        let cookie = random::token()?;
        let until = self.now().saturating_add(self.0.life.session);
        self.store().save(&key(&cookie), session, until).await?;
        if let Some(before) = request.cookie(self.cookie_name(Cookie::Session)) {
            self.store().take(&key(&before)).await?;
        }
        Ok(cookie)
    }
}

fn key(cookie: &str) -> String {
    format!("session:{}", random::digest(cookie))
}
