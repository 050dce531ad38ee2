//! The answer to an authorization request.

use url::form_urlencoded;

use super::AuthError;
use super::error::told;
use crate::Secret;

/// What the answer is compared with. It was written down before the user was sent away.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    pub(super) state: &'a Secret,
    /// The issuer whose metadata was checked.
    pub(super) issuer: &'a str,
    /// The issuer says that its answers name it.
    pub(super) names_itself: bool,
}

impl Expected<'_> {
    /// Returns the code of an answer, given as an address or its query. An answer of somebody else is discarded before anything
    /// else in it is looked at.
    pub(super) fn code(&self, answer: &str) -> Result<Secret, AuthError> {
        let answer = answer.split('#').next().unwrap_or_default();
        let query = answer.split_once('?').map_or(answer, |(_, query)| query);
        let params: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let one = |name: &str| {
            let mut found = params.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
            match (found.next(), found.next()) {
                (_, Some(_)) => Err(AuthError::Discarded("a parameter came twice")),
                (first, None) => Ok(first),
            }
        };
        match one("state")? {
            Some(state) if self.state.matches(state) => {}
            _ => return Err(AuthError::Discarded("it does not belong to this login")),
        }
        // RFC 9207, section 2.4. The texts are compared as they are: an issuer has one spelling.
        match (one("iss")?, self.names_itself) {
            (Some(iss), _) if iss == self.issuer => {}
            (Some(_), _) => return Err(AuthError::Discarded("it comes from another authorization server")),
            (None, true) => {
                return Err(AuthError::Discarded("it does not say which authorization server it comes from"));
            }
            (None, false) => {}
        }
        if let Some(error) = one("error")? {
            return Err(AuthError::Denied(told(error, one("error_description")?)));
        }
        match one("code")? {
            Some(code) if !code.is_empty() => Ok(Secret::new(code)),
            _ => Err(AuthError::Discarded("it has no code")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUER: &str = "https://auth.example.com";

    fn read(answer: &str, names_itself: bool) -> Result<String, AuthError> {
        let state = Secret::new("s");
        Expected { state: &state, issuer: ISSUER, names_itself }.code(answer).map(|code| code.expose().to_owned())
    }

    /// The table of four rows, and every spelling that is not the issuer's own. AUTH-065, AUTH-066, T-064
    #[test]
    fn an_answer_of_another_issuer_is_discarded() {
        let good = "code=c&state=s&iss=https%3A%2F%2Fauth.example.com";
        for (answer, names_itself, is_taken) in [
            (good, true, true),
            ("code=c&state=s", true, false),
            (good, false, true),
            ("code=c&state=s", false, true),
            ("code=c&state=s&iss=", false, false),
            ("code=c&state=s&iss=https://evil.example", false, false),
            ("code=c&state=s&iss=https://auth.example.com/", true, false),
            ("code=c&state=s&iss=https://AUTH.example.com", true, false),
            ("code=c&state=s&iss=HTTPS://auth.example.com", true, false),
            ("code=c&state=s&iss=https://auth.example.com:443", true, false),
            ("code=c&state=s&iss=https://auth%252Eexample.com", true, false),
            ("code=c&state=s&iss=https://auth.example.com&iss=https://auth.example.com", true, false),
        ] {
            assert_eq!(read(answer, names_itself).is_ok(), is_taken, "{answer} {names_itself}");
        }
        assert_eq!(read(&format!("http://127.0.0.1:1/cb?{good}#x"), true).unwrap(), "c");
    }

    /// AUTH-067: what a stranger says is not repeated.
    #[test]
    fn errors_of_strangers_are_not_shown() {
        let answer = "error=access_denied&error_description=call+0900&state=s&iss=https://evil.example";
        let error = read(answer, false).unwrap_err();
        assert!(matches!(error, AuthError::Discarded(_)) && !error.to_string().contains("0900"));
        let error = read("error=access_denied&error_description=no%0Away%1b[2J&state=s", false).unwrap_err();
        assert_eq!(error.to_string(), "the authorization server refused: access_denied (noway[2J)");
    }

    /// AUTH-114, T-067
    #[test]
    fn answers_without_our_state_are_discarded() {
        for answer in [
            "code=c",
            "code=c&state=",
            "code=c&state=t",
            "code=c&state=s&state=s",
            "code=c&code=d&state=s",
            "state=s",
            "",
            "code=&state=s",
        ] {
            assert!(matches!(read(answer, false), Err(AuthError::Discarded(_))), "{answer}");
        }
    }
}
