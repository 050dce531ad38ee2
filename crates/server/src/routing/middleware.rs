//! What stands between transports and the router: functions and `tower` layers of the user.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll};

use jackfield_peer::{Answering, Handler, Incoming, Reply, TowerHandler};
use jackfield_protocol::{AnyResult, ErrorObject, Outcome};
use tower_layer::Layer;
use tower_service::Service;

use crate::routing::hooks::Boxed;

/// Puts something around a handler.
pub(crate) type Wrap = Box<dyn FnOnce(Arc<dyn Handler>) -> Arc<dyn Handler> + Send>;

/// The rest of the way of a request: the middleware after this one, then the server.
#[derive(Clone)]
pub struct Next(Arc<dyn Handler>);

impl Next {
    /// Goes on with the request.
    ///
    /// # Errors
    /// What the rest answers with.
    ///
    /// # Cancellation
    /// Dropping the future ends the work on the request.
    pub async fn run(self, incoming: Incoming) -> Reply {
        self.0.handle(incoming).reply().await
    }
}

/// Erases a middleware function.
pub(crate) fn function<F, R>(middleware: F) -> Wrap
where
    F: Fn(Incoming, Next) -> R + Send + Sync + 'static,
    R: Future<Output = Reply> + Send + 'static,
{
    Box::new(move |next| {
        Arc::new(Function {
            middleware: Box::new(move |incoming, next| Box::pin(middleware(incoming, next))),
            next: Next(next),
        })
    })
}

struct Function {
    middleware: Box<dyn Fn(Incoming, Next) -> Boxed<Reply> + Send + Sync>,
    next: Next,
}

impl Handler for Function {
    fn handle(&self, incoming: Incoming) -> Answering {
        Answering::Later((self.middleware)(incoming, self.next.clone()))
    }
}

/// Erases a `tower` layer.
pub(crate) fn tower<L>(layer: L) -> Wrap
where
    L: Layer<Route> + Send + 'static,
    L::Service: Service<Incoming, Response = Outcome<AnyResult>, Error = ErrorObject> + Clone + Send + 'static,
    <L::Service as Service<Incoming>>::Future: Send,
{
    Box::new(move |next| Arc::new(TowerHandler::new(layer.layer(Route(next)))))
}

/// A server as a `tower` service: what layers of a user wrap.
#[derive(Clone)]
pub struct Route(pub(crate) Arc<dyn Handler>);

impl Service<Incoming> for Route {
    type Response = Outcome<AnyResult>;
    type Error = ErrorObject;
    type Future = Boxed<Reply>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ErrorObject>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        boxed(self.0.handle(incoming))
    }
}

/// What a `tower` service returns for an answer.
pub(crate) fn boxed(answering: Answering) -> Boxed<Reply> {
    match answering {
        Answering::Ready(reply) => Box::pin(std::future::ready(reply)),
        Answering::Later(future) => future,
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Route")
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Next")
    }
}
