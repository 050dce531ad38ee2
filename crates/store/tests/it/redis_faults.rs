//! What happens when Redis is killed, comes back with or without its data, does not answer, or has no room.

use std::time::Duration;

use bytes::Bytes;
use jackfield_store::{
    EventLimits, NewEvent, NewEvents, NewSession, NewTask, Notice, StoreError, Stores, StreamName, Subscription,
    TaskChange, TaskEnd,
};
use jackfield_testkit::RedisServer;

const HOUR: Duration = Duration::from_secs(3600);
const STREAM: StreamName<'static> = StreamName { session: "s", number: 1 };

/// Waits for something that has to happen.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.unwrap()
}

fn event(text: &'static str) -> NewEvents {
    NewEvents::new(vec![NewEvent::new(text)], EventLimits::default())
}

fn open(server: &RedisServer) -> Stores {
    jackfield_store::open(&format!("{}?timeout=2000", server.url())).unwrap()
}

/// Puts something into each store. Returns the name of a task.
async fn fill(stores: &Stores) -> String {
    stores.kv().put("k", Bytes::from_static(b"v"), Some(HOUR)).await.unwrap();
    stores.sessions().create(NewSession::new("s", HOUR).with_owner("o", 3).with_field("f", "v")).await.unwrap();
    stores.events().append(STREAM, event("a")).await.unwrap();
    let mut task = NewTask::new("o");
    task.ttl = Some(HOUR);
    stores.tasks().create(task).await.unwrap().id.to_string()
}

/// Asks each store for something, at the same time, so that one that does not answer is waited for once.
async fn ask_all(stores: &Stores, task: &str) -> Vec<(&'static str, Result<(), StoreError>)> {
    let (kv, sessions, events, tasks, bus) =
        (stores.kv(), stores.sessions(), stores.events(), stores.tasks(), stores.bus());
    let asked = tokio::join!(
        async { kv.get("k").await.map(drop) },
        async { sessions.touch("s", HOUR).await.map(drop) },
        async { events.append(STREAM, event("b")).await.map(drop) },
        async { tasks.get(task).await.map(drop) },
        bus.publish("t", Bytes::new()),
        async { bus.subscribe(&["new"]).await.map(drop) },
        async { tasks.watch(task).await.map(drop) },
    );
    vec![
        ("kv", asked.0),
        ("sessions", asked.1),
        ("events", asked.2),
        ("tasks", asked.3),
        ("bus", asked.4),
        ("subscribe", asked.5),
        ("watch", asked.6),
    ]
}

fn all_unavailable(asked: Vec<(&'static str, Result<(), StoreError>)>) {
    for (what, result) in asked {
        assert!(matches!(result, Err(StoreError::Unavailable(_))), "{what}: {result:?}");
    }
}

async fn hears(subscription: &mut Subscription) -> Notice {
    soon(subscription.next()).await.unwrap()
}

#[tokio::test]
async fn a_killed_server_is_unavailable_and_comes_back_with_its_data() {
    let Some(mut server) = RedisServer::start() else { return };
    let (stores, other) = (open(&server), open(&server));
    let task = fill(&stores).await;
    let mut heard = stores.bus().subscribe(&["t"]).await.unwrap();
    let mut watch = stores.tasks().watch(&task).await.unwrap().unwrap();
    let mut events = stores.events().watch(STREAM).await.unwrap();

    server.kill();
    all_unavailable(soon(ask_all(&stores, &task)).await);

    server.restart();
    // What happens before the listener is back is not heard, but noticed all the same.
    other.events().append(STREAM, event("b").and_finish()).await.unwrap();
    other.tasks().update(&task, TaskChange::end(TaskEnd::Cancelled)).await.unwrap();
    assert_eq!(hears(&mut heard).await, Notice::Missed);
    soon(watch.ended()).await;
    soon(events.changed()).await;
    other.bus().publish("t", Bytes::from_static(b"again")).await.unwrap();
    assert!(matches!(hears(&mut heard).await, Notice::Heard { .. }));

    assert_eq!(stores.kv().get("k").await.unwrap().unwrap(), "v");
    assert_eq!(stores.sessions().load("s").await.unwrap().unwrap().field("f").unwrap(), "v");
    assert_eq!(stores.sessions().count("o").await.unwrap(), 1);
    let chunk = stores.events().read(STREAM, 0, 9).await.unwrap().unwrap();
    assert_eq!(chunk.events.iter().map(|event| event.sequence).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(stores.tasks().get(&task).await.unwrap().unwrap().end, Some(TaskEnd::Cancelled));
}

/// One who listens learns of the restart, so that even what must not be done twice works with the first attempt.
#[tokio::test]
async fn a_restart_that_was_noticed_costs_no_event() {
    let Some(mut server) = RedisServer::start() else { return };
    let stores = open(&server);
    fill(&stores).await;
    let mut heard = stores.bus().subscribe(&["t"]).await.unwrap();
    for _ in 0..3 {
        server.restart();
        assert_eq!(hears(&mut heard).await, Notice::Missed);
        stores.events().append(STREAM, event("b")).await.unwrap();
    }
    let chunk = stores.events().read(STREAM, 0, 9).await.unwrap().unwrap();
    assert_eq!(chunk.events.iter().map(|event| event.sequence).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[tokio::test]
async fn a_server_that_lost_everything_is_empty_and_works() {
    let Some(mut server) = RedisServer::start() else { return };
    let stores = open(&server);
    let task = fill(&stores).await;
    server.forget();
    server.restart();
    assert_eq!(stores.kv().get("k").await.unwrap(), None);
    assert_eq!(stores.sessions().touch("s", HOUR).await.unwrap(), None);
    assert_eq!(stores.events().read(STREAM, 0, 9).await.unwrap(), None);
    assert_eq!(stores.tasks().get(&task).await.unwrap(), None);
    fill(&stores).await;
}

#[tokio::test]
async fn a_frozen_server_is_unavailable_until_it_goes_on() {
    let Some(server) = RedisServer::start() else { return };
    let stores = open(&server);
    let task = fill(&stores).await;
    let mut heard = stores.bus().subscribe(&["t"]).await.unwrap();
    server.freeze();
    all_unavailable(soon(ask_all(&stores, &task)).await);
    server.thaw();
    soon(async { while stores.kv().get("k").await.is_err() {} }).await;
    assert_eq!(stores.kv().get("k").await.unwrap().unwrap(), "v");
    // Whether the listener noticed or not, what is told now is heard in the end.
    soon(async {
        loop {
            stores.bus().publish("t", Bytes::from_static(b"again")).await.unwrap();
            if let Ok(Some(Notice::Heard { .. })) = tokio::time::timeout(Duration::from_millis(200), heard.next()).await
            {
                break;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_that_never_was_there_is_unavailable() {
    let Some(mut server) = RedisServer::start() else { return };
    server.kill();
    let stores = open(&server);
    let problem = soon(stores.check()).await.unwrap_err();
    assert!(matches!(problem, StoreError::Unavailable(_)));
    all_unavailable(soon(ask_all(&stores, "t")).await);
    server.restart();
    stores.check().await.unwrap();
    stores.bus().subscribe(&["t"]).await.unwrap();
}

#[tokio::test]
async fn a_full_server_says_so_and_still_answers() {
    let Some(server) = RedisServer::start_with(&["--maxmemory", "4mb", "--maxmemory-policy", "noeviction"]) else {
        return;
    };
    let stores = open(&server);
    stores.kv().put("small", Bytes::from_static(b"v"), None).await.unwrap();
    let large = Bytes::from(vec![0; 512 * 1024]);
    let refused = async {
        for number in 0..64 {
            stores.kv().put(&number.to_string(), large.clone(), None).await?;
        }
        Ok::<(), StoreError>(())
    };
    let refused = refused.await;
    assert!(matches!(refused, Err(StoreError::Full(_))), "{refused:?}");
    assert_eq!(stores.kv().get("small").await.unwrap().unwrap(), "v");
    stores.kv().remove("0").await.unwrap();
}

#[tokio::test]
async fn a_wrong_password_is_told_and_not_shown() {
    let Some(server) = RedisServer::start_with(&["--requirepass", "right"]) else { return };
    let address = |password: &str| format!("redis://:{password}@127.0.0.1:{}", server.port());
    let stores = jackfield_store::open(&address("wrong-secret")).unwrap();
    let error = stores.check().await.unwrap_err();
    let shown = format!("{error} {error:?} {stores:?}");
    assert!(!shown.contains("wrong-secret") && shown.contains("127.0.0.1"), "{shown}");
    jackfield_store::open(&address("right")).unwrap().check().await.unwrap();
}

/// A user who may not subscribe is told so, and costs neither the server nor the other connection anything.
#[tokio::test]
async fn a_user_who_may_not_subscribe_is_told_so() {
    let Some(server) = RedisServer::start() else { return };
    let user = server.command(&["ACL", "SETUSER", "node", "on", ">secret", "~*", "+@all", "resetchannels"]);
    assert!(user.contains("OK"), "{user}");
    let connections = || {
        let info = server.command(&["INFO", "stats"]);
        let count = info.lines().find_map(|line| line.strip_prefix("total_connections_received:"));
        count.unwrap().trim().parse::<usize>().unwrap()
    };
    let address = format!("redis://node:secret@127.0.0.1:{}?timeout=700", server.port());
    let stores = jackfield_store::open(&address).unwrap();
    stores.kv().put("k", Bytes::from_static(b"v"), None).await.unwrap();
    let before = connections();
    for _ in 0..2 {
        let error = soon(stores.bus().subscribe(&["t"])).await.unwrap_err();
        let mut causes = vec![error.to_string()];
        let mut next = std::error::Error::source(&error);
        while let Some(cause) = next {
            causes.push(cause.to_string());
            next = cause.source();
        }
        assert!(causes.iter().any(|cause| cause.contains("no permissions")), "{causes:?}");
        assert_eq!(stores.kv().get("k").await.unwrap().unwrap(), "v");
    }
    let made = connections() - before;
    assert!(made < 50, "{made} connections");
}
