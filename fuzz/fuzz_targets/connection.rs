//! Any bytes on a connection: it never panics, never hangs, and writes one JSON message per line.
#![no_main]

use std::sync::Arc;

use jackfield_peer::{Answering, ByteStream, Connection, Handler, Incoming};
use jackfield_protocol::{AnyResult, Outcome};
use libfuzzer_sys::fuzz_target;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

struct Echo;

impl Handler for Echo {
    fn handle(&self, incoming: Incoming) -> Answering {
        let params: serde_json::Value = incoming.params.decode().unwrap_or_default();
        Answering::ready(Ok(Outcome::Complete(AnyResult::from(serde_json::json!({ "echo": params })))))
    }
}

fuzz_target!(|data: &[u8]| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let output = runtime.block_on(async {
        let (ours, theirs) = tokio::io::duplex(64);
        let (mut reader, mut writer) = tokio::io::split(ours);
        let mut output = Vec::new();
        let (served, _, read) = tokio::join!(
            Connection::new(Arc::new(Echo)).serve(ByteStream::both(theirs)),
            async {
                let _ = writer.write_all(data).await;
                let _ = writer.shutdown().await;
            },
            reader.read_to_end(&mut output)
        );
        served.unwrap();
        read.unwrap();
        output
    });
    for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        serde_json::from_slice::<serde_json::Value>(line).expect("a line that is not JSON");
    }
});
