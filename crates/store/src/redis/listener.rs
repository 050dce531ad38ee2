//! The connection by which notices come.

use std::collections::HashSet;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use parking_lot::{Mutex, MutexGuard};
use redis::aio::{PubSub, PubSubSink, PubSubStream};
use redis::{Client, Msg, RedisResult};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};

use super::link::{Link, failure};
use crate::StoreError;
use crate::bus::Hub;
use crate::task::watchers::{Watchers, read_notice};
use crate::together::together;

/// How often the connection is tried, and topics are given up that nobody wants any more.
const PULSE: Duration = Duration::from_secs(2);
/// How long to wait before the next attempt to connect: the first time, and at most.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// What all parts of the stores share.
pub(super) struct Shared {
    pub(super) link: Link,
    pub(super) bus: Arc<Hub>,
    pub(super) events: Arc<Hub>,
    pub(super) tasks: Watchers,
    /// Counts how often something new was wanted.
    wanted: watch::Sender<u64>,
    /// Up to which of these counts everything is subscribed to.
    confirmed: watch::Sender<u64>,
    /// Why the connection by which notices come ended last, if none has worked since.
    trouble: Mutex<Option<Arc<StoreError>>>,
}

/// Nothing is heard of what was asked for.
#[derive(Debug, thiserror::Error)]
#[error("redis took no subscription within {limit:?}")]
struct NoSubscription {
    limit: Duration,
    #[source]
    cause: Option<Arc<StoreError>>,
}

/// Which of the three a channel belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Channel {
    Bus,
    Events,
    Task,
}

impl Shared {
    pub(super) fn new(link: Link) -> Self {
        Self {
            link,
            bus: Hub::new(),
            events: Hub::new(),
            tasks: Watchers::default(),
            wanted: watch::Sender::new(0),
            confirmed: watch::Sender::new(0),
            trouble: Mutex::default(),
        }
    }

    /// The name of a channel.
    pub(super) fn channel(&self, kind: Channel, topic: &str) -> String {
        let mark = match kind {
            Channel::Bus => "bus",
            Channel::Events => "event",
            Channel::Task => "task",
        };
        format!("{}{mark}:{topic}", self.link.address.prefix)
    }

    /// Waits until everything is subscribed to that someone wants now.
    pub(super) async fn subscribed(&self) -> Result<(), StoreError> {
        let mut confirmed = self.confirmed.subscribe();
        let mut count = 0;
        self.wanted.send_modify(|wanted| {
            *wanted = wanted.saturating_add(1);
            count = *wanted;
        });
        let limit = self.link.address.timeout;
        match timeout(limit, confirmed.wait_for(|confirmed| *confirmed >= count)).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(StoreError::unavailable(NoSubscription { limit, cause: self.trouble().clone() })),
        }
    }

    fn trouble(&self) -> MutexGuard<'_, Option<Arc<StoreError>>> {
        self.trouble.lock()
    }

    fn channels(&self) -> HashSet<String> {
        let bus = self.bus.wanted().into_iter().map(|topic| self.channel(Channel::Bus, &topic));
        let events = self.events.wanted().into_iter().map(|topic| self.channel(Channel::Events, &topic));
        let tasks = self.tasks.ids().into_iter().map(|id| self.channel(Channel::Task, &id));
        bus.chain(events).chain(tasks).collect()
    }

    fn hear(&self, message: &Msg) {
        let Some(name) = message.get_channel_name().strip_prefix(&self.link.address.prefix) else { return };
        let payload = message.get_payload_bytes();
        match name.split_once(':') {
            Some(("bus", topic)) => self.bus.tell(topic, &Bytes::copy_from_slice(payload)),
            Some(("event", topic)) => self.events.tell(topic, &Bytes::new()),
            Some(("task", id)) => {
                if let Some((version, stage)) = read_notice(payload) {
                    self.tasks.tell(id, version, stage);
                }
            }
            _ => {}
        }
    }

    /// After a time without connection everyone has to look again.
    async fn missed(&self) {
        self.bus.tell_missed();
        self.events.tell_missed();
        let ids = self.tasks.ids();
        let found = together(ids.iter().map(|id| self.task(id)).collect()).await;
        for (id, found) in ids.iter().zip(found) {
            // What cannot be found out now is found out by those who look at the task themselves.
            match found {
                Ok(Some(record)) => self.tasks.tell(id, record.version, record.stage()),
                Ok(None) => self.tasks.gone(id),
                Err(_) => {}
            }
        }
    }
}

/// Hears notices for as long as someone may want them. A connection that was lost is made again, and what may have been missed
/// meanwhile is told.
pub(super) async fn listen(shared: Arc<Shared>) {
    let (mut was_connected, mut wait, mut node) = (false, FIRST_WAIT, 0);
    loop {
        let limit = shared.link.address.timeout;
        let (began, mut worked) = (Instant::now(), false);
        let ended = match timeout(limit, connect(&shared.link, node)).await {
            Ok(Ok(connection)) => {
                let (sink, stream) = connection.split();
                let mut hearing = Hearing { shared: &shared, sink, stream, channels: HashSet::new() };
                hearing.run(was_connected, &mut worked).await
            }
            Ok(Err(error)) => Err(failure(error)),
            Err(late) => Err(StoreError::unavailable(late)),
        };
        if let Err(error) = ended {
            *shared.trouble() = Some(Arc::new(error));
        }
        if worked {
            // What ended this connection has probably ended the other too; better that nobody has to find out by a failure.
            shared.link.forget();
            was_connected = true;
        }
        if worked && began.elapsed() >= FIRST_WAIT {
            wait = FIRST_WAIT;
        } else {
            // One that ends as soon as it is made, for example because the user may not subscribe, must not be made without a pause.
            sleep(wait).await;
            wait = wait.saturating_mul(2).min(LONGEST_WAIT);
        }
        node = node.wrapping_add(1);
    }
}

/// Connects to one of the nodes: in a cluster, each of them tells everything.
async fn connect(link: &Link, node: usize) -> RedisResult<PubSub> {
    let nodes = &link.address.nodes;
    let node = nodes.get(node.checked_rem(nodes.len()).unwrap_or_default()).cloned();
    let node = node.ok_or((redis::ErrorKind::InvalidClientConfig, "there is no host"))?;
    Client::open(node)?.get_async_pubsub().await
}

async fn next(stream: &mut PubSubStream) -> Option<Msg> {
    poll_fn(|cx| Pin::new(&mut *stream).poll_next(cx)).await
}

/// A connection by which notices come.
struct Hearing<'a> {
    shared: &'a Arc<Shared>,
    sink: PubSubSink,
    stream: PubSubStream,
    channels: HashSet<String>,
}

impl Hearing<'_> {
    /// Hears notices until the connection is lost; `works` is set when it could do so.
    async fn run(&mut self, again: bool, works: &mut bool) -> Result<(), StoreError> {
        let mut wanted = self.shared.wanted.subscribe();
        self.agree(&mut wanted).await?;
        *works = true;
        *self.shared.trouble() = None;
        let mut pulse = interval_at(Instant::now() + PULSE, PULSE);
        pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
        if again {
            self.shared.missed().await;
        }
        loop {
            tokio::select! {
                biased;
                changed = wanted.changed() => match changed {
                    Ok(()) => self.agree(&mut wanted).await?,
                    Err(_) => return Ok(()),
                },
                message = next(&mut self.stream) => match message {
                    Some(message) => self.shared.hear(&message),
                    None => return Ok(()),
                },
                _ = pulse.tick() => {
                    self.agree(&mut wanted).await?;
                    let limit = self.shared.link.address.timeout;
                    let alive = timeout(limit, self.sink.ping::<redis::Value>()).await;
                    alive.map_err(StoreError::unavailable)?.map_err(failure)?;
                }
            }
        }
    }

    /// Subscribes to what is wanted, and to nothing else.
    async fn agree(&mut self, wanted: &mut watch::Receiver<u64>) -> Result<(), StoreError> {
        let count = *wanted.borrow_and_update();
        let channels = self.shared.channels();
        let limit = self.shared.link.address.timeout;
        let new: Vec<&String> = channels.difference(&self.channels).collect();
        if !new.is_empty() {
            let subscribed = timeout(limit, self.sink.subscribe(&new)).await;
            subscribed.map_err(StoreError::unavailable)?.map_err(failure)?;
        }
        let old: Vec<&String> = self.channels.difference(&channels).collect();
        if !old.is_empty() {
            let left = timeout(limit, self.sink.unsubscribe(&old)).await;
            left.map_err(StoreError::unavailable)?.map_err(failure)?;
        }
        self.channels = channels;
        self.shared.confirmed.send_modify(|confirmed| *confirmed = (*confirmed).max(count));
        Ok(())
    }
}
