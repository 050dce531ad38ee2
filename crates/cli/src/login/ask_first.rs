//! Nobody is sent to a login page without a yes.

use std::sync::Arc;

use jackfield::auth::client::{AuthError, Interaction, Loopback, Visit};
use jackfield::http::client::Boxed;

use super::Browser;
use crate::questions::Questions;

/// Asks the person at the terminal before the browser is opened.
#[derive(Debug)]
pub(crate) struct AskFirst {
    questions: Arc<Questions>,
    browser: Loopback,
}

impl AskFirst {
    /// Asks with these questions; none if nobody is there to be asked.
    pub(crate) fn new(questions: &Arc<Questions>) -> Option<Self> {
        let questions = questions.clone();
        questions.has_person().then(|| Self { questions, browser: Loopback::new(Browser) })
    }
}

impl Interaction for AskFirst {
    fn prepare<'a>(&'a self, wanted: Option<&'a str>) -> Boxed<'a, Result<Box<dyn Visit>, AuthError>> {
        Box::pin(async move {
            if !self.questions.confirm("asks you to log in. Open its login page in the browser? [y]es, [n]o: ").await {
                return Err(AuthError::LoginNeeded);
            }
            self.browser.prepare(wanted).await
        })
    }
}
