//! Clients and nodes on a simulated network, where messages are late, links are cut, and nodes crash and come back. Whatever happens,
//! each call ends, ends once, and with its own answer; and when the faults are over, everything works again.
//!
//! Time is simulated too: minutes of it take a moment, and what sleeps here sleeps in that time. What a seed does can be seen again with
//! `JACKFIELD_SEED=7`; there are two hundred of them where `JACKFIELD_LONG` is set, and forty otherwise.

mod caller;
mod faults;
mod node;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use jackfield::Revision;
use jackfield::store::{Clock, Stores, Timestamp};
use turmoil::Builder;

use faults::Faults;
use node::Ledger;

/// Any connection may lead to any node.
const NODES: [&str; 2] = ["east", "west"];
const CALLERS: u64 = 3;
/// How long there are faults.
const TROUBLE: Duration = Duration::from_secs(8);
/// How long a run takes at most, in its own time.
const LONGEST: Duration = Duration::from_secs(300);

/// What the parts of a run know of each other.
#[derive(Clone, Default)]
struct Run {
    ledger: Arc<Ledger>,
    /// The time of the simulation, in milliseconds.
    now: Arc<AtomicU64>,
    /// There will be no more faults.
    is_calm: Arc<AtomicBool>,
    /// Calls that were answered while there were faults, and calls that failed.
    answered: Arc<AtomicU64>,
    failed: Arc<AtomicU64>,
}

impl Run {
    /// Stores that outlive the nodes, and that know what time it is in the simulation.
    fn stores(&self) -> Stores {
        let (now, start) = (self.now.clone(), Timestamp::now());
        let clock: Clock = Arc::new(move || start.after(Duration::from_millis(now.load(Ordering::Relaxed))));
        let all = Stores::memory_with_clock(&clock);
        Stores::shared(
            all.sessions().clone(),
            all.events().clone(),
            all.tasks().clone(),
            all.kv().clone(),
            all.bus().clone(),
        )
    }
}

/// Returns how many calls were answered and how many failed while there were faults.
fn simulate(seed: u64) -> (u64, u64) {
    let run = Run::default();
    let stores = run.stores();
    let mut network = Builder::new()
        .rng_seed(seed)
        .tick_duration(Duration::from_millis(5))
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(60))
        .simulation_duration(LONGEST)
        .tcp_capacity(1024)
        .build();
    for name in NODES {
        let (stores, ledger) = (stores.clone(), run.ledger.clone());
        network.host(name, move || node::serve(stores.clone(), ledger.clone()));
    }
    for number in 0..CALLERS {
        let revision = Revision::ALL[usize::try_from(seed + number).unwrap_or_default() % Revision::ALL.len()];
        network.client(caller::name(number), caller::call_all(run.clone(), number, revision));
    }
    let mut faults = Faults::new(seed);
    loop {
        let elapsed = network.elapsed();
        run.now.store(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        if elapsed < TROUBLE {
            faults.make(&mut network);
        } else if !run.is_calm.swap(true, Ordering::Relaxed) {
            faults.mend(&mut network);
        }
        match network.step() {
            Ok(false) => {}
            Ok(true) => break,
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    run.ledger.check(seed);
    (run.answered.load(Ordering::Relaxed), run.failed.load(Ordering::Relaxed))
}

/// Runs a part of the seeds, of which there are four.
fn seeds(part: u64) {
    let all = part * 50..(part + 1) * 50;
    if let Some(only) = std::env::var("JACKFIELD_SEED").ok().and_then(|seed| seed.parse::<u64>().ok()) {
        if all.contains(&only) {
            simulate(only);
        }
        return;
    }
    let count = if std::env::var_os("JACKFIELD_LONG").is_some() { 50 } else { 10 };
    let runs = all.take(count).map(simulate);
    let (answered, failed) = runs.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    // A network that breaks everything, or nothing, would prove little.
    let runs = count as u64;
    assert!(answered > 20 * runs && failed > 2 * runs, "{runs} runs: {answered} calls were answered, {failed} failed");
}

/// PAT-019, LIFE-021: no call hangs, runs twice, or gets what belongs to another, in any revision, whatever the network does.
/// The seeds are in four tests, so that they share the processors.
#[test]
fn calls_end_on_a_bad_network_1() {
    seeds(0);
}

#[test]
fn calls_end_on_a_bad_network_2() {
    seeds(1);
}

#[test]
fn calls_end_on_a_bad_network_3() {
    seeds(2);
}

#[test]
fn calls_end_on_a_bad_network_4() {
    seeds(3);
}
