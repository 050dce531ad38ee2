//! Calls one tool of a server many times; used to measure what a call costs the client.
//!
//! `calls COUNT DEPTH PROGRAM ARGUMENTS…`, or a URL instead of a program: `DEPTH` calls are under way at once.

use jackfield_client::{Client, Command};
use serde::Serialize;
use tokio::task::JoinSet;

#[derive(Serialize)]
struct Echo {
    message: &'static str,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().and_then(|text| text.parse::<usize>().ok());
    let (Some(count), Some(depth)) = (number(), number()) else { return Err("COUNT and DEPTH are numbers".into()) };
    let program = arguments.next().ok_or("a program is missing")?;
    let client = match program.as_str() {
        #[cfg(feature = "http")]
        url if url.starts_with("http") => Client::connect(url).await?,
        program => Client::builder().spawn(Command::new(program).args(arguments)).await?,
    };
    let mut calls = JoinSet::new();
    for _ in 0..depth {
        let client = client.clone();
        calls.spawn(async move {
            for _ in 0..count / depth {
                client.call("echo", Echo { message: "hello" }).await?;
            }
            Ok::<(), jackfield_client::Error>(())
        });
    }
    while let Some(done) = calls.join_next().await {
        done??;
    }
    client.close().await;
    Ok(())
}
