//! Any text as a template and any as a URI: both are read without panic, and a plain variable gives back what was put into it.
#![no_main]

use jackfield_protocol::uri::MAX_LENGTH;
use jackfield_server::{TemplateValue, UriTemplate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (source, uri) = text.split_once('\n').unwrap_or((&text, ""));
    if let Ok(template) = UriTemplate::new(source) {
        let _ = template.matches(uri);
        let expanded = template.expand(|_| Some(TemplateValue::from(uri)));
        let _ = template.matches(&expanded);
    }
    // A value with a zero byte matches nothing, on purpose.
    if !uri.is_empty() && !uri.contains('\0') {
        let template = UriTemplate::new("note://{name}").expect("a plain template");
        let expanded = template.expand(|_| Some(TemplateValue::from(uri)));
        // Nor does a URI that is too long, and each byte may have become three.
        if expanded.len() > MAX_LENGTH {
            assert!(template.matches(&expanded).is_none(), "{} bytes", expanded.len());
            return;
        }
        let found = template.matches(&expanded).expect("what was expanded matches");
        assert_eq!(found.get("name"), Some(uri), "{expanded}");
    }
});
