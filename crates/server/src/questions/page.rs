//! Pages that a person has to be at before a call can go on.

use jackfield_protocol::{ElicitUrlParams, ElicitationCompleteParams, ErrorObject, UrlMode, error::code};

use super::{Elicited, QuestionError, check};
use crate::{ClientHandle, Cx, ProtocolError};

impl Cx {
    /// Says that the call can go on only after the person has been at a page, for example to connect an account. The handler looks
    /// by itself whether that has happened, and returns what this gives if it has not:
    ///
    /// ```
    /// # use jackfield_server::{Cx, ProtocolError};
    /// # fn token() -> Option<String> { None }
    /// # async fn files(cx: Cx) -> Result<String, ProtocolError> {
    /// let Some(token) = token() else {
    ///     return Err(cx.require_url("connect", "Please connect your account.", "https://example.com/connect").await);
    /// };
    /// # Ok(token) }
    /// ```
    ///
    /// Callers of 2025-11-25 get the error -32042, and call again when the person is done; a [`PageNotice`] tells them when. Newer ones are
    /// asked, and call again once the person has agreed. `id` stands for this page and person, the same in each call.
    pub async fn require_url(&self, id: &str, message: &str, url: &str) -> ProtocolError {
        if self.revision().has_url_elicitation_error() && !self.is_task() {
            return self
                .refusal(id, message, url)
                .unwrap_or_else(|error| ErrorObject::internal(error.to_string()))
                .into();
        }
        let error = match self.visit(id, self.page(id, message, url)).await {
            Ok(Elicited::Accepted(())) => {
                ErrorObject::new(code::UNAVAILABLE, "what has to be done at the page is not done yet; call again later")
            }
            Ok(_) => ErrorObject::new(code::FORBIDDEN, "the person did not agree to open the page that this needs"),
            Err(error) => ErrorObject::internal(error.to_string()),
        };
        error.into()
    }

    fn refusal(&self, id: &str, message: &str, url: &str) -> Result<ErrorObject, QuestionError> {
        let page = self.page(id, message, url);
        check::page(&page).map_err(|problem| QuestionError::BadQuestion { key: id.to_owned(), problem })?;
        if !check::has_urls(self.caller()) {
            return Err(QuestionError::NotSupported("elicitation by URL"));
        }
        Ok(ErrorObject::url_elicitation_required(message.to_owned(), &[page]))
    }

    /// Names a page by what the handler calls it, where the revision has such names.
    fn page(&self, id: &str, message: &str, url: &str) -> ElicitUrlParams {
        let mut page = ElicitUrlParams::new(UrlMode::Url, message, url);
        page.elicitation_id = self.revision().has_url_elicitation_error().then(|| id.to_owned());
        page
    }

    /// Returns what tells this client, and no other, that the person is done at a page. It can be kept until then, which is usually
    /// long after the call.
    #[must_use]
    pub fn page_notice(&self, id: impl Into<String>) -> PageNotice {
        PageNotice { client: self.client(), id: id.into() }
    }
}

/// Tells a client that the person is done at a page that it was sent to with [`Cx::require_url`]. Only clients of 2025-11-25 are told;
/// others look again by themselves.
#[derive(Clone, Debug)]
pub struct PageNotice {
    client: ClientHandle,
    id: String,
}

impl PageNotice {
    /// Tells the client; says whether it was there to be told.
    pub fn send(&self) -> bool {
        let notice = ElicitationCompleteParams::new(self.id.clone());
        self.client.revision().has_url_elicitation_error() && self.client.try_notify(notice).is_ok()
    }
}
