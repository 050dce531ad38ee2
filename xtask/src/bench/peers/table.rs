//! Tables as a document has them: a row for each server, a column for each request.

use anyhow::Result;

use super::super::figure::number;

/// What was found out about a server in a scenario.
#[derive(Debug)]
pub(super) struct Cell {
    /// Instructions for one request, where they can be counted.
    pub(super) instructions: Option<f64>,
    pub(super) rate: Result<Rate>,
}

/// How fast a server answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    /// Requests per second.
    pub(super) median: f64,
    /// How much processor time the sender took for each second that the server took: near 1 it was the sender who was measured.
    pub(super) sender: f64,
}

/// What was found out in a scenario, for each server.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) scenario: &'static str,
    pub(super) cells: Vec<Cell>,
}

/// The instructions of those servers whose instructions were counted.
pub(super) fn instructions(names: &[&str], columns: &[Column]) -> String {
    let counts = |row: usize| columns.iter().map(move |column| column.cells[row].instructions);
    let rows = (0..names.len()).filter(|&row| counts(row).any(|count| count.is_some()));
    let rows =
        rows.map(|row| (names[row].to_owned(), counts(row).map(|count| count.map_or("–".into(), number)).collect()));
    table(columns, rows)
}

/// Requests per second; in brackets how many times as many the first server answers. The last row is the sender.
pub(super) fn rates(names: &[&str], columns: &[Column]) -> String {
    let cell = |column: &Column, row: usize| match (&column.cells[row].rate, &column.cells[0].rate) {
        (Err(error), _) => excerpt(&format!("{error:#}")),
        (Ok(rate), Ok(first)) if row > 0 => format!("{} ({})", number(rate.median), times(first.median / rate.median)),
        (Ok(rate), _) => number(rate.median),
    };
    let rows = names.iter().enumerate();
    let rows = rows.map(|(row, name)| ((*name).to_owned(), columns.iter().map(|column| cell(column, row)).collect()));
    let busiest = |column: &Column| {
        let shares = column.cells.iter().filter_map(|cell| Some(cell.rate.as_ref().ok()?.sender));
        format!("{:.2}", shares.fold(0.0, f64::max))
    };
    let sender =
        ("*processor time of the sender ÷ server's, at most*".to_owned(), columns.iter().map(busiest).collect());
    table(columns, rows.chain([sender]))
}

/// A table with other columns.
pub(super) fn plain(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&head.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>());
    text += &format!("| ---{} |\n", " | ---:".repeat(head.len() - 1));
    text.extend(rows.into_iter().map(|row| line(&row)));
    text
}

fn table(columns: &[Column], rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    let mut head = vec!["server"];
    head.extend(columns.iter().map(|column| column.scenario));
    plain(&head, rows.map(|(name, cells)| std::iter::once(name).chain(cells).collect()))
}

fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

fn excerpt(words: &str) -> String {
    words.chars().take(60).collect::<String>().replace(['|', '\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(scenario: &'static str) -> Column {
        let rate = |median, sender| Ok(Rate { median, sender });
        let cells = vec![
            Cell { instructions: Some(9_000.4), rate: rate(100_000.0, 0.5) },
            Cell { instructions: None, rate: rate(250.0, 0.1) },
            Cell { instructions: None, rate: rate(40_000.0, 0.257) },
            Cell { instructions: None, rate: Err(anyhow::anyhow!("it | broke")) },
        ];
        Column { scenario, cells }
    }

    const NAMES: [&str; 4] = ["ours", "slow", "fast", "broken"];

    #[test]
    fn rates_stand_beside_the_first() {
        let expected = "\
            | server | echo | add |\n\
            | --- | ---: | ---: |\n\
            | ours | 100,000 | 100,000 |\n\
            | slow | 250 (400) | 250 (400) |\n\
            | fast | 40,000 (2.5) | 40,000 (2.5) |\n\
            | broken | it   broke | it   broke |\n\
            | *processor time of the sender ÷ server's, at most* | 0.50 | 0.50 |\n";
        assert_eq!(rates(&NAMES, &[column("echo"), column("add")]), expected);
    }

    #[test]
    fn instructions_are_there_for_those_who_have_some() {
        let mut other = column("add");
        other.cells[2].instructions = Some(20_000.0);
        let expected = "\
            | server | echo | add |\n\
            | --- | ---: | ---: |\n\
            | ours | 9,000 | 9,000 |\n\
            | fast | – | 20,000 |\n";
        assert_eq!(instructions(&NAMES, &[column("echo"), other]), expected);
    }
}
