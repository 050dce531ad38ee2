//! Updates of resources that happen by themselves.

use std::time::Duration;

use jackfield::transport::ByteStream;
use jackfield::{Revision, RunningServer};
use jackfield_client::{Client, Event};
use jackfield_servers::everything::{Options, server};
use tokio::task::JoinSet;

const URI: &str = "demo://resource/dynamic/text/1";
const LONG: Duration = Duration::from_secs(60);

async fn connect(server: &RunningServer, revision: Revision, serving: &mut JoinSet<()>) -> Client {
    let (near, far) = ByteStream::pair(1 << 16);
    let server = server.clone();
    serving.spawn(async move { server.serve_stream(far).await.unwrap() });
    Client::builder().revision(revision).over(near).await.unwrap()
}

/// Of two streams that are about the same resource one may end.
#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_takes_nothing_from_another() {
    let mut serving = JoinSet::new();
    let client = connect(&server(Options::default()).start().await.unwrap(), Revision::LATEST, &mut serving).await;
    let mut kept = client.subscribe().resource(URI).await.unwrap();
    drop(client.subscribe().resource(URI).await.unwrap());
    // Time passes when nobody has anything to do any more.
    jackfield_testkit::pass(Duration::from_millis(1)).await;
    client.call("toggle-subscriber-updates", ()).await.unwrap();
    let told = tokio::time::timeout(LONG, kept.next()).await.unwrap();
    assert_eq!(told.unwrap().unwrap(), Event::ResourceUpdated(URI.to_owned()));
}

/// What one session switches on is not about what another is subscribed to.
#[tokio::test(start_paused = true)]
async fn a_session_has_updates_of_its_own() {
    let (server, mut serving) = (server(Options::default()).start().await.unwrap(), JoinSet::new());
    let one = connect(&server, Revision::LATEST_WITH_HANDSHAKE, &mut serving).await;
    let other = connect(&server, Revision::LATEST_WITH_HANDSHAKE, &mut serving).await;
    let mut subscription = other.subscribe().resource(URI).await.unwrap();
    one.call("toggle-subscriber-updates", ()).await.unwrap();
    assert!(tokio::time::timeout(LONG, subscription.next()).await.is_err());
    other.call("toggle-subscriber-updates", ()).await.unwrap();
    let told = tokio::time::timeout(LONG, subscription.next()).await.unwrap();
    assert_eq!(told.unwrap().unwrap(), Event::ResourceUpdated(URI.to_owned()));
}
