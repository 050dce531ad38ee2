//! The client that `cargo xtask bench` measures: it starts a server and calls its tool `echo`, one call after the other.
//!
//! `bench_client COUNT legacy|modern COMMAND [ARGUMENTS]`

use std::error::Error;

use jackfield_client::{Client, Command};
use jackfield_protocol::Revision;
use serde::Serialize;

#[derive(Serialize)]
struct Echo<'a> {
    message: &'a str,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let count: u64 = words.next().ok_or("how many calls?")?.parse()?;
    let is_legacy = words.next().as_deref() == Some("legacy");
    let program = words.next().ok_or("which server?")?;
    let known = Revision::ALL.into_iter().filter(|revision| revision.has_handshake() == is_legacy);
    let revision = known.max().ok_or("no such era")?;

    let client = Client::builder().revision(revision).spawn(Command::new(program).args(words)).await?;
    for _ in 0..count {
        let output = client.call("echo", Echo { message: "The quick brown fox" }).await?;
        if !output.text().ends_with("fox") {
            return Err("the server answered something else".into());
        }
    }
    client.close().await;
    Ok(())
}
