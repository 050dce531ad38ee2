//! Logins with a real keyring: GNOME Keyring on a bus of its own.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use crate::logins::{add_user, log_in_with};
use crate::run::{Folder, HttpDemo};

/// A desktop with nothing but a bus and a keyring that is unlocked.
struct Desktop {
    bus: Child,
    keyring: Child,
    address: String,
}

impl Desktop {
    /// Starts both in a folder; none if they are not installed.
    fn start(folder: &Folder) -> Option<Self> {
        let mut bus = Command::new("dbus-daemon");
        bus.args(["--session", "--nofork", "--nopidfile", "--print-address=1"]);
        let Ok(mut bus) = bus.stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
            eprintln!("skipped: there is no dbus-daemon");
            return None;
        };
        let mut address = String::new();
        BufReader::new(bus.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let address = address.trim().to_owned();
        let mut keyring = Command::new("gnome-keyring-daemon");
        keyring.args(["--foreground", "--unlock", "--components=secrets"]).env("DBUS_SESSION_BUS_ADDRESS", &address);
        keyring.env("HOME", folder.path()).env("XDG_RUNTIME_DIR", folder.path()).env_remove("XDG_DATA_HOME");
        keyring.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut keyring) = keyring.spawn() else {
            eprintln!("skipped: there is no gnome-keyring-daemon");
            let _ = (bus.kill(), bus.wait());
            return None;
        };
        keyring.stdin.take().unwrap().write_all(b"the password of the user").unwrap();
        let desktop = Self { bus, keyring, address };
        assert!((0..1000).any(|_| desktop.has_keyring()), "the keyring never came");
        Some(desktop)
    }

    /// Whether the keyring is on the bus.
    fn has_keyring(&self) -> bool {
        let mut ask = Command::new("dbus-send");
        ask.arg(format!("--bus={}", self.address)).args(["--print-reply", "--dest=org.freedesktop.DBus", "/"]);
        ask.args(["org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"]);
        let answer = ask.output().unwrap();
        String::from_utf8_lossy(&answer.stdout).contains("boolean true")
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        for child in [&mut self.keyring, &mut self.bus] {
            let _ = (child.kill(), child.wait());
        }
    }
}

/// What is kept is of use only to those who can open the keyring; all runs of the command can. T-069
#[test]
fn logins_are_sealed_with_a_key_in_the_keyring() {
    let folder = Folder::new();
    let Some(desktop) = Desktop::start(&folder) else { return };
    add_user(&folder);
    let users = folder.path().join("users.json");
    let demo = HttpDemo::start_with(&["--auth", users.to_str().unwrap()]);
    let url = format!("http://{}/mcp", demo.address);
    let bus = [("DBUS_SESSION_BUS_ADDRESS", desktop.address.as_str())];
    // The keyring is used because it is there.
    let logged_in = log_in_with(&folder, &[&url, "--verbose"], true, &bus);
    assert!(logged_in.code == Some(0) && logged_in.err.contains("sealed with a key in the keyring"), "{logged_in:?}");
    let kept = folder.path().join(".local/share/jackfield/credentials");
    let texts: Vec<String> = std::fs::read_dir(kept)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    assert_eq!(texts.len(), 2, "a client and its tokens");
    assert!(texts.iter().all(|text| text.contains("\"sealed\":true") && !text.contains("everything:use")), "{texts:?}");

    let sum = ["call", &url, "get-sum", "a=2", "b=3"];
    assert_eq!(folder.jackfield(&sum, &bus).ok(), "The sum of 2 and 3 is 5.\n");
    let without = folder.jackfield(&sum, &[]);
    assert!(without.code != Some(0) && without.err.contains("the keyring cannot be used"), "{without:?}");
    assert!(without.err.contains("--credentials file"), "{without:?}");
    assert!(folder.jackfield(&["logout", &url], &bus).ok().contains("logged out"));
    assert_eq!(folder.jackfield(&sum, &bus).code, Some(7));
}
