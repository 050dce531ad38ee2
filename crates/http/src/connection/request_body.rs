//! The body of a request that is being read.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};

use super::activity::Activity;

/// The body of a request. Its connection knows that more of it is awaited until all of it was taken, or nobody wants the rest and it is
/// dropped.
///
/// Until then nobody looks whether the client is still there, because a look takes some of the body, and hyper could not drop the rest of
/// it at once. So a gate that thinks before the body is read is not given up when the client leaves, but comes to its end.
pub(super) struct RequestBody<'a, B> {
    body: B,
    activity: &'a Activity,
}

impl<'a, B: Body> RequestBody<'a, B> {
    pub(super) fn new(body: B, activity: &'a Activity) -> Self {
        activity.set_in_body(!body.is_end_stream());
        Self { body, activity }
    }
}

impl<B> Drop for RequestBody<'_, B> {
    fn drop(&mut self) {
        self.activity.set_in_body(false);
    }
}

impl<B: Body + Unpin> Body for RequestBody<'_, B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.activity.set_in_body(false);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
