//! The connection by which commands go.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};
use redis::aio::MultiplexedConnection;
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, FromRedisValue, RedisError, RedisResult, Value, from_redis_value};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::address::Address;
use super::script::Call;
use crate::StoreError;

/// The connection by which commands go: made when it is needed, dropped when it fails, made again with the next command.
pub(super) struct Link {
    pub(super) address: Address,
    /// Milliseconds that are added to the time of the server, for tests.
    pub(super) offset: Arc<AtomicU64>,
    current: Mutex<Option<Numbered>>,
    next: AtomicU64,
    /// Only one connects at a time; the others wait for it.
    turn: Semaphore,
}

#[derive(Clone)]
struct Numbered {
    number: u64,
    wire: Wire,
}

#[derive(Clone)]
enum Wire {
    Single(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl Link {
    pub(super) fn new(address: Address) -> Self {
        Self {
            address,
            offset: Arc::default(),
            current: Mutex::default(),
            next: AtomicU64::new(0),
            turn: Semaphore::new(1),
        }
    }

    /// Runs a script. It fails rather than wait for longer than the address says.
    pub(super) async fn call<T: FromRedisValue>(&self, call: Call) -> Result<T, StoreError> {
        let value = self.within_time(async {
            match self.attempt(&call).await {
                // The connection may have been lost long ago, and nobody has noticed.
                Err(error) if call.is_repeatable && is_lost(&error) => self.attempt(&call).await,
                done => done,
            }
        });
        from_redis_value(value.await?).map_err(|error| StoreError::unavailable(RedisError::from(error)))
    }

    async fn within_time(&self, work: impl Future<Output = RedisResult<Value>>) -> Result<Value, StoreError> {
        match timeout(self.address.timeout, work).await {
            Ok(done) => done.map_err(failure),
            Err(_) => {
                // Whatever is wrong with the connection, the next one may be better.
                self.forget();
                Err(StoreError::unavailable(format!("redis did not answer within {:?}", self.address.timeout)))
            }
        }
    }

    /// Makes another connection for the next command. What is under way on this one goes on.
    pub(super) fn forget(&self) {
        self.current().take();
    }

    async fn attempt(&self, call: &Call) -> RedisResult<Value> {
        let offset = self.offset.load(Ordering::Relaxed);
        match self.send(&call.by_digest(offset)).await {
            Err(error) if error.code() == Some("NOSCRIPT") => self.send(&call.by_text(offset)).await,
            done => done,
        }
    }

    async fn send(&self, command: &Cmd) -> RedisResult<Value> {
        let Numbered { number, wire } = self.connected().await?;
        let answer = match wire {
            Wire::Single(mut wire) => command.query_async(&mut wire).await,
            Wire::Cluster(mut wire) => command.query_async(&mut wire).await,
        };
        if answer.as_ref().is_err_and(is_lost) {
            self.current().take_if(|current| current.number == number);
        }
        answer
    }

    async fn connected(&self) -> RedisResult<Numbered> {
        if let Some(current) = self.current().clone() {
            return Ok(current);
        }
        // It is never closed, and an error would only mean that everyone connects on his own.
        let _turn = self.turn.acquire().await;
        if let Some(current) = self.current().clone() {
            return Ok(current);
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let made = Numbered { number, wire: self.connect().await? };
        *self.current() = Some(made.clone());
        Ok(made)
    }

    async fn connect(&self) -> RedisResult<Wire> {
        let limit = self.address.timeout;
        if self.address.is_cluster {
            let client = ClusterClient::builder(self.address.nodes.clone());
            let client = client.connection_timeout(limit).response_timeout(limit).retries(2).build()?;
            return client.get_async_connection().await.map(Wire::Cluster);
        }
        let node = self.address.nodes.first().cloned();
        let node = node.ok_or_else(|| RedisError::from((redis::ErrorKind::InvalidClientConfig, "there is no host")))?;
        let config = AsyncConnectionConfig::new().set_connection_timeout(Some(limit)).set_response_timeout(Some(limit));
        Client::open(node)?.get_multiplexed_async_connection_with_config(&config).await.map(Wire::Single)
    }

    fn current(&self) -> MutexGuard<'_, Option<Numbered>> {
        self.current.lock()
    }
}

/// Whether another connection may do better.
fn is_lost(error: &RedisError) -> bool {
    // After a failover the old address may lead to a server that only reads.
    error.is_io_error()
        || error.is_connection_dropped()
        || error.is_unrecoverable_error()
        || error.code() == Some("READONLY")
}

/// What went wrong, in the words of a store.
pub(super) fn failure(error: RedisError) -> StoreError {
    match error.code() {
        Some("OOM") => StoreError::Full("data in the memory of redis"),
        _ => StoreError::unavailable(error),
    }
}
