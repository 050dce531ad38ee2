//! Servers that are running and take turns.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use jackfield_wire::{Pipes, Turn};

use super::super::conversation::within;
use super::super::processors::Processors;
use super::super::rate::{self, Posts};
use super::super::scenario::Scenario;
use super::servers::{Peer, Way};
use super::table::Rate;
use crate::child::Listening;

/// Turns of each server, and how long a turn is.
const TURNS: usize = 9;
const TURN: Duration = Duration::from_millis(200);
/// A turn that takes so long never ends.
const DEADLINE: Duration = Duration::from_mins(1);

/// Requests of a batch, of which two are under way, and how many batches there are before ids come again.
const BATCH: u64 = 32;
const BATCHES: u64 = 8;

/// Lets all servers answer in turns; returns what each showed, or the first thing that went wrong with it.
pub(super) fn rates(
    peers: &[Peer],
    way: Way,
    scenario: &Scenario,
    processors: &Processors,
    folder: &Path,
) -> Result<Vec<Result<Rate>>> {
    let _stay = processors.stay()?;
    let open = |peer: &Peer| Open::start(peer, way, scenario, processors, &peer.log(folder));
    let mut servers: Vec<Result<Open>> = peers.iter().map(open).collect();
    let mut shown: Vec<Shown> = peers.iter().map(|_| Shown::default()).collect();
    for _ in 0..TURNS {
        for (server, shown) in servers.iter_mut().zip(&mut shown) {
            if let Ok(open) = server
                && let Err(error) = shown.take(open)
            {
                *server = Err(error);
            }
        }
    }
    Ok(servers.into_iter().zip(shown).map(|(server, shown)| server.map(|_| shown.rate())).collect())
}

/// What the turns of a server showed.
#[derive(Default)]
struct Shown {
    rates: Vec<f64>,
    /// Seconds of processor time.
    of_sender: f64,
    of_server: f64,
}

impl Shown {
    fn take(&mut self, open: &mut Open) -> Result<()> {
        let (sender, server) = (rate::processor_time(std::process::id())?, rate::processor_time(open.process())?);
        let turn = open.turn()?;
        self.rates.push(turn.rate());
        self.of_sender += rate::processor_time(std::process::id())? - sender;
        self.of_server += rate::processor_time(open.process())? - server;
        Ok(())
    }

    /// The median of all turns. Processor times are put beside each other rather than beside the time that went by, in which others
    /// may have been running.
    fn rate(&self) -> Rate {
        Rate { median: rate::median(self.rates.iter().copied()), sender: self.of_sender / self.of_server }
    }
}

/// A server that is running. It ends with this.
enum Open {
    Pipes { child: Child, pipes: Pipes, batches: Vec<Vec<u8>> },
    Http { server: Listening, posts: Posts },
}

impl Open {
    /// Starts a server, and shakes hands if the scenario does.
    fn start(peer: &Peer, way: Way, scenario: &Scenario, processors: &Processors, log: &Path) -> Result<Self> {
        match way {
            Way::Pipes => Self::start_on_pipes(peer.command(processors, None), scenario, log),
            Way::Http => {
                let server = Listening::start(|address: SocketAddr| peer.command(processors, Some(address)), log)?;
                let posts = Posts::prepare(server.address, scenario)?;
                Ok(Self::Http { server, posts })
            }
        }
    }

    fn start_on_pipes(mut command: Command, scenario: &Scenario, log: &Path) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(std::fs::File::create(log)?);
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let input = child.stdin.take().context("the input is piped")?;
        let pipes = Pipes::new(input, child.stdout.take().context("the output is piped")?);
        let batches = scenario.turns(BATCHES, BATCH).split_off(scenario.turns(0, 0).len());
        let batches = batches.into_iter().map(|turn| turn.lines.into_bytes()).collect();
        let mut open = Self::Pipes { child, pipes, batches };
        open.on_pipes(|pipes, _| {
            scenario.turns(1, 1).iter().try_for_each(|turn| pipes.exchange(turn.lines.as_bytes(), turn.answers))
        })?;
        Ok(open)
    }

    fn process(&self) -> u32 {
        match self {
            Self::Pipes { child, .. } => child.id(),
            Self::Http { server, .. } => server.process(),
        }
    }

    /// Sends requests for a while.
    fn turn(&mut self) -> Result<Turn> {
        match self {
            Self::Http { posts, .. } => posts.turn(TURN),
            Self::Pipes { .. } => self.on_pipes(|pipes, batches| pipes.turn(batches, BATCH, TURN)),
        }
    }

    /// Does something with the pipes; a server that does not answer is ended.
    fn on_pipes<T>(&mut self, work: impl FnOnce(&mut Pipes, &[Vec<u8>]) -> std::io::Result<T>) -> Result<T> {
        let Self::Pipes { child, pipes, batches } = self else { bail!("this server has no pipes") };
        let (in_time, done) = within(DEADLINE, child, || work(pipes, batches));
        if !in_time {
            bail!("no answer for {} s", DEADLINE.as_secs());
        }
        Ok(done?)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Self::Pipes { child, .. } = self {
            // Both fail only when it has ended already, which is what we want.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_the_median_of_its_turns() {
        let rate = Shown { rates: vec![200.0, 100.0, 2_000.0], of_sender: 0.5, of_server: 2.0 }.rate();
        assert_eq!((rate.median, rate.sender), (200.0, 0.25));
    }
}
