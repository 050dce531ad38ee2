//! An error of any kind, for functions that only pass errors on.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

/// An error of any kind: what `?` makes of every standard error.
///
/// Its text is the whole chain of causes, because in a tool it is all that the model gets to read. It does not implement
/// [`std::error::Error`], so that every type that does can become one.
pub struct Error {
    context: Vec<Cow<'static, str>>,
    cause: Option<Box<dyn StdError + Send + Sync>>,
}

/// What functions give back that may fail; `Result` alone is what `main` needs.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

impl Error {
    /// Makes an error of a message.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self { context: vec![message.into()], cause: None }
    }

    /// Adds what was being done when it happened.
    #[must_use]
    pub fn context(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.context.push(message.into());
        self
    }

    /// Returns the cause as a type, if it is of that type.
    #[must_use]
    pub fn downcast_ref<E: StdError + 'static>(&self) -> Option<&E> {
        self.cause.as_deref()?.downcast_ref()
    }

    /// Writes the messages, outermost first.
    fn each(&self, mut write: impl FnMut(&dyn fmt::Display) -> fmt::Result) -> fmt::Result {
        for message in self.context.iter().rev() {
            write(message)?;
        }
        let mut cause = self.cause.as_deref().map(|cause| cause as &dyn StdError);
        while let Some(error) = cause {
            write(&error)?;
            cause = error.source();
        }
        Ok(())
    }
}

/// Adds to a failure what was being done when it happened.
pub trait Context<T> {
    /// Adds what was being done.
    ///
    /// # Errors
    /// The same failure with the message in front.
    fn context(self, message: impl Into<Cow<'static, str>>) -> Result<T>;
}

impl<T, E: Into<Error>> Context<T> for std::result::Result<T, E> {
    fn context(self, message: impl Into<Cow<'static, str>>) -> Result<T> {
        self.map_err(|error| error.into().context(message))
    }
}

impl<T> Context<T> for Option<T> {
    fn context(self, message: impl Into<Cow<'static, str>>) -> Result<T> {
        self.ok_or_else(|| Error::new(message))
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for Error {
    fn from(cause: E) -> Self {
        Self { context: Vec::new(), cause: Some(Box::new(cause)) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        self.each(|message| {
            if !std::mem::take(&mut first) {
                f.write_str(": ")?;
            }
            message.fmt(f)
        })
    }
}

/// What `main` shows when it returns an error: one cause per line.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut count = 0;
        self.each(|message| {
            count += 1;
            match count {
                1 => message.fmt(f),
                2 => write!(f, "\n\ncaused by:\n    {message}"),
                _ => write!(f, "\n    {message}"),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(text: &str) -> Result<u16> {
        text.parse().context("cannot read the port")
    }

    #[test]
    fn the_text_is_the_whole_chain() {
        let error = port("x").unwrap_err();
        assert_eq!(error.to_string(), "cannot read the port: invalid digit found in string");
        assert_eq!(format!("{error:?}"), "cannot read the port\n\ncaused by:\n    invalid digit found in string");
        assert!(error.downcast_ref::<std::num::ParseIntError>().is_some());
        assert_eq!(Error::new("plain").to_string(), "plain");
    }
}
