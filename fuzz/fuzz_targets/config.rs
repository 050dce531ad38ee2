//! Any text as a configuration file: what is added is there and nothing else has changed, what is removed is gone, nothing panics.
#![no_main]

use std::collections::BTreeMap;
use std::path::Path;

use jackfield_host::{ConfigFile, Variables, with_server, without_server};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

/// The servers of a file, each by what it comes to.
fn servers(file: &ConfigFile) -> BTreeMap<String, String> {
    let environment = |name: &str| (name.len() % 2 == 0).then(|| format!("<{name}>"));
    let variables = Variables { environment: &environment, folder: Path::new("/nowhere") };
    let reach = |name: &str| format!("{:?} {}", file.reach(name, &variables), file.is_disabled(name));
    file.names().map(|name| (name.to_owned(), reach(name))).collect()
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let Ok(file) = ConfigFile::parse(&text) else {
        // A file that cannot be read is not made one that can, unless it only had no servers yet.
        if let Ok(added) = with_server(&text, "new", &json!({"url": "http://h"})) {
            let added = ConfigFile::parse(&added).expect("a file that we wrote");
            assert_eq!(added.names().collect::<Vec<_>>(), ["new"], "{text}");
        }
        return;
    };
    let before = servers(&file);
    for name in before.keys() {
        assert!(with_server(&text, name, &json!({})).is_err(), "a second {name:?}");
        let less = without_server(&text, name).expect("a file that was read").expect("a server that is there");
        let mut wanted = before.clone();
        wanted.remove(name);
        assert_eq!(servers(&ConfigFile::parse(&less).expect("a file that we wrote")), wanted, "{less}");
    }
    let name = (0..).map(|number| format!("new \"{number}\"")).find(|name| !before.contains_key(name));
    let name = name.expect("numbers do not end");
    let more = with_server(&text, &name, &json!({"command": "x", "args": ["// }"]})).expect("a file that was read");
    let mut with = servers(&ConfigFile::parse(&more).expect("a file that we wrote"));
    assert!(with.remove(&name).is_some_and(|server| server.contains("// }")), "{more}");
    assert_eq!(with, before, "{more}");
    let again = without_server(&more, &name).expect("a file that we wrote").expect("a server that we added");
    assert_eq!(servers(&ConfigFile::parse(&again).expect("a file that we wrote")), before, "{again}");
});
