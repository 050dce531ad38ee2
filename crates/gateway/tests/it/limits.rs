//! How much one caller may have under way.

use std::future::IntoFuture;
use std::sync::Arc;

use jackfield::protocol::Revision;
use jackfield::protocol::code;
use jackfield_client::Client;
use jackfield_gateway::Gateway;
use tokio::task::JoinSet;

use crate::backend::{Place, Probe, behind, caller_of, demo_with};

/// Says whether the gateway takes one more request.
async fn is_taken(caller: &Client) -> bool {
    match caller.call("demo__able", ()).await {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.code(), Some(code::TOO_MANY_REQUESTS), "{error:?}");
            assert!(error.server_error().unwrap().message.contains("of this caller"), "{error:?}");
            false
        }
    }
}

/// T-028: a caller that has too much under way is refused, and told so; others do not notice, and it is served again when something of its
/// own has ended. Those of whom nothing is known are one caller.
#[tokio::test]
async fn a_caller_has_so_many_requests_under_way() {
    for (revision, counts_alone) in [(Revision::V2025_11_25, true), (Revision::LATEST, false)] {
        let probe: Arc<Probe> = Arc::default();
        let place = Place::new(demo_with(&probe), Revision::LATEST);
        let gateway = behind(Gateway::new("gateway").calls_per_caller(2), "demo", &place);
        let built = gateway.server().unwrap().start().await.unwrap();
        let mut tasks = JoinSet::new();
        let one = caller_of(&built, Client::builder().revision(revision), &mut tasks).await;
        let other = caller_of(&built, Client::builder().revision(revision), &mut tasks).await;
        let mut waiting = JoinSet::new();
        for _ in 0..2 {
            assert!(is_taken(&one).await);
            waiting.spawn(one.call("demo__hang", ()).into_future());
            probe.begun.notified().await;
        }
        assert!(!is_taken(&one).await);
        assert_eq!(is_taken(&other).await, counts_alone, "{revision}");
        waiting.abort_all();
        probe.ended.notified().await;
        assert!(is_taken(&one).await && is_taken(&other).await);
        built.stop().await;
    }
}
