//! Steps that happen whole or not at all: scripts that the server runs.

use std::fmt;
use std::sync::LazyLock;
use std::time::Duration;

use redis::{Cmd, Script};

/// A script, and the digest by which the server knows it.
pub(super) struct Source {
    code: &'static str,
    digest: String,
}

macro_rules! scripts {
    ($($name:ident = $($file:literal)+;)+) => {$(
        pub(super) static $name: LazyLock<Source> = LazyLock::new(|| {
            let code = concat!(include_str!("lua/time.lua") $(, "\n", include_str!(concat!("lua/", $file, ".lua")))+);
            Source { code, digest: Script::new(code).get_hash().to_owned() }
        });
    )+};
}

scripts! {
    PUBLISH = "publish";
    KV_GET = "kv_value" "kv_get";
    KV_TAKE = "kv_value" "kv_take";
    KV_SET = "kv_value" "kv_set";
    SESSION_RESERVE = "session_reserve";
    SESSION_COUNT = "session_count";
    SESSION_SETTLE = "session_settle";
    SESSION_TILL = "session_found" "session_till";
    SESSION_CREATE = "session_found" "session_create";
    SESSION_LOAD = "session_found" "session_load";
    SESSION_TOUCH = "session_found" "session_touch";
    SESSION_CHANGE = "session_found" "session_change";
    SESSION_REMOVE = "session_found" "session_remove";
    EVENT_OPEN = "event_stream" "event_open";
    EVENT_APPEND = "event_stream" "event_append";
    EVENT_READ = "event_stream" "event_read";
    EVENT_KEEP = "event_stream" "event_keep";
    EVENT_REMOVE = "event_stream" "event_remove";
    TASK_RESERVE = "task_owner" "task_reserve";
    TASK_LIST = "task_owner" "task_list";
    TASK_RELEASE = "task_release";
    TASK_CREATE = "task_found" "task_create";
    TASK_GET = "task_found" "task_get";
    TASK_CHANGE = "task_found" "task_change";
    TASK_RENEW = "task_found" "task_renew";
}

/// A call of a script. All keys of a call have the same tag in braces, so that they are on the same node of a cluster.
pub(super) struct Call {
    script: &'static Source,
    keys: Vec<String>,
    args: Vec<Vec<u8>>,
    /// Doing it twice is as good as doing it once.
    pub(super) is_repeatable: bool,
}

impl Call {
    pub(super) fn new(script: &'static Source) -> Self {
        Self { script, keys: Vec::new(), args: Vec::new(), is_repeatable: false }
    }

    /// Says that doing it twice is as good as doing it once.
    pub(super) fn repeatable(mut self) -> Self {
        self.is_repeatable = true;
        self
    }

    pub(super) fn key(mut self, key: impl Into<String>) -> Self {
        self.keys.push(key.into());
        self
    }

    pub(super) fn arg(mut self, arg: impl AsRef<[u8]>) -> Self {
        self.args.push(arg.as_ref().to_vec());
        self
    }

    pub(super) fn number(self, number: impl Into<Number>) -> Self {
        self.arg(number.into().to_string())
    }

    /// By the script's digest; the server knows it unless it is new.
    pub(super) fn by_digest(&self, offset: u64) -> Cmd {
        self.command("EVALSHA", &self.script.digest, offset)
    }

    /// By the script's text.
    pub(super) fn by_text(&self, offset: u64) -> Cmd {
        self.command("EVAL", self.script.code, offset)
    }

    fn command(&self, how: &str, script: &str, offset: u64) -> Cmd {
        let mut command = redis::cmd(how);
        command.arg(script).arg(self.keys.len()).arg(&self.keys).arg(offset);
        for arg in &self.args {
            command.arg(arg);
        }
        command
    }
}

/// A number that a script can count with.
pub(super) struct Number(u64);

/// Scripts count exactly up to 2^53.
const LARGEST: u64 = 1 << 53;
/// Longer than anyone waits: three hundred years.
const LONGEST: u64 = 10_000_000_000_000;

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<usize> for Number {
    fn from(number: usize) -> Self {
        Self(u64::try_from(number).unwrap_or(LARGEST).min(LARGEST))
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self(number.min(LARGEST))
    }
}

impl From<Duration> for Number {
    fn from(time: Duration) -> Self {
        Self(u64::try_from(time.as_millis()).unwrap_or(LONGEST).min(LONGEST))
    }
}
