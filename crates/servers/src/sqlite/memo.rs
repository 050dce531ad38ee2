//! Insights that a model has noted.

use std::sync::{Mutex, PoisonError};

/// The most insights, and the most bytes of all of them together.
const MOST: usize = 10_000;
const MOST_BYTES: usize = 4 << 20;

/// Insights, and the memo that they make.
#[derive(Debug, Default)]
pub(super) struct Memo(Mutex<Vec<String>>);

impl Memo {
    /// Adds an insight.
    ///
    /// # Errors
    /// The memo is full.
    pub(super) fn add(&self, insight: String) -> Result<(), String> {
        let mut insights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: usize = insights.iter().map(String::len).sum();
        if insights.len() >= MOST || bytes + insight.len() > MOST_BYTES {
            return Err(format!("the memo is full: it has at most {MOST} insights and {MOST_BYTES} bytes"));
        }
        insights.push(insight);
        Ok(())
    }

    /// Returns the memo.
    pub(super) fn text(&self) -> String {
        let insights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if insights.is_empty() {
            return "No business insights have been discovered yet.".to_owned();
        }
        let lines: Vec<String> = insights.iter().map(|insight| format!("- {insight}")).collect();
        let memo = format!("📊 Business Intelligence Memo 📊\n\nKey Insights Discovered:\n\n{}", lines.join("\n"));
        match insights.len() {
            1 => memo,
            count => format!(
                "{memo}\nSummary:\nAnalysis has revealed {count} key business insights that suggest opportunities for strategic \
                 optimization and growth."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memo_is_bounded() {
        let memo = Memo::default();
        memo.add("x".repeat(MOST_BYTES)).unwrap();
        assert!(memo.add("y".to_owned()).unwrap_err().starts_with("the memo is full"));
        assert!(!memo.text().contains("Summary"));
    }
}
