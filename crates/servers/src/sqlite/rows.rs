//! Rows as text and as data.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rusqlite::types::ValueRef;
use rusqlite::{Row, Statement};

use super::python_text;

/// Rows that have been read: as Python prints a list of dictionaries, and as JSON.
#[derive(Debug)]
pub(super) struct Rows {
    columns: Vec<Column>,
    text: String,
    json: String,
    count: usize,
    /// Why rows are missing, if some are.
    pub(super) truncated: Option<String>,
}

/// A column that is shown. Of columns with the same name only the first is; where names differ in case only, all have its value, because
/// the original finds values by name, and takes the first that fits.
#[derive(Debug)]
struct Column {
    index: usize,
    name: String,
    /// The name as both forms write it.
    text: String,
    json: String,
}

impl Rows {
    /// Begins with no rows.
    pub(super) fn of(statement: &Statement<'_>) -> Self {
        let mut columns: Vec<Column> = Vec::new();
        let names: Vec<&str> = statement.column_names().collect();
        for name in names.iter().copied() {
            let fits = |other: &&str| *other == name || (other.is_ascii() && other.eq_ignore_ascii_case(name));
            if !columns.iter().any(|column| column.name == name) {
                columns.push(Column::new(names.iter().position(fits).unwrap_or_default(), name));
            }
        }
        Self { columns, ..Self::none() }
    }

    /// No rows of no statement.
    pub(super) fn none() -> Self {
        Self { columns: Vec::new(), text: "[".to_owned(), json: r#"{"rows":["#.to_owned(), count: 0, truncated: None }
    }

    /// The one row that says how many rows a statement changed.
    pub(super) fn affected(count: i64) -> Self {
        let mut rows = Self::none();
        let _ = write!(rows.text, "{{'affected_rows': {count}}}");
        let _ = write!(rows.json, r#"{{"affected_rows":{count}}}"#);
        rows.count = 1;
        rows
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns how many bytes the longer form has.
    pub(super) fn size(&self) -> usize {
        self.text.len().max(self.json.len())
    }

    /// Adds a row.
    ///
    /// # Errors
    /// A text in it is not UTF-8.
    pub(super) fn add(&mut self, row: &Row<'_>) -> Result<(), String> {
        let separator = if self.count == 0 { ("", "") } else { (", ", ",") };
        self.text.push_str(separator.0);
        self.json.push_str(separator.1);
        self.text.push('{');
        self.json.push('{');
        for (place, column) in self.columns.iter().enumerate() {
            if place > 0 {
                self.text.push_str(", ");
                self.json.push(',');
            }
            self.text.push_str(&column.text);
            self.json.push_str(&column.json);
            let value = row.get_ref(column.index).map_err(|error| error.to_string())?;
            add_value(&mut self.text, &mut self.json, value, &column.name)?;
        }
        self.text.push('}');
        self.json.push('}');
        self.count += 1;
        Ok(())
    }

    /// Ends both forms: text, then JSON.
    pub(super) fn finish(mut self) -> (String, String) {
        self.text.push(']');
        let _ = write!(self.json, r#"],"truncated":{}}}"#, self.truncated.is_some());
        (self.text, self.json)
    }
}

impl Column {
    fn new(index: usize, name: &str) -> Self {
        let mut text = String::new();
        python_text::text(&mut text, name);
        text.push_str(": ");
        let json = format!("{}:", serde_json::Value::from(name));
        Self { index, name: name.to_owned(), text, json }
    }
}

fn add_value(text: &mut String, json: &mut String, value: ValueRef<'_>, column: &str) -> Result<(), String> {
    match value {
        ValueRef::Null => {
            text.push_str("None");
            json.push_str("null");
        }
        ValueRef::Integer(number) => {
            let _ = write!(text, "{number}");
            let _ = write!(json, "{number}");
        }
        ValueRef::Real(number) => {
            python_text::float(text, number);
            // JSON has no infinite numbers.
            match serde_json::Number::from_f64(number) {
                Some(number) => drop(write!(json, "{number}")),
                None => json.push_str("null"),
            }
        }
        ValueRef::Text(bytes) => {
            let string = std::str::from_utf8(bytes).map_err(|_| {
                let shown: String = String::from_utf8_lossy(bytes).chars().take(200).collect();
                format!("Could not decode to UTF-8 column '{column}' with text '{shown}'")
            })?;
            python_text::text(text, string);
            add_json_text(json, string);
        }
        ValueRef::Blob(bytes) => {
            python_text::bytes(text, bytes);
            json.push('"');
            STANDARD.encode_string(bytes, json);
            json.push('"');
        }
    }
    Ok(())
}

/// Most texts need no escape, and writing those is quick.
fn add_json_text(json: &mut String, text: &str) {
    if text.bytes().any(|byte| byte < 0x20 || matches!(byte, b'"' | b'\\')) {
        let _ = write!(json, "{}", serde_json::Value::from(text));
        return;
    }
    json.push('"');
    json.push_str(text);
    json.push('"');
}
