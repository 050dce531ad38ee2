//! Parameters of handlers that come from the context instead of the caller.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;

use jackfield_protocol::{CallToolResult, GetPromptResult, ReadResourceResult};

use super::{Failure, Requirements};
use crate::{Cx, Done, ProtocolError, Work};

/// An extractor: a parameter that is made from the context of the call. Closures take it by its type, functions with macros as
/// `#[extract]`.
///
/// ```
/// use jackfield_server::{Cx, FromCx};
///
/// struct User(String);
///
/// # async fn look_up(name: &str) -> Option<String> { Some(name.to_owned()) }
/// impl FromCx for User {
///     type Rejection = &'static str;
///
///     async fn from_cx(cx: &Cx) -> Result<Self, Self::Rejection> {
///         let client = cx.caller().client_info.as_ref().ok_or("the client does not say who it is")?;
///         look_up(&client.name).await.map(Self).ok_or("nobody of that name")
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from the context of a call",
    label = "does not implement `FromCx`",
    note = "implement `jackfield::server::FromCx` for `{Self}`, or take `State<{Self}>` if it is state of the server"
)]
pub trait FromCx: Sized + Send + 'static {
    /// Why it cannot be made. What has `Display` is a failure that the model reads, where a tool is called;
    /// [`ProtocolError`] answers with an error of the protocol.
    type Rejection: Failure;

    /// Makes it, or says why not.
    ///
    /// # Errors
    /// What the request is answered with.
    fn from_cx(cx: &Cx) -> impl Future<Output = Result<Self, Self::Rejection>> + Send;

    /// Makes it without waiting, which saves an allocation for each call; `None` if it has to wait, and unless implemented.
    /// Where another extractor has to wait, what this returns is dropped, and [`from_cx`](Self::from_cx) is used.
    fn from_cx_now(cx: &Cx) -> Option<Result<Self, Self::Rejection>> {
        let _ = cx;
        None
    }

    /// Says what it needs the server to have; nothing, unless implemented.
    fn requires(requirements: &mut Requirements) {
        let _ = requirements;
    }
}

impl FromCx for Cx {
    type Rejection = Infallible;

    async fn from_cx(cx: &Cx) -> Result<Self, Infallible> {
        Ok(cx.clone())
    }

    fn from_cx_now(cx: &Cx) -> Option<Result<Self, Infallible>> {
        Some(Ok(cx.clone()))
    }
}

impl<T: FromCx> FromCx for Option<T> {
    type Rejection = Infallible;

    async fn from_cx(cx: &Cx) -> Result<Self, Infallible> {
        Ok(T::from_cx(cx).await.ok())
    }

    fn from_cx_now(cx: &Cx) -> Option<Result<Self, Infallible>> {
        T::from_cx_now(cx).map(|made| Ok(made.ok()))
    }
}

/// State of the server, shared by all calls.
pub struct State<T>(pub Arc<T>);

impl<T: Send + Sync + 'static> State<T> {
    fn of(cx: &Cx) -> Result<Self, ProtocolError> {
        cx.state::<T>().map(Self).map_err(|missing| ProtocolError::internal(missing.to_string()))
    }
}

impl<T: Send + Sync + 'static> FromCx for State<T> {
    type Rejection = ProtocolError;

    async fn from_cx(cx: &Cx) -> Result<Self, ProtocolError> {
        Self::of(cx)
    }

    fn from_cx_now(cx: &Cx) -> Option<Result<Self, ProtocolError>> {
        Some(Self::of(cx))
    }

    fn requires(requirements: &mut Requirements) {
        requirements.state::<T>();
    }
}

impl<T> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&self.0).finish()
    }
}

/// What a handler answers with, and how it answers when an extractor fails.
pub trait Answer: Sized + Send + 'static {
    /// Answers with a failure.
    ///
    /// # Errors
    /// An error of the protocol.
    fn failed(failure: impl Failure) -> Done<Self>;
}

impl Answer for CallToolResult {
    fn failed(failure: impl Failure) -> Done<Self> {
        failure.into_tool_failure()
    }
}

impl Answer for ReadResourceResult {
    fn failed(failure: impl Failure) -> Done<Self> {
        Err(failure.into_error())
    }
}

impl Answer for GetPromptResult {
    fn failed(failure: impl Failure) -> Done<Self> {
        Err(failure.into_error())
    }
}

/// Any number of extractors, as pairs: `(A, (B, ()))`.
pub trait Extractors: Sized + Send + 'static {
    /// Makes all of them, if none has to wait.
    fn now<T: Answer>(cx: &Cx) -> Option<Result<Self, Done<T>>>;

    /// Makes one after the other.
    fn later<T: Answer>(cx: &Cx) -> impl Future<Output = Result<Self, Done<T>>> + Send;
}

impl Extractors for () {
    fn now<T: Answer>(_: &Cx) -> Option<Result<Self, Done<T>>> {
        Some(Ok(()))
    }

    async fn later<T: Answer>(_: &Cx) -> Result<Self, Done<T>> {
        Ok(())
    }
}

impl<E: FromCx, R: Extractors> Extractors for (E, R) {
    #[inline]
    fn now<T: Answer>(cx: &Cx) -> Option<Result<Self, Done<T>>> {
        match E::from_cx_now(cx)? {
            Ok(first) => Some(R::now(cx)?.map(|rest| (first, rest))),
            Err(rejection) => Some(Err(T::failed(rejection))),
        }
    }

    async fn later<T: Answer>(cx: &Cx) -> Result<Self, Done<T>> {
        let first = E::from_cx(cx).await.map_err(T::failed)?;
        Ok((first, R::later(cx).await?))
    }
}

/// Calls a handler with what its extractors make; what is ready at once costs neither a task nor an allocation.
#[inline]
pub fn extracted<E: Extractors, T: Answer>(cx: Cx, call: impl FnOnce(E, Cx) -> Work<T> + Send + 'static) -> Work<T> {
    match E::now(&cx) {
        Some(Ok(extracted)) => call(extracted, cx),
        Some(Err(done)) => Work::Ready(done),
        None => Work::later(async move {
            match E::later(&cx).await {
                Ok(extracted) => call(extracted, cx).done().await,
                Err(done) => done,
            }
        }),
    }
}
