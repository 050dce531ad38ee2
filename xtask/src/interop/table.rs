//! The result as a person reads it.

use super::client::{Client, Transport};
use super::report::{FEATURES, Verdict};

/// How one client did on one transport.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) client: &'static Client,
    pub(super) transport: Transport,
    /// One for each feature; an error says why the client did not run.
    pub(super) verdicts: Result<Vec<Verdict>, String>,
    pub(super) seconds: f64,
}

impl Outcome {
    /// Returns one line for each failure. Without a connection the rest says nothing.
    pub(super) fn failures(&self) -> Vec<String> {
        let verdicts = self.verdicts.as_deref().unwrap_or_default();
        let failed = FEATURES.iter().zip(verdicts).filter_map(|(feature, verdict)| match verdict {
            Verdict::Failed(reason) => Some((*feature, reason)),
            Verdict::Ok | Verdict::Absent => None,
        });
        let line = |(feature, reason)| format!("{}, {}, {feature}: {reason}", self.client.name, self.transport.name());
        let mut lines: Vec<String> = failed.map(line).collect();
        if matches!(verdicts.first(), Some(Verdict::Failed(_))) {
            lines.truncate(1);
        }
        lines
    }
}

/// Returns a line for each feature and a column for each client, in it one sign for each transport.
pub(super) fn table(outcomes: &[Outcome]) -> String {
    let columns: Vec<&[Outcome]> = outcomes.chunk_by(|a, b| a.client.name == b.client.name).collect();
    let mut text = String::new();
    for (letter, column) in ('a'..).zip(&columns) {
        let client = column[0].client;
        let transports: Vec<String> = column.iter().map(summary).collect();
        text.push_str(&format!("{letter}  {:<24} {}  {}\n", client.name, client.revision, transports.join(", ")));
    }
    let names: Vec<&str> = Transport::ALL.iter().map(|transport| transport.name()).collect();
    text.push_str(&format!("\nA cell has one sign for each of {}: + ok, F failed,\n", names.join(", ")));
    text.push_str("- not in this client or its revision, ? not run, . not spoken by it\n\n");
    text.push_str(&format!("{:<14}", "feature"));
    for (letter, _) in ('a'..).zip(&columns) {
        text.push_str(&format!("{letter:<5}"));
    }
    for (index, feature) in FEATURES.iter().enumerate() {
        text = format!("{}\n{feature:<14}", text.trim_end());
        for column in &columns {
            let cell: String = Transport::ALL.iter().map(|transport| sign(column, *transport, index)).collect();
            text.push_str(&format!("{cell:<5}"));
        }
    }
    format!("{}\n", text.trim_end())
}

fn summary(outcome: &Outcome) -> String {
    match &outcome.verdicts {
        Err(reason) => format!("{} not run ({reason})", outcome.transport.name()),
        Ok(verdicts) => {
            let ok = verdicts.iter().filter(|verdict| **verdict == Verdict::Ok).count();
            let tried = verdicts.iter().filter(|verdict| **verdict != Verdict::Absent).count();
            format!("{} {ok}/{tried} in {:.0} s", outcome.transport.name(), outcome.seconds)
        }
    }
}

fn sign(column: &[Outcome], transport: Transport, feature: usize) -> char {
    match column.iter().find(|outcome| outcome.transport == transport).map(|outcome| &outcome.verdicts) {
        None => '.',
        Some(Err(_)) => '?',
        Some(Ok(verdicts)) => match verdicts.get(feature) {
            Some(Verdict::Ok) => '+',
            Some(Verdict::Absent) => '-',
            Some(Verdict::Failed(_)) | None => 'F',
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interop::client::CLIENTS;
    use crate::interop::report::{judge, parse};

    fn outcome(client: usize, transport: Transport, output: &str) -> Outcome {
        let client = &CLIENTS[client];
        let verdicts = Ok(judge(&parse(output), client.revision, client.lacks));
        Outcome { client, transport, verdicts, seconds: 1.0 }
    }

    const CONNECTED: &str = r#"{"check":"connect","ok":true,"detail":"2024-11-05"}
        {"check":"tools","ok":true}
        {"check":"structured","ok":null}"#;

    #[test]
    fn cells_have_a_sign_for_each_transport() {
        let failed = Outcome { verdicts: Err("no npm".into()), ..outcome(1, Transport::Http, "") };
        let text = table(&[outcome(0, Transport::Stdio, CONNECTED), outcome(0, Transport::Sse, ""), failed]);
        let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
        assert_eq!(line("tools").split_whitespace().collect::<Vec<_>>(), ["tools", "+.F", ".?."]);
        assert_eq!(line("structured").split_whitespace().collect::<Vec<_>>(), ["structured", "-.F", ".?."]);
        assert!(line("b  ").contains("not run (no npm)"), "{text}");
    }

    #[test]
    fn without_a_connection_only_that_is_told() {
        let refused = r#"{"check":"connect","ok":false,"detail":"refused"}"#;
        assert_eq!(
            outcome(0, Transport::Sse, refused).failures(),
            [format!("{}, sse, connect: refused", CLIENTS[0].name)]
        );
        assert_eq!(outcome(0, Transport::Stdio, CONNECTED).failures().len(), FEATURES.len() - 3);
    }
}
