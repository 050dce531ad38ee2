//! Tasks in stores outside of the process: other nodes see them, and so does the next start.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jackfield_server::Tasks;
use jackfield_store::{Redis, Sqlite, Stores, Timestamp};
use jackfield_testkit::RedisServer;

use super::{core_tasks, modern, server_with, share_tasks};
use crate::talk::Talk;

/// A place that several nodes share, whose clock a test moves.
enum Place {
    File(std::path::PathBuf, Arc<AtomicU64>),
    Remote(RedisServer, Arc<AtomicU64>),
}

impl Place {
    /// A file, and a Redis if there is one.
    fn all() -> Vec<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let file = std::env::temp_dir().join(format!("jackfield-tasks-{}-{number}.db", std::process::id()));
        let file = Self::File(file, Arc::new(AtomicU64::new(1_000_000)));
        let remote = RedisServer::start().map(|server| Self::Remote(server, Arc::default()));
        std::iter::once(file).chain(remote).collect()
    }

    /// A way to the place, as each node has its own.
    fn open(&self) -> Stores {
        match self {
            Self::File(path, clock) => {
                let clock = clock.clone();
                let now = Arc::new(move || Timestamp::from_millis(clock.load(Ordering::SeqCst)));
                Sqlite::open_with_clock(path, now).unwrap().stores()
            }
            Self::Remote(server, ahead) => {
                let redis = Redis::open(&server.url()).unwrap();
                redis.time_ahead().store(ahead.load(Ordering::SeqCst), Ordering::SeqCst);
                redis.stores()
            }
        }
    }

    /// Lets time pass for those who open the place from now on, and in a file for all.
    fn pass(&self, seconds: u64) {
        let (Self::File(_, clock) | Self::Remote(_, clock)) = self;
        clock.fetch_add(seconds * 1000, Ordering::SeqCst);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Self::File(path, _) = self {
            for end in ["", "-wal", "-shm"] {
                let _ = std::fs::remove_file(format!("{}{end}", path.display()));
            }
        }
    }
}

fn on(stores: &Stores) -> Tasks {
    Tasks::new().store(stores.tasks().clone())
}

/// A runtime whose clock runs, because stores outside of the process do not stand still with it.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Waits until nothing runs any more.
async fn until_none(running: &std::sync::atomic::AtomicUsize) {
    jackfield_testkit::eventually("the work is stopped", async || running.load(Ordering::SeqCst) == 0).await;
}

/// T-092, TASK-027: a node is asked, waits for the result, and cancels what another works on, which really stops.
#[test]
fn nodes_share_tasks() {
    for place in Place::all() {
        runtime().block_on(async {
            let ((working, running), (other, _)) = (server_with(on(&place.open())), server_with(on(&place.open())));
            share_tasks(working, other).await;
            until_none(&running).await;
        });
    }
}

/// A process that ends without a word leaves its results to the next one, and its unfinished work as failed.
#[test]
fn the_next_start_finds_results_and_ends_what_was_left() {
    for place in Place::all() {
        let (mut done, mut left) = Default::default();
        runtime().block_on(async {
            let (server, _) = server_with(on(&place.open()));
            let mut talk = Talk::of_user(server, "alice");
            talk.play(&core_tasks()).await;
            talk.play(
                r#"
                > 1 tools/call {"name": "broken", "task": {}}
                < 1 {"task": {"taskId": "$done"}}
                < notifications/tasks/status {"status": "failed"}
                > 2 tools/call {"name": "endless", "task": {}}
                < 2 {"task": {"taskId": "$left"}}
                "#,
            )
            .await;
            (done, left) = (talk.known("$done").clone(), talk.known("$left").clone());
        });
        // The runtime is gone, and with it everyone who could have said that the work goes on.
        place.pass(31);
        runtime().block_on(async {
            let (server, _) = server_with(on(&place.open()));
            let mut talk = Talk::of_user(server, "alice");
            talk.play(&core_tasks()).await;
            talk.remember("$done", done);
            talk.remember("$left", left);
            talk.play(
                r#"
                > 1 tasks/result {"taskId": "$done"}
                < 1 error 7 it broke
                > 2 tasks/list
                < 2 {"tasks": [{"status": "failed"}, {"status": "failed", "statusMessage": "the server that worked on the task has gone"}]}
                > 3 tasks/result {"taskId": "$left"}
                < 3 error -32603 the server that worked on the task has gone
                "#,
            )
            .await;
        });
    }
}

/// Without its store a call as a task is refused in clear words, and other calls go on.
#[test]
fn calls_that_need_no_store_go_on_without_it() {
    let Some(mut server) = RedisServer::start() else { return };
    runtime().block_on(async {
        let stores = jackfield_store::open(&server.url()).unwrap();
        let (node, _) = server_with(on(&stores));
        let mut talk = Talk::new(node);
        talk.play(&modern()).await;
        server.kill();
        talk.play(
            r#"
            > 1 tools/call {"name": "endless"}
            < 1 error -32603 not available at the moment data {"status": 503}
            > 2 tools/call {"name": "plain"}
            < 2 {"content": [{"text": "plain"}]}
            "#,
        )
        .await;
        server.restart();
        talk.play("> 3 tools/call {\"name\": \"endless\"}\n < 3 {\"taskId\": \"*\"}").await;
    });
}
