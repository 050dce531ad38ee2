//! Questions outside of calls. Only clients of the legacy era take them.

use jackfield_protocol::{
    CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, ElicitSchema, ElicitUrlParams, EmptyParams,
    InputRequest, JsonObject, ListRootsResult, RawJson, Root, UrlMode,
};
use serde::{Deserialize, Serialize};

use super::{Elicited, Form, QuestionError, answer, by_request, check, form, read_form};
use crate::cx::{ClientHandle, NotifyError};

impl ClientHandle {
    /// Asks the person for a value, as [`Cx::elicit`](crate::Cx::elicit) does.
    ///
    /// # Errors
    /// The person could not be asked; clients of the modern era cannot be, outside of calls.
    pub async fn elicit<T: Form>(&self, message: &str) -> Result<Elicited<T>, QuestionError> {
        let schema = form::schema::<T>(message).map_err(|problem| bad_question("elicitation/create", problem))?;
        self.elicit_form(message, schema).await?.map(|content| read_form("elicitation/create", content))
    }

    /// Asks the person to fill in a form. What is filled in has been checked against the form.
    ///
    /// # Errors
    /// The person could not be asked; clients of the modern era cannot be, outside of calls.
    pub async fn elicit_form(&self, message: &str, form: ElicitSchema) -> Result<Elicited<JsonObject>, QuestionError> {
        let question = ElicitParams::form(message, form.clone()).into();
        self.ask(question, |result: ElicitResult| answer::of_form(result, &form)).await
    }

    /// Asks the person to visit a page, as [`Cx::elicit_url`](crate::Cx::elicit_url) does.
    ///
    /// # Errors
    /// The person could not be asked; clients of the modern era cannot be, outside of calls.
    pub async fn elicit_url(&self, message: &str, url: &str) -> Result<Elicited<()>, QuestionError> {
        let page = ElicitUrlParams::new(UrlMode::Url, message, url);
        self.ask(ElicitParams::Url(page).into(), |result: ElicitResult| Ok(answer::of_page(&result))).await
    }

    /// Asks the client's model.
    ///
    /// # Errors
    /// The model could not be asked, did not answer, or wants to use a tool that it was not given; clients of the modern era cannot be
    /// asked, outside of calls.
    pub async fn sample(&self, params: CreateMessageParams) -> Result<CreateMessageResult, QuestionError> {
        self.ask(params.clone().into(), |result| answer::of_sample(result, &params)).await
    }

    /// Asks for the folders that the client lets this server work in.
    ///
    /// # Errors
    /// The client has none, or did not answer; clients of the modern era cannot be asked, outside of calls.
    pub async fn roots(&self) -> Result<Vec<Root>, QuestionError> {
        let question = InputRequest::ListRoots(EmptyParams::default());
        self.ask(question, |result: ListRootsResult| Ok(result.roots)).await
    }

    /// Asks a question of any kind, and returns the answer as it came.
    ///
    /// # Errors
    /// The client could not be asked, or did not answer; clients of the modern era cannot be asked, outside of calls.
    pub async fn ask_question(&self, mut question: InputRequest) -> Result<RawJson, QuestionError> {
        let session = self.live_session()?;
        check::question(self.caller(), &mut question)
            .map_err(|problem| bad_question(question.method().name(), problem))?;
        if let Some(missing) = check::missing_capability(self.caller(), &question) {
            return Err(QuestionError::NotSupported(missing.name));
        }
        let answer = by_request::ask(&session, session.outlet(), question.clone()).await?;
        Ok(answer::as_asked(answer, &question))
    }

    /// Sends the client any request, and returns its result.
    ///
    /// # Errors
    /// The client takes no requests, refused this one, or did not answer.
    pub async fn request(&self, method: &'static str, params: impl Serialize) -> Result<RawJson, QuestionError> {
        let session = self.live_session()?;
        by_request::send(&session, session.outlet(), method, &params).await
    }

    async fn ask<R, T>(
        &self,
        question: InputRequest,
        read: impl FnOnce(R) -> Result<T, String>,
    ) -> Result<T, QuestionError>
    where
        R: for<'de> Deserialize<'de>,
    {
        let method = question.method().name();
        let raw = self.ask_question(question).await?;
        let answer = raw.read::<R>().map_err(|error| error.to_string()).and_then(read);
        answer.map_err(|problem| QuestionError::BadAnswer { key: method.to_owned(), problem })
    }
}

fn bad_question(method: &str, problem: String) -> QuestionError {
    QuestionError::BadQuestion { key: method.to_owned(), problem }
}

impl From<NotifyError> for QuestionError {
    fn from(error: NotifyError) -> Self {
        match error {
            NotifyError::Closed => Self::Closed,
            NotifyError::TooMany => Self::TooMany,
            _ => Self::NotSupported("questions outside of calls"),
        }
    }
}
