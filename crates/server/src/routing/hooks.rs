//! What a server does besides answering requests: when clients come, subscribe, or list what is not registered.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use jackfield_protocol::{ErrorObject, ReadResourceResult};

use crate::{Cx, Done, ResourcePage};

/// A future that is boxed because its type is erased.
pub(crate) type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

type Notice = Arc<dyn Fn(Cx) -> Boxed<()> + Send + Sync>;
type ByUri = Arc<dyn Fn(String, Cx) -> Boxed<Result<(), ErrorObject>> + Send + Sync>;

/// Lists resources that are not registered.
pub(crate) type ListHook = Arc<dyn Fn(Cx, Option<String>) -> Boxed<Result<ResourcePage, ErrorObject>> + Send + Sync>;
/// Reads resources that are not registered; `None` if there is none of that URI.
pub(crate) type ReadHook = Arc<dyn Fn(String, Cx) -> Boxed<Option<Done<ReadResourceResult>>> + Send + Sync>;

/// All hooks of a server.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) initialized: Vec<Notice>,
    pub(crate) roots_changed: Vec<Notice>,
    pub(crate) subscribe: Vec<ByUri>,
    pub(crate) unsubscribe: Vec<ByUri>,
    pub(crate) list: Option<ListHook>,
    pub(crate) read: Option<ReadHook>,
    pub(crate) single_use: Option<SingleUse>,
}

/// Notes that a sealed state is used; says whether it was unused until now.
pub(crate) type SingleUse = Arc<dyn Fn(String) -> Boxed<bool> + Send + Sync>;

/// Erases a hook for notices.
pub(crate) fn notice<F>(hook: impl Fn(Cx) -> F + Send + Sync + 'static) -> Notice
where
    F: Future<Output = ()> + Send + 'static,
{
    Arc::new(move |cx| Box::pin(hook(cx)))
}

/// Erases a hook for subscriptions.
pub(crate) fn by_uri<F>(hook: impl Fn(String, Cx) -> F + Send + Sync + 'static) -> ByUri
where
    F: Future<Output = Result<(), ErrorObject>> + Send + 'static,
{
    Arc::new(move |uri, cx| Box::pin(hook(uri, cx)))
}
