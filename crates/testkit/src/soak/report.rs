//! What was seen in a run, as a table.

use std::fmt;
use std::time::Duration;

use super::ledger::{Seen, Window};
use super::memory::Memory;

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
        for growth in self.memory.growth() {
            if growth.slope.is_some_and(|slope| slope > self.memory.limit) {
                failures.push(format!("the memory of the {} grows", growth.name));
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
