//! Sizes for people.

/// Writes a size: `0 B`, `N B` below 1024, else two decimals and a unit.
pub(crate) fn formatted(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let step = ((bytes.ilog2() / 10) as usize).min(UNITS.len());
    format!("{:.2} {}", bytes as f64 / 1024_f64.powi(step as i32), UNITS[step - 1])
}

#[cfg(test)]
mod tests {
    use super::formatted;

    #[test]
    fn sizes_have_two_decimals_from_a_kilobyte_on() {
        for (bytes, text) in [
            (0, "0 B"),
            (1, "1 B"),
            (1023, "1023 B"),
            (1024, "1.00 KB"),
            (1536, "1.50 KB"),
            (1024 * 1024 - 1, "1024.00 KB"),
            (1024 * 1024 + 5, "1.00 MB"),
            (5 * 1024 * 1024 * 1024, "5.00 GB"),
            (1 << 40, "1.00 TB"),
            (1 << 52, "4096.00 TB"),
        ] {
            assert_eq!(formatted(bytes), text);
        }
    }
}
