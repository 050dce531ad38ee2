//! How many requests a server answers in a second, beside others on the same machine.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use jackfield_wire::{Turn, send_posts};

use super::http::Connection;
use super::scenario::Scenario;

/// Connections over HTTP.
const CONNECTIONS: usize = 16;

/// The ticks of the kernel in a second, which it never tells other programs in another unit.
const TICKS: f64 = 100.0;

/// The requests of all connections to a server.
pub(super) struct Posts {
    address: SocketAddr,
    requests: Vec<Vec<u8>>,
}

impl Posts {
    /// Opens the sessions that the requests need.
    pub(super) fn prepare(address: SocketAddr, scenario: &Scenario) -> Result<Self> {
        let open = || if scenario.is_legacy { Connection::open(address)?.initialize() } else { Ok(None) };
        let request = |_| anyhow::Ok(scenario.post(address, 1, open()?.as_deref()));
        Ok(Self { address, requests: (0..CONNECTIONS).map(request).collect::<Result<_>>()? })
    }

    /// Sends requests over all connections for a while.
    pub(super) fn turn(&self, time: Duration) -> Result<Turn> {
        Ok(send_posts(self.address, &self.requests, time)?)
    }
}

/// Returns how many seconds a process has been running since it was started.
pub(super) fn processor_time(process: u32) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).context("processor times need /proc")?;
    Ok(ticks(&text).context("/proc has another form")? as f64 / TICKS)
}

/// User and system time stand in the fields 14 and 15, counted from the process's id; its name may hold blanks.
fn ticks(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 100.0].into_iter()), 3.0);
    }

    #[test]
    fn times_are_found_behind_any_name() {
        assert_eq!(ticks("7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 12 30 0 0 20 0"), Some(42));
        assert_eq!(ticks("7 nothing"), None);
    }
}
