//! The figures of the past, kept in the repository.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};

use super::figure::Figure;

/// Figures by name.
#[derive(Debug, Default)]
pub(super) struct Baseline(BTreeMap<String, f64>);

impl Baseline {
    /// Reads the file; one that does not exist yet is empty.
    pub(super) fn read(path: &Path) -> Result<Self> {
        match std::fs::read(path) {
            Ok(bytes) => {
                let figures = serde_json::from_slice(&bytes);
                Ok(Self(figures.with_context(|| format!("cannot read {}", path.display()))?))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Keeps the figures that repeat, rounded so that noise does not change the file.
    pub(super) fn of(figures: &[Figure]) -> Self {
        let round = |value: f64| if value < 100.0 { (value * 100.0).round() / 100.0 } else { value.round() };
        let kept = figures.iter().filter(|figure| figure.must_not_grow);
        Self(kept.map(|figure| (figure.name.clone(), round(figure.value))).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(&self.0)?;
        text.push('\n');
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let path = std::env::temp_dir().join(format!("xtask-baseline-{}.json", std::process::id()));
        let figure = |name: &str, value| Figure {
            name: name.into(),
            value,
            limit: None,
            must_not_grow: true,
            fixed: None,
            ideal: None,
        };
        Baseline::of(&[figure("echo", 1234.56), figure("allocations", 2.004)]).write(&path).unwrap();
        let read = Baseline::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read.get("echo"), Some(1235.0));
        assert_eq!(read.get("allocations"), Some(2.0));
        assert_eq!(read.get("other"), None);
    }

    #[test]
    fn a_missing_file_is_empty_and_a_broken_one_an_error() {
        let path = std::env::temp_dir().join(format!("xtask-broken-{}.json", std::process::id()));
        assert!(Baseline::read(&path).unwrap().get("echo").is_none());
        std::fs::write(&path, "{").unwrap();
        assert!(Baseline::read(&path).is_err());
        std::fs::remove_file(&path).unwrap();
    }
}
