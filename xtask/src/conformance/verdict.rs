//! What a run of a scenario proves.

use serde::Deserialize;

/// An entry of the suite's `checks.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Check {
    id: String,
    status: Status,
    #[serde(default)]
    description: String,
    #[serde(rename = "errorMessage")]
    error_message: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Status {
    /// A MUST or SHOULD holds.
    Success,
    /// A MUST is broken.
    Failure,
    /// A SHOULD is broken.
    Warning,
    Skipped,
    Info,
}

/// It holds for any message at all, so it proves nothing about the scenario.
const NO_EVIDENCE: &str = "wire-schema-valid";

/// How a scenario went.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) warned: usize,
    /// What speaks against the scenario; empty when it passed.
    pub(super) complaints: Vec<String>,
}

impl Verdict {
    /// Returns the verdict on a scenario that left no result.
    pub(super) fn without_result(reason: &str) -> Self {
        Self { complaints: vec![reason.to_owned()], ..Self::default() }
    }

    pub(super) fn has_passed(&self) -> bool {
        self.complaints.is_empty()
    }

    /// Adds a reason why the scenario has not passed.
    pub(super) fn refuse(mut self, reason: Option<String>) -> Self {
        self.complaints.extend(reason);
        self
    }
}

/// Judges the checks of one run. The suite calls a scenario without any check passed; for us it needs a success.
pub(super) fn judge(checks: &[Check]) -> Verdict {
    let count = |status| checks.iter().filter(|check| check.status == status).count();
    let broken = checks.iter().filter(|check| matches!(check.status, Status::Failure | Status::Warning));
    let mut complaints: Vec<String> = broken.map(Check::complaint).collect();
    let has_evidence = checks.iter().any(|check| check.status == Status::Success && check.id != NO_EVIDENCE);
    if complaints.is_empty() && !has_evidence {
        complaints.push("no check has a verdict".to_owned());
    }
    Verdict {
        passed: count(Status::Success),
        failed: count(Status::Failure),
        warned: count(Status::Warning),
        complaints,
    }
}

impl Check {
    fn complaint(&self) -> String {
        let kind = if self.status == Status::Warning { "warning " } else { "" };
        let text = self.error_message.as_deref().filter(|text| !text.is_empty()).unwrap_or(&self.description);
        // The suite appends the whole description of a scenario to each message.
        let first: String =
            text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(200).collect();
        format!("{kind}{}: {first}", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(checks: &[(&str, &str)]) -> Verdict {
        let entry = |(id, status): &(&str, &str)| {
            format!(
                r#"{{"id":"{id}","name":"N","description":"must hold","status":"{status}","timestamp":"t","details":{{}}}}"#
            )
        };
        let entries: Vec<String> = checks.iter().map(entry).collect();
        judge(&serde_json::from_str::<Vec<Check>>(&format!("[{}]", entries.join(","))).unwrap())
    }

    #[test]
    fn a_success_is_enough() {
        let verdict = verdict(&[("a", "SUCCESS"), ("b", "INFO"), ("c", "SKIPPED"), ("wire-schema-valid", "SUCCESS")]);
        assert!(verdict.has_passed());
        assert_eq!((verdict.passed, verdict.failed, verdict.warned), (2, 0, 0));
    }

    #[test]
    fn nothing_is_not_a_success() {
        for checks in [&[][..], &[("a", "SKIPPED")], &[("a", "INFO"), ("wire-schema-valid", "SUCCESS")]] {
            assert_eq!(verdict(checks).complaints, ["no check has a verdict"], "{checks:?}");
        }
    }

    #[test]
    fn failures_and_warnings_both_count() {
        let verdict = verdict(&[("a", "SUCCESS"), ("b", "FAILURE"), ("c", "WARNING")]);
        assert_eq!(verdict.complaints, ["b: must hold", "warning c: must hold"]);
        assert_eq!((verdict.passed, verdict.failed, verdict.warned), (1, 1, 1));
    }

    #[test]
    fn the_first_line_of_the_message_is_told() {
        let json = r#"[{"id":"a","status":"FAILURE","description":"d","errorMessage":"\nwrong\n\nTest of …"}]"#;
        assert_eq!(judge(&serde_json::from_str::<Vec<Check>>(json).unwrap()).complaints, ["a: wrong"]);
    }
}
