//! Users who log in with a password.

use http::StatusCode;

use crate::server::authorization::authorize::Pending;
use crate::server::authorization::cookies::Cookie;
use crate::server::authorization::pages;
use crate::server::authorization::session::Session;
use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::clients::NoClient;
use crate::server::requests::request::ReceivedRequest;
use crate::server::requests::respond::{Answer, OAuthError};
use crate::{Secret, random};

impl AuthorizationServer {
    pub(in crate::server) async fn login(&self, request: &ReceivedRequest) -> Answer {
        match self.logged_in(request).await {
            Ok(answer) => pages::leading(answer),
            Err(reason) => pages::bad_request(reason),
        }
    }

    async fn logged_in(&self, request: &ReceivedRequest) -> Result<Answer, &'static str> {
        let form = request.form().map_err(|error| error.description)?;
        let (id, pending) = self.pending_of(request, &form, |pending: &Pending| pending.csrf.clone()).await?;
        let client = self.client(&pending.client_id).await.map_err(|error| match error {
            NoClient::Document(reason) => reason,
            NoClient::Unknown | NoClient::Failed(_) => "The client is not known here any more.",
        })?;
        let users = self.0.users.as_ref().ok_or("Nobody can log in here.")?;
        let (name, password) = (form.get("username").unwrap_or_default(), form.get("password").unwrap_or_default());
        let (address, user) = (request.origin(), random::digest(name));
        let throttles = &self.0.throttles;
        // Counted before it is known whether the password is right, so that many at once are not checked for free. Who is refused by
        // the first count does not come to the second: names are invented easily.
        let is_open = throttles.login_by_address.attempt(&address).await.map_err(not_now)?
            && throttles.login_by_user.attempt(&user).await.map_err(not_now)?;
        if !is_open {
            tracing::warn!(address, "too many attempts to log in");
            let text = "There were too many attempts. Please try again in a few minutes.";
            return Ok(pages::problem("Too many attempts", text, StatusCode::TOO_MANY_REQUESTS));
        }
        if password.len() > 1024 || !users.check(name, Secret::new(password)).await {
            let text = "The name or the password is not right.";
            return Ok(pages::login(&self.endpoint("/login"), &id, &pending, &client, Some(text)));
        }
        throttles.login_by_user.forgive(&user).await.map_err(not_now)?;
        let session = Session { user: name.to_owned(), since: self.now() };
        let cookie = self.open_session(request, &session).await.map_err(not_now)?;
        let mut answer = match self.has_consent(&session, &pending, &client).await.map_err(not_now)? {
            true => self.grant(&pending, &client, &session, None).await.map_err(not_now)?,
            false => self.consent_page(&id, &pending, &client, Some(&session.user)),
        };
        self.set_cookie(&mut answer, Cookie::Session, &cookie, self.0.life.session);
        Ok(answer)
    }
}

/// What the user reads when we cannot go on; the reason is in the log.
fn not_now(error: impl Into<OAuthError>) -> &'static str {
    let _: OAuthError = error.into();
    "You cannot log in at present. Please try again later."
}
