//! The careful answers on bare hyper: no sessions, no checks, no limits.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

use crate::answers::Answers;
use crate::ideal;

/// Serves until SIGTERM comes.
#[tokio::main(flavor = "current_thread")]
pub(crate) async fn serve(answers: Answers, address: &str) -> io::Result<()> {
    let answers = Arc::new(answers);
    let listener = TcpListener::bind(address).await?;
    let mut ended = signal(SignalKind::terminate())?;
    let mut connections = JoinSet::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted?.0,
            _ = ended.recv() => return Ok(()),
        };
        stream.set_nodelay(true)?;
        let answers = answers.clone();
        connections.spawn(async move {
            let service = service_fn(|request| respond(&answers, request));
            // A client that goes away in the middle of a request is none of our business.
            let _ = http1::Builder::new().writev(false).serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn respond(answers: &Answers, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let mut out = Vec::new();
    let answered = match request.into_body().collect().await {
        Ok(body) => ideal::answer(answers, &body.to_bytes(), &mut out),
        Err(error) => Err(io::Error::other(error)),
    };
    let status = match answered {
        Err(_) => StatusCode::BAD_REQUEST,
        Ok(()) if out.is_empty() => StatusCode::ACCEPTED,
        Ok(()) => StatusCode::OK,
    };
    let mut response = Response::new(Full::new(Bytes::from(out)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}
