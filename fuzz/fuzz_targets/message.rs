//! Any bytes: reading never panics, and what is accepted is what serde_json accepts.
#![no_main]

use bytes::Bytes;
use jackfield_protocol::envelope::{Memo, Message};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = Bytes::copy_from_slice(data);
    // Reading with what was remembered changes nothing, be it of the same message or, line by line, of others.
    let mut memo = Memo::default();
    for text in std::iter::repeat_n(data, 2).chain(data.split(|byte| *byte == b'\n')).map(Bytes::copy_from_slice) {
        let (again, fresh) = (Message::read_with(&text, 100, &mut memo), Message::read(&text, 100));
        assert_eq!(format!("{again:?}"), format!("{fresh:?}"));
    }
    let Ok(message) = Message::read(&text, 100) else { return };
    let value: serde_json::Value = match serde_json::from_slice(data) {
        Ok(value) => value,
        // Numbers beyond the range of f64 are JSON for us, since they are never decoded here.
        Err(error) if error.to_string().contains("number out of range") => return,
        Err(error) => panic!("accepted what serde_json refuses: {error}"),
    };
    match message {
        Message::Request(request) => {
            assert_eq!(value["method"], request.method.as_str());
            assert_eq!(serde_json::from_slice::<serde_json::Value>(request.id.as_json()).unwrap(), value["id"]);
            for name in request.params.names() {
                let member: serde_json::Value = serde_json::from_slice(request.params.get(&name).unwrap()).unwrap();
                assert_eq!(member, value["params"][name.as_ref()]);
            }
        }
        Message::Notification(incident) => assert_eq!(value["method"], incident.method.as_str()),
        Message::Answer(_) => assert!(value.get("method").is_none()),
        Message::Batch(entries) => assert_eq!(value.as_array().map(Vec::len), Some(entries.len())),
    }
});
