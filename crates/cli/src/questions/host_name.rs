//! Host names in other scripts, as they would look in a browser.

/// Returns a host name with its encoded labels decoded; none if it has no such label. What is no valid encoding stays as it is.
pub(crate) fn decoded(host: &str) -> Option<String> {
    let is_encoded = |label: &str| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
    if !host.split('.').any(is_encoded) {
        return None;
    }
    let labels = host.split('.').map(|label| match idna::domain_to_unicode(label) {
        (decoded, Ok(())) if is_encoded(label) => decoded,
        _ => label.to_owned(),
    });
    Some(labels.collect::<Vec<_>>().join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_labels_are_decoded() {
        for (encoded, shown) in [
            ("xn--mnchen-3ya.de", Some("münchen.de")),
            ("xn--pple-43d.com", Some("аpple.com")),
            ("xn--80ak6aa92e.com", Some("аррӏе.com")),
            ("xn--ihqwcrb4cv8a8dqg056pqjye.xn--fiqs8s", Some("他们为什么不说中文.中国")),
            ("xn--!.x", Some("xn--!.x")),
            ("plain.example", None),
        ] {
            assert_eq!(decoded(encoded).as_deref(), shown, "{encoded}");
        }
    }
}
