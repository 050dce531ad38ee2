//! Stores in Redis: the contract, alone and as a cluster, and what a step costs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use jackfield_store::contract::{
    BUS_CHECKS, EVENT_CHECKS, KV_CHECKS, SESSION_CHECKS, Setting, StoresCheck, StoresSetting, TASK_CHECKS,
};
use jackfield_store::{Boxed, NewTask, Redis, Stores, TaskChange, TaskEnd};
use jackfield_testkit::RedisServer;

/// A Redis, and clocks that a test moves.
pub(crate) struct Remote {
    url: String,
    next: AtomicU64,
    ahead: Mutex<Vec<Arc<AtomicU64>>>,
}

impl Remote {
    pub(crate) fn new(url: &str) -> Self {
        Self { url: url.to_owned(), next: AtomicU64::new(0), ahead: Mutex::default() }
    }
}

impl Setting for Remote {
    fn pass(&self, time: Duration) -> Boxed<'_, ()> {
        for ahead in self.ahead.lock().unwrap().iter() {
            ahead.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::Relaxed);
        }
        Box::pin(std::future::ready(()))
    }
}

impl StoresSetting for Remote {
    /// Two nodes with names that nobody else uses.
    fn pair(&self) -> Boxed<'_, (Stores, Stores)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let url = format!("{}?prefix=t{number}:&timeout=10000", self.url);
        let open = || {
            let redis = Redis::open(&url).unwrap();
            self.ahead.lock().unwrap().push(redis.time_ahead().clone());
            redis.stores()
        };
        let pair = (open(), open());
        Box::pin(std::future::ready(pair))
    }
}

async fn contract(url: &str, checks: &[StoresCheck]) {
    let setting = Remote::new(url);
    for (_, check) in checks {
        check(&setting).await;
    }
}

/// TASK-014, TASK-015, TASK-016: a task begins as working, and its end never changes.
#[tokio::test]
async fn tasks_keep_the_contract() {
    let Some(server) = RedisServer::start() else { return };
    let setting = Remote::new(&server.url());
    for (_, check) in TASK_CHECKS {
        check(&setting).await;
    }
}

#[tokio::test]
async fn sessions_keep_the_contract() {
    let Some(server) = RedisServer::start() else { return };
    contract(&server.url(), SESSION_CHECKS).await;
}

#[tokio::test]
async fn events_keep_the_contract() {
    let Some(server) = RedisServer::start() else { return };
    contract(&server.url(), EVENT_CHECKS).await;
}

#[tokio::test]
async fn values_keep_the_contract() {
    let Some(server) = RedisServer::start() else { return };
    contract(&server.url(), KV_CHECKS).await;
}

#[tokio::test]
async fn the_bus_keeps_the_contract() {
    let Some(server) = RedisServer::start() else { return };
    contract(&server.url(), BUS_CHECKS).await;
}

/// Three nodes, each with a third of the slots.
fn cluster() -> Option<Vec<RedisServer>> {
    let arguments = ["--cluster-enabled", "yes", "--cluster-node-timeout", "5000"];
    let nodes = (0..3).map(|_| RedisServer::start_with(&arguments)).collect::<Option<Vec<_>>>()?;
    for (node, slots) in nodes.iter().zip([("0", "5460"), ("5461", "10922"), ("10923", "16383")]) {
        assert_eq!(node.command(&["CLUSTER", "ADDSLOTSRANGE", slots.0, slots.1]), "+OK");
    }
    for (number, node) in nodes.iter().enumerate() {
        assert_eq!(node.command(&["CLUSTER", "SET-CONFIG-EPOCH", &(number + 1).to_string()]), "+OK");
    }
    for other in &nodes[1..] {
        assert_eq!(nodes[0].command(&["CLUSTER", "MEET", "127.0.0.1", &other.port().to_string()]), "+OK");
    }
    for node in &nodes {
        // Nodes of a cluster find each other by gossip; there is no event for it.
        let is_ready = || node.command(&["CLUSTER", "INFO"]).contains("cluster_state:ok");
        jackfield_testkit::eventually_blocking("the cluster is ready", is_ready);
    }
    Some(nodes)
}

/// What belongs together is on one node, and what does not is found wherever it is.
#[tokio::test]
async fn a_cluster_keeps_the_contract() {
    let Some(nodes) = cluster() else { return };
    let hosts: Vec<_> = nodes.iter().map(|node| format!("127.0.0.1:{}", node.port())).collect();
    let setting = Remote::new(&format!("redis+cluster://{}", hosts.join(",")));
    for (_, check) in [SESSION_CHECKS, EVENT_CHECKS, KV_CHECKS, BUS_CHECKS].into_iter().flatten() {
        check(&setting).await;
    }
    for (_, check) in TASK_CHECKS {
        check(&setting).await;
    }
    assert!(nodes.iter().all(|node| node.calls_of("evalsha") > 0), "every node has a part of it");
}

/// How often the stores have asked the server for something.
fn asked(server: &RedisServer) -> u64 {
    ["evalsha", "eval", "publish", "subscribe"].into_iter().map(|command| server.calls_of(command)).sum()
}

#[tokio::test]
async fn a_step_of_a_task_takes_at_most_three_round_trips() {
    let Some(server) = RedisServer::start() else { return };
    let tasks = jackfield_store::open(&server.url()).unwrap().tasks().clone();
    let end = || TaskChange::end(TaskEnd::Completed(Bytes::from_static(b"{}")));
    // The scripts are sent with the first use of each.
    let (warm, _watch) = tasks.create_watched(NewTask::new("o")).await.unwrap();
    tasks.get(warm.id.as_str()).await.unwrap();
    tasks.update(warm.id.as_str(), end()).await.unwrap();

    let mut before = asked(&server);
    let mut cost = || {
        let now = asked(&server);
        // What scripts publish is part of their own round trip.
        let spent = now - before;
        before = now;
        spent
    };
    let (task, mut watch) = tasks.create_watched(NewTask::new("o")).await.unwrap();
    let created = cost();
    tasks.get(task.id.as_str()).await.unwrap();
    let polled = cost();
    tasks.update(task.id.as_str(), end()).await.unwrap();
    let published = 1;
    let finished = cost() - published;
    watch.ended().await;
    assert!(created <= 3 && polled <= 3 && finished <= 3, "created {created}, polled {polled}, finished {finished}");
    assert_eq!((created, polled, finished), (3, 1, 2));
}
