//! The run as a whole.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use jackfield::protocol::Revision;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::Report;
use super::faults::{Fault, Sites};
use super::ledger::{Ledger, Place};
use super::memory::Memory;
use super::worker::{Way, Worker};
use crate::nodes::{NodeProcess, Proxy};

/// What to do for how long.
#[derive(Clone, Debug)]
pub struct Soak {
    /// The `jackfield` command, which serves.
    pub program: PathBuf,
    /// How long.
    pub time: Duration,
    /// How much time there is from one fault to the next.
    pub pause: Duration,
    /// Where the random numbers begin.
    pub seed: u64,
}

/// How long workers may take to end what they are doing.
const LEAVING: Duration = Duration::from_secs(60);

impl Soak {
    /// Starts servers and clients, and returns what was seen.
    ///
    /// # Errors
    /// A server cannot be started.
    pub async fn run(&self) -> Result<Report> {
        let arguments = |address: std::net::SocketAddr| {
            ["serve", "everything", "--http", &address.to_string()].map(str::to_owned).into()
        };
        let start = || async { NodeProcess::with(&self.program, arguments).await.context("the server does not start") };
        let (steady, restless) = (start().await?, start().await?);
        let steady_proxy = Proxy::start(vec![steady.address()]).await?;
        let restless_proxy = Proxy::start(vec![restless.address()]).await?;
        let ledger = Arc::new(Ledger::new());
        let (stop, stopped) = watch::channel(false);
        let mut workers = JoinSet::new();
        let places = [(Place::Steady, &steady_proxy), (Place::Restless, &restless_proxy)];
        for (number, worker) in self.workers(&places).into_iter().enumerate() {
            ledger.begin(&worker.name());
            let seed = self.seed.wrapping_mul(1000).wrapping_add(number as u64 + 1);
            workers.spawn(worker.work(ledger.clone(), stopped.clone(), seed));
        }
        let mut sites = Sites { steady, restless, proxies: [steady_proxy, restless_proxy], seed: self.seed };
        let memory = self.watch(&mut sites, &ledger).await;
        stop.send_replace(true);
        let leaving = async {
            while let Some(ended) = workers.join_next().await {
                if let Err(error) = ended {
                    ledger.wrong(&format!("a worker came to a bad end: {error}"));
                }
            }
        };
        let ended = tokio::time::timeout(LEAVING, leaving).await;
        if ended.is_err() {
            ledger.hung(&format!("{} workers do not end", workers.len()));
        }
        Ok(Report { time: self.time, ledger: ledger.seen(), memory, faults: ledger.faults() })
    }

    /// Every transport with every revision that it has, on both servers.
    fn workers(&self, places: &[(Place, &Proxy)]) -> Vec<Worker> {
        let mut workers: Vec<_> = Revision::ALL
            .into_iter()
            .map(|revision| Worker { place: Place::Children, way: Way::Child(self.program.clone()), revision })
            .collect();
        let (first, later) = Revision::ALL.split_first().unwrap_or((&Revision::LATEST, &[]));
        for (place, proxy) in places {
            let url = |path: &str| format!("http://{}/{path}", proxy.address());
            workers.push(Worker { place: *place, way: Way::HttpSse(url("sse")), revision: *first });
            workers.extend(later.iter().map(|revision| Worker {
                place: *place,
                way: Way::Http(url("mcp")),
                revision: *revision,
            }));
        }
        workers
    }

    /// Makes faults and looks at the memory until the time is over, or a server does not come back from a fault.
    async fn watch(&self, sites: &mut Sites, ledger: &Arc<Ledger>) -> Memory {
        let (begin, mut memory) = (Instant::now(), Memory::new(self.time));
        let mut second = tokio::time::interval(Duration::from_secs(1));
        let mut faults = Fault::ALL.into_iter().cycle();
        // The last fault has as much time to show what it does as the others.
        let mut due = begin + self.pause / 2;
        while begin.elapsed() < self.time {
            second.tick().await;
            memory.look(begin.elapsed(), sites.steady.id(), sites.restless.id());
            if Instant::now() >= due && begin.elapsed() + self.pause / 2 <= self.time {
                due += self.pause;
                if let Some(fault) = faults.next()
                    && let Err(error) = sites.make(fault, ledger).await
                {
                    ledger.wrong(&format!("after {}: {error:#}", fault.name()));
                    return memory;
                }
            }
        }
        memory
    }
}
