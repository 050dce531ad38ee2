//! Any bytes as a stream of events: the decoder never panics, does not care how the bytes are cut, and reads back what we write.
#![no_main]

use jackfield_http::sse::{SseDecoder, SseEvent, write_event};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 1 << 16;

fn decode<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> (Vec<SseEvent>, bool, String, Option<u64>) {
    let mut decoder = SseDecoder::new(LIMIT);
    let mut events = Vec::new();
    for chunk in chunks {
        if decoder.feed(chunk, |event| events.push(event)).is_err() {
            return (events, false, String::new(), None);
        }
    }
    (events, true, decoder.last_event_id().to_owned(), decoder.retry())
}

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let size = usize::from(*first % 32) + 1;
    assert_eq!(decode(std::iter::once(rest)), decode(rest.chunks(size)), "the cuts change what is read");

    let text = String::from_utf8_lossy(rest).replace(['\r', '\n'], " ");
    let id: String = text.chars().filter(|c| !c.is_control()).take(40).collect();
    let mut written = Vec::new();
    write_event(&mut written, Some("message"), Some(&id), text.as_bytes());
    let (events, whole, last, _) = decode(written.chunks(size));
    assert!(whole && events.len() == 1, "what we write is one event");
    assert_eq!((events[0].data.as_str(), last.as_str()), (text.as_str(), id.as_str()));
});
