//! A server that is told to end before it has begun.

use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jackfield_server::Server;
use tokio::sync::watch;

/// Whoever is told to end while something is still being opened listens nowhere, closes what was open, and ends in order.
#[tokio::test]
async fn a_server_that_still_starts_can_be_stopped() {
    let is_closed = Arc::new(AtomicBool::new(false));
    let (closed, begun) = (is_closed.clone(), watch::Sender::new(false));
    let mut has_begun = begun.subscribe();
    let server = Server::new("x")
        .lifespan(
            || async { "a pool" },
            move |_| {
                closed.store(true, Ordering::SeqCst);
                async {}
            },
        )
        .lifespan(
            move || {
                begun.send_replace(true);
                std::future::pending::<u8>()
            },
            |_| async { panic!("it was never opened") },
        );
    // The address is taken, so that listening there would be an error.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let stop = async {
        has_begun.wait_for(|begun| *begun).await.unwrap();
        assert!(!is_closed.load(Ordering::SeqCst));
        assert!(Command::new("sh").args(["-c", "kill -TERM $PPID"]).status().unwrap().success());
    };
    let (served, ()) = tokio::join!(server.serve_http(taken.local_addr().unwrap()), stop);
    served.unwrap();
    assert!(is_closed.load(Ordering::SeqCst));
}
