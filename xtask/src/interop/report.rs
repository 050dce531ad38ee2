//! What a script says about its client, and what we make of it.

use serde::Deserialize;

/// What every script checks, in this order.
pub(super) const FEATURES: &[&str] = &[
    "connect",
    "tools",
    "resources",
    "templates",
    "prompts",
    "text",
    "structured",
    "failure",
    "error",
    "content",
    "links",
    "progress",
    "read text",
    "read blob",
    "prompt",
    "complete",
    "subscribe",
    "list changed",
    "logging",
    "elicit",
    "sample",
    "roots",
    "parallel",
    "cancel",
    "ping",
    "shutdown",
];

/// A line of a script.
#[derive(Debug, Deserialize)]
pub(super) struct Report {
    check: String,
    /// `None` when the client or its revision does not have the feature.
    ok: Option<bool>,
    #[serde(default)]
    detail: String,
}

/// What holds for one feature of one client on one transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Ok,
    Absent,
    Failed(String),
}

/// Reads the lines of a script; what is not a report is passed over.
pub(super) fn parse(output: &str) -> Vec<Report> {
    output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Judges a script by what its client must be able to do: `revision` is what it must have agreed on, `lacks` are the only
/// features it may leave out. What a script does not mention has failed.
pub(super) fn judge(reports: &[Report], revision: &str, lacks: &[&str]) -> Vec<Verdict> {
    judge_by(FEATURES, reports, revision, lacks)
}

/// The same for other features.
pub(super) fn judge_by(features: &[&str], reports: &[Report], revision: &str, lacks: &[&str]) -> Vec<Verdict> {
    let judged = features.iter().map(|feature| {
        // The last word counts: a script may fail after it has reported success.
        match reports.iter().rfind(|report| report.check == *feature) {
            None => Verdict::Failed("the script did not come to it".to_owned()),
            Some(Report { ok: Some(false), detail, .. }) => Verdict::Failed(detail.clone()),
            Some(Report { ok: None, .. }) if lacks.contains(feature) => Verdict::Absent,
            Some(Report { ok: None, detail, .. }) => Verdict::Failed(format!("left out: {detail}")),
            Some(Report { detail, .. }) if *feature == "connect" && detail != revision => {
                Verdict::Failed(format!("agreed on {detail} instead of {revision}"))
            }
            Some(_) => Verdict::Ok,
        }
    });
    judged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(output: &str, lacks: &[&str]) -> Vec<(&'static str, Verdict)> {
        FEATURES.iter().copied().zip(judge(&parse(output), "2025-11-25", lacks)).collect()
    }

    #[track_caller]
    fn check(line: &str, lacks: &[&str], expected: Result<Verdict, &str>) {
        let feature = parse(line)[0].check.clone();
        let all = verdicts(line, lacks);
        let (_, found) = all.iter().find(|(name, _)| *name == feature).unwrap();
        match (found, expected) {
            (found, Ok(expected)) => assert_eq!(*found, expected),
            (Verdict::Failed(reason), Err(part)) => assert!(reason.contains(part), "{reason}"),
            (found, Err(part)) => panic!("{found:?} is not a failure with {part}"),
        }
    }

    #[test]
    fn a_script_says_ok_failed_or_absent() {
        check(r#"{"check": "text", "ok": true, "detail": ""}"#, &[], Ok(Verdict::Ok));
        check(r#"{"check": "text", "ok": false, "detail": "no echo"}"#, &[], Err("no echo"));
        check(r#"{"check": "ping", "ok": null}"#, &["ping"], Ok(Verdict::Absent));
    }

    #[test]
    fn a_feature_is_left_out_only_where_we_know_it() {
        check(r#"{"check": "text", "ok": null, "detail": "tired"}"#, &["ping"], Err("left out: tired"));
    }

    #[test]
    fn the_revision_must_be_the_expected_one() {
        check(r#"{"check": "connect", "ok": true, "detail": "2025-11-25"}"#, &[], Ok(Verdict::Ok));
        check(r#"{"check": "connect", "ok": true, "detail": "2024-11-05"}"#, &[], Err("instead of 2025-11-25"));
    }

    #[test]
    fn silence_is_failure() {
        assert!(verdicts("", &["ping"]).iter().all(|(_, verdict)| matches!(verdict, Verdict::Failed(_))));
    }

    #[test]
    fn the_last_word_counts_and_noise_does_not() {
        let output =
            "starting\n{\"check\": \"shutdown\", \"ok\": true}\n{\"check\": \"shutdown\", \"ok\": false}\n{}\n";
        let all = verdicts(output, &[]);
        assert_eq!(all.last(), Some(&("shutdown", Verdict::Failed(String::new()))));
    }
}
