//! How much memory processes have, and whether it grows.

use std::collections::BTreeMap;
use std::time::Duration;

/// The longest warm-up: what servers keep for clients that come back is forgotten after five minutes.
const WARM_UP: Duration = Duration::from_secs(6 * 60);
/// How much a process may grow in a minute once everything that is kept for some time has found its size.
const LIMIT: f64 = 1024.0;
/// The same in runs that are too short for that.
const LIMIT_OF_SHORT_RUNS: f64 = 20.0 * 1024.0;

/// The processes that live as long as the run.
pub(super) const STEADY: &str = "steady server";
pub(super) const CLIENTS: &str = "clients";

/// Samples of processes: seconds, and kibibytes.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    begins: Duration,
    /// The limit, in kibibytes a minute.
    pub(super) limit: f64,
    series: BTreeMap<(&'static str, u32), Vec<(f64, f64)>>,
}

/// What became of one process.
#[derive(Clone, Debug)]
pub(super) struct Growth {
    pub(super) name: &'static str,
    pub(super) process: u32,
    pub(super) first: f64,
    pub(super) last: f64,
    pub(super) most: f64,
    /// Kibibytes in a minute after the warm-up; `None` if it did not live long enough.
    pub(super) slope: Option<f64>,
}

impl Memory {
    pub(super) fn new(time: Duration) -> Self {
        let is_short = time < WARM_UP * 3;
        let limit = if is_short { LIMIT_OF_SHORT_RUNS } else { LIMIT };
        Self { begins: WARM_UP.min(time / 3), limit, series: BTreeMap::new() }
    }

    /// Takes a sample of each process, and of this one.
    pub(super) fn look(&mut self, now: Duration, steady: Option<u32>, restless: Option<u32>) {
        let all = [(STEADY, steady), ("restless server", restless), (CLIENTS, Some(std::process::id()))];
        for (name, process) in all {
            if let Some((process, kibibytes)) = process.and_then(|process| Some((process, resident(process)?))) {
                self.note(now, name, process, kibibytes);
            }
        }
    }

    /// Keeps a sample.
    pub(super) fn note(&mut self, now: Duration, name: &'static str, process: u32, kibibytes: f64) {
        self.series.entry((name, process)).or_default().push((now.as_secs_f64(), kibibytes));
    }

    pub(super) fn growth(&self) -> Vec<Growth> {
        let growth = |((name, process), samples): (&(&'static str, u32), &Vec<(f64, f64)>)| {
            let sizes = || samples.iter().map(|(_, size)| *size);
            // What a process takes in its first half minute says nothing.
            let born = samples.first().map_or(0.0, |(at, _)| *at);
            let begin = self.begins.as_secs_f64().max(born + 30.0);
            let late: Vec<_> = samples.iter().copied().filter(|(at, _)| *at >= begin).collect();
            Growth {
                name,
                process: *process,
                first: sizes().next().unwrap_or_default(),
                last: sizes().next_back().unwrap_or_default(),
                most: sizes().fold(0.0, f64::max),
                slope: slope(&late).map(|in_a_second| in_a_second * 60.0),
            }
        };
        self.series.iter().map(growth).collect()
    }
}

/// Returns how much memory of a process is in use, in kibibytes.
fn resident(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// The slope of the line that fits best (least squares); none for fewer than 20 samples.
fn slope(samples: &[(f64, f64)]) -> Option<f64> {
    if samples.len() < 20 {
        return None;
    }
    let count = samples.len() as f64;
    let (x, y) = samples.iter().fold((0.0, 0.0), |(x, y), sample| (x + sample.0 / count, y + sample.1 / count));
    let above: f64 = samples.iter().map(|sample| (sample.0 - x) * (sample.1 - y)).sum();
    let below: f64 = samples.iter().map(|sample| (sample.0 - x).powi(2)).sum();
    (below > 0.0).then(|| above / below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_that_of_the_line_that_fits_best() {
        let line: Vec<_> = (0..30).map(|x| (f64::from(x), 7.0 + 3.0 * f64::from(x))).collect();
        assert!((slope(&line).unwrap() - 3.0).abs() < 1e-9);
        let zigzag: Vec<_> = (0..30).map(|x| (f64::from(x), f64::from(x % 2))).collect();
        assert!(slope(&zigzag).unwrap().abs() < 0.01);
        assert_eq!(slope(&line[..5]), None);
    }

    #[test]
    fn this_process_has_some_memory() {
        if cfg!(target_os = "linux") {
            assert!(resident(std::process::id()).unwrap() > 100.0);
        }
        assert_eq!(resident(u32::MAX), None);
    }
}
