//! One connection: which HTTP it speaks, who writes to it, and how long it may take.
//!
//! hyper reads requests and writes answers. Around it stands what follows from five of its habits. Figures are instructions and memory as
//! they were counted when each part came; tests named here fail without it.
//!
//! - **It keeps its buffers.** 8 KiB to read into and 8 KiB to write from stay for as long as a connection lives, and a second read buffer
//!   while it waits for the client to go. A stream that is open for hours needs none of them. So the response is taken from hyper before its
//!   head is written (`serve::StreamSlot`), [`streaming`] writes it, and hyper gets the connection back afterwards. 16 KiB for each
//!   open stream; `a_connection_goes_on_after_a_stream`, `nothing_is_lost_between_streams`, `cargo xtask bench --memory`.
//!   The automatic builder of hyper-util does not give a connection back, so that [`protocol`] tells HTTP/1 from HTTP/2.
//! - **It looks for the end of the connection before the handler was asked**, with a read and a new buffer for each request. `half_close`
//!   switches that off; instead [`hyper_io`] lends the bytes to hyper, and looks itself, but only while a request takes its time. 1,700
//!   instructions and two system calls of each request that is ready at once, together with the next one;
//!   `what_a_look_has_read_is_not_lost`, `what_comes_while_a_request_is_served_waits`.
//! - **It wakes its own task when the last piece of a body is taken**, so that the whole connection is polled again for nothing.
//!   [`filtered_waker`] leaves that out; `a_body_in_several_pieces_is_read_to_its_end`.
//! - **It cannot drop the rest of a body of which somebody else has read a part.** Until a body is taken or given up, [`request_body`] keeps
//!   our look off the connection. This is for correctness: without it a refused request resets the connection, and 4 MiB cost 65,000
//!   reads. `a_large_body_takes_few_reads`, `a_refusal_before_the_body_came_leaves_the_connection_usable`.
//! - **Its timers are made for each request.** They are off: [`activity`] notes what the connection does, without a clock, and one watchdog
//!   beside it reads the clock. [`side_future`] polls that watchdog and the shutdown only when they have something to say, and not
//!   whenever a request comes. `slow_clients_are_let_go`, `an_idle_connection_is_kept_for_a_while`; what threads share there has models in
//!   loom (`a_connection_is_not_taken_for_idle`, `a_side_future_is_never_slept_through`).
//!
//! [`io`] measures how long a write is stuck (`a_client_that_vanishes_without_a_word_is_found`), and keeps what a look has read.
//! `writev(false)` in [`protocol`] makes head and body leave in one buffer, which costs less than a list of two.

mod activity;
mod filtered_waker;
mod hyper_io;
mod io;
mod protocol;
mod request_body;
mod serve;
mod side_future;
mod streaming;
#[cfg(test)]
mod tests;

pub(crate) use activity::Busy;
pub(crate) use filtered_waker::without_waking;
pub(crate) use protocol::Protocol;
pub(crate) use serve::serve;
