//! Files with variables, a line each.

use std::ffi::OsString;

/// Reads lines `NAME=value`, with comments and quotes as such files have them.
pub(crate) fn variables(text: &str) -> Vec<(OsString, OsString)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.strip_prefix("export ").unwrap_or(line).split_once('='));
    let named = pairs.map(|(name, value)| (name.trim(), value)).filter(|(name, _)| !name.is_empty());
    named.map(|(name, value)| (name.into(), unquoted(value.trim()).into())).collect()
}

fn unquoted(value: &str) -> &str {
    let inside = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\''].into_iter().find_map(inside).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_kind_are_read() {
        let text = "# comment\n\nA=1\nexport B = \"two words\" \nC='x'\nD=\"open\nno variable\n=nameless\nE=a=b\n";
        let read: Vec<(String, String)> = variables(text)
            .into_iter()
            .map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()))
            .collect();
        let wanted = [("A", "1"), ("B", "two words"), ("C", "x"), ("D", "\"open"), ("E", "a=b")];
        assert_eq!(read, wanted.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
