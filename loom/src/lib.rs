//! What threads of ours share without a lock around everything, as models: loom runs them with every interleaving that memory and
//! scheduler allow, and a wake-up that gets lost is a deadlock that it finds.
//!
//! The code itself is included from the crates that it belongs to. There it takes its atomics and locks from the module `sync` of its
//! crate, here from this one. Each model is a function; the tests call them.

// The included files have tests of their own, which belong where those files do.
#![cfg(not(test))]

mod link;
mod search;
mod sync;

#[path = "../../crates/http/src/connection/activity.rs"]
#[expect(dead_code, reason = "the models use a part of it")]
mod activity;
#[path = "../../crates/server/src/entries/frozen.rs"]
mod frozen;
#[path = "../../crates/http/src/nodes/latest.rs"]
mod latest;
#[path = "../../crates/store/src/bus/mailbox.rs"]
#[expect(dead_code, reason = "the models use a part of it")]
mod mailbox;
#[path = "../../crates/http/src/connection/side_future.rs"]
mod side_future;
#[path = "../../crates/server/src/tasks/slot.rs"]
mod slot;
#[path = "../../crates/client/src/transport/stream_link.rs"]
#[expect(dead_code, reason = "the models use a part of it")]
mod stream_link;
#[path = "../../crates/peer/src/limits/token_bucket.rs"]
#[expect(dead_code, unreachable_pub, reason = "the models use a part of it")]
mod token_bucket;
#[path = "../../crates/http/src/session/usage.rs"]
mod usage;

mod counting;
mod sharing;
mod waking;

pub use counting::{
    a_bucket_gives_all_there_is_and_no_more, a_connection_is_not_taken_for_idle, a_session_is_not_taken_for_idle,
};
pub use sharing::{
    a_change_is_seen_by_whoever_looks_after_it, a_task_is_whole_when_it_is_seen, the_newest_number_wins,
};
pub use waking::{
    a_side_future_is_never_slept_through, every_message_is_written_in_order, what_was_missed_is_told,
    whoever_waits_for_a_task_hears_of_the_end, whoever_waits_for_a_task_is_woken,
};

// What the included files need of their crates.
use jackfield_http::HttpLimits;
use jackfield_peer::Rate;
use link::{Link, NotSent, Outgoing};
use search::model;
