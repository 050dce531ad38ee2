//! What was seen in a run, as a table.

use std::fmt;
use std::time::Duration;

use super::ledger::{Seen, Window};
use super::memory::{CLIENTS, Memory, STEADY};

/// What was seen in a run.
#[derive(Debug)]
pub struct Report {
    pub(super) time: Duration,
    pub(super) ledger: Seen,
    pub(super) memory: Memory,
    pub(super) faults: Vec<Window>,
}

impl Report {
    /// Returns why the run failed; nothing if it did not.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let splits = self.ledger.ways.values().flat_map(|count| count.errors.values());
        let unexplained: u64 = splits.map(|split| split.unexplained).sum();
        let counted = [
            (unexplained, "errors that no fault explains"),
            (self.ledger.wrong.len() as u64, "wrong answers"),
            (self.ledger.hung.len() as u64, "things that do not end"),
        ];
        let mut failures: Vec<_> = counted
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let idle = self.ledger.ways.iter().filter(|(_, count)| count.good == 0);
        failures.extend(idle.map(|(way, _)| format!("no call of {way} went well")));
        let growth = self.memory.growth();
        for growing in growth.iter().filter(|growth| growth.slope.is_some_and(|slope| slope > self.memory.limit)) {
            failures.push(format!("the memory of the {} grows", growing.name));
        }
        for name in [STEADY, CLIENTS] {
            if !growth.iter().any(|growth| growth.name == name && growth.slope.is_some()) {
                failures.push(format!("the memory of the {name} was not seen long enough"));
            }
        }
        failures
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Soak of {:.0} minutes\n", self.time.as_secs_f64() / 60.0)?;
        match self.failures().as_slice() {
            [] => writeln!(f, "Passed.\n")?,
            failures => writeln!(f, "FAILED: {}.\n", failures.join(", "))?,
        }
        writeln!(f, "| client | good | explained errors | unexplained errors |\n| --- | ---: | ---: | ---: |")?;
        for (way, count) in &self.ledger.ways {
            let (explained, unexplained) = count
                .errors
                .values()
                .fold((0, 0), |(some, others), split| (some + split.explained, others + split.unexplained));
            writeln!(f, "| {way} | {} | {explained} | {unexplained} |", count.good)?;
        }
        writeln!(f, "\n| client | error | explained | unexplained |\n| --- | --- | ---: | ---: |")?;
        for (way, count) in &self.ledger.ways {
            for (class, split) in &count.errors {
                writeln!(f, "| {way} | {class} | {} | {} |", split.explained, split.unexplained)?;
            }
        }
        writeln!(f, "\n| fault | from, s | to, s |\n| --- | ---: | ---: |")?;
        for fault in &self.faults {
            let end = fault.end.map_or_else(|| "-".to_owned(), |end| format!("{:.1}", end.as_secs_f64()));
            writeln!(f, "| {} | {:.1} | {end} |", fault.name, fault.begin.as_secs_f64())?;
        }
        writeln!(f, "\nMemory in KiB; at most {:.0} more in a minute after the warm-up.\n", self.memory.limit)?;
        writeln!(f, "| process | first | last | most | a minute |\n| --- | ---: | ---: | ---: | ---: |")?;
        for growth in self.memory.growth() {
            let slope = growth.slope.map_or_else(|| "-".to_owned(), |slope| format!("{slope:.0}"));
            let (first, last, most) = (growth.first, growth.last, growth.most);
            writeln!(f, "| {} ({}) | {first:.0} | {last:.0} | {most:.0} | {slope} |", growth.name, growth.process)?;
        }
        let lists = [
            ("Errors that no fault explains", &self.ledger.told),
            ("Wrong answers", &self.ledger.wrong),
            ("What does not end", &self.ledger.hung),
        ];
        for (title, lines) in lists.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            writeln!(f, "\n## {title}\n")?;
            for line in lines {
                writeln!(f, "- {line}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::ledger::{Ledger, Place};
    use super::*;

    /// A run of a minute in which a call of `stdio` went well, and both processes grew by that many kibibytes in a minute.
    fn report(steady: f64, clients: f64, events: impl FnOnce(&Ledger)) -> Report {
        let (ledger, time) = (Ledger::new(), Duration::from_secs(60));
        ledger.good("stdio");
        events(&ledger);
        let mut memory = Memory::new(time);
        for second in 0..60_u32 {
            for (name, growth) in [(STEADY, steady), (CLIENTS, clients)] {
                memory.note(Duration::from_secs(second.into()), name, 1, 10_000.0 + growth * f64::from(second) / 60.0);
            }
        }
        Report { time, ledger: ledger.seen(), memory, faults: ledger.faults() }
    }

    #[track_caller]
    fn check(report: &Report, expected: &[&str]) {
        assert_eq!(report.failures(), expected);
        let verdict = if expected.is_empty() { "Passed." } else { "FAILED: " };
        assert!(report.to_string().contains(verdict), "{report}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_passes_when_faults_explain_its_errors() {
        let fault_and_error = |ledger: &Ledger| {
            ledger.fault("server killed", &[Place::Restless]);
            ledger.failed("stdio", Place::Restless, "connection lost".into(), "Echo");
            ledger.over();
        };
        let report = report(100.0, -100.0, fault_and_error);
        check(&report, &[]);
        assert!(report.to_string().contains("| server killed | 0.0 | 0.0 |"), "{report}");
        assert!(report.to_string().contains("| stdio | connection lost | 1 | 0 |"), "{report}");
    }

    #[tokio::test(start_paused = true)]
    async fn what_nothing_explains_is_a_failure() {
        let lost = |ledger: &Ledger| ledger.failed("stdio", Place::Steady, "connection lost".into(), "Echo: gone");
        let report_of_lost = report(0.0, 0.0, lost);
        check(&report_of_lost, &["1 errors that no fault explains"]);
        assert!(report_of_lost.to_string().contains("Echo: gone"), "{report_of_lost}");
        check(&report(0.0, 0.0, |ledger| ledger.wrong("3 instead of 4")), &["1 wrong answers"]);
        check(&report(0.0, 0.0, |ledger| ledger.hung("a call")), &["1 things that do not end"]);
        check(&report(0.0, 0.0, |ledger| ledger.begin("HTTP+SSE")), &["no call of HTTP+SSE went well"]);
    }

    #[tokio::test(start_paused = true)]
    async fn memory_that_grows_or_is_not_seen_is_a_failure() {
        check(&report(20_000.0, 0.0, |_| {}), &[]);
        check(&report(21_000.0, 0.0, |_| {}), &["the memory of the steady server grows"]);
        check(&report(0.0, 21_000.0, |_| {}), &["the memory of the clients grows"]);
        let unseen = Report { memory: Memory::new(Duration::from_secs(60)), ..report(0.0, 0.0, |_| {}) };
        let not_seen = |name| format!("the memory of the {name} was not seen long enough");
        assert_eq!(unseen.failures(), [not_seen(STEADY), not_seen(CLIENTS)]);
    }
}
