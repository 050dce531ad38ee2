//! A measured figure beside its limit, its past and the loops written by hand.

use super::baseline::Baseline;

/// By how much a figure may grow before somebody must look at it.
const GROWTH: f64 = 0.05;

/// Counts near zero waver by more than their share.
const SLACK: f64 = 0.05;

/// What one request costs, in one unit.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) name: String,
    pub(super) value: f64,
    /// It may not be larger.
    pub(super) limit: Option<f64>,
    /// Whether it repeats well enough to be compared with the baseline.
    pub(super) must_not_grow: bool,
    /// The same for a loop that copies the id into a fixed answer.
    pub(super) fixed: Option<f64>,
    /// The same for a loop with borrowed serde_json.
    pub(super) ideal: Option<f64>,
}

impl Figure {
    /// Says what is wrong with the figure, if anything.
    pub(super) fn complaint(&self, baseline: &Baseline) -> Option<String> {
        let Self { name, value, .. } = self;
        if let Some(limit) = self.limit.filter(|limit| value > limit) {
            return Some(format!("{name}: {} is above the limit of {}", number(*value), number(limit)));
        }
        let before = baseline.get(name).filter(|_| self.must_not_grow)?;
        (*value > before * (1.0 + GROWTH) + SLACK).then(|| {
            let (now, percent) = (number(*value), GROWTH * 100.0);
            format!("{name}: {now} is more than {percent:.0} % above the {} of the baseline", number(before))
        })
    }
}

pub(super) fn table(figures: &[Figure], baseline: &Baseline) -> String {
    let heading =
        ["per request", "count", "limit", "baseline", "fixed", "ideal", "÷ fixed", "÷ ideal"].map(str::to_owned);
    let mut rows = vec![heading];
    rows.extend(figures.iter().map(|figure| {
        let plain = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
        let ratio = |of: Option<f64>| {
            of.filter(|of| *of > 0.0).map_or_else(|| "-".to_owned(), |of| format!("{:.2}", figure.value / of))
        };
        [
            figure.name.clone(),
            number(figure.value),
            plain(figure.limit),
            plain(baseline.get(&figure.name)),
            plain(figure.fixed),
            plain(figure.ideal),
            ratio(figure.fixed),
            ratio(figure.ideal),
        ]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 8] = std::array::from_fn(width);
    let line = |row: &[String; 8]| {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Large figures as whole numbers in groups of three, small ones with their fraction.
pub(super) fn number(value: f64) -> String {
    if value.abs() < 100.0 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |rest| ("-", rest));
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).expect("digits are ASCII")).collect();
    format!("{sign}{}", groups.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(value: f64, limit: Option<f64>) -> Figure {
        Figure { name: "echo".into(), value, limit, must_not_grow: true, fixed: Some(100.0), ideal: None }
    }

    #[test]
    fn limits_hold_up_to_themselves() {
        let empty = Baseline::default();
        assert_eq!(figure(12_000.0, Some(12_000.0)).complaint(&empty), None);
        let complaint = figure(12_001.0, Some(12_000.0)).complaint(&empty).unwrap();
        assert_eq!(complaint, "echo: 12,001 is above the limit of 12,000");
    }

    #[test]
    fn growth_beyond_five_percent_is_refused() {
        let baseline = Baseline::of(&[figure(1_000.0, None)]);
        assert_eq!(figure(1_050.0, None).complaint(&baseline), None);
        let complaint = figure(1_060.0, None).complaint(&baseline).unwrap();
        assert_eq!(complaint, "echo: 1,060 is more than 5 % above the 1,000 of the baseline");
        let none = Baseline::of(&[figure(0.0, None)]);
        assert_eq!(figure(0.04, None).complaint(&none), None);
        assert!(figure(1.0, None).complaint(&none).is_some());
        let wavering = Figure { must_not_grow: false, ..figure(2_000.0, None) };
        assert_eq!(wavering.complaint(&baseline), None);
    }

    #[test]
    fn the_table_has_ratios_where_there_is_something_to_compare() {
        let text = table(&[figure(250.0, None)], &Baseline::default());
        let row: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(row, ["echo", "250", "-", "-", "100", "-", "2.50", "-"]);
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!(number(0.046), "0.05");
        assert_eq!(number(1_234_567.4), "1,234,567");
        assert_eq!(number(-1_234.0), "-1,234");
        assert_eq!(number(123.0), "123");
    }
}
