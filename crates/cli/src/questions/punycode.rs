//! Host names in other scripts, as they would look in a browser (RFC 3492).

/// Returns a host name with its encoded labels decoded; none if it has no such label.
pub(crate) fn host(host: &str) -> Option<String> {
    let is_encoded = |label: &str| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
    if !host.split('.').any(is_encoded) {
        return None;
    }
    let labels = host.split('.').map(|label| match label.get(4..).filter(|_| is_encoded(label)) {
        Some(code) => decoded(code).unwrap_or_else(|| label.to_owned()),
        None => label.to_owned(),
    });
    Some(labels.collect::<Vec<_>>().join("."))
}

fn decoded(code: &str) -> Option<String> {
    let (basic, extended) = code.rsplit_once('-').unwrap_or(("", code));
    let mut out: Vec<char> = basic.chars().collect();
    let (mut point, mut index, mut bias) = (128_u32, 0_u32, 72_u32);
    let mut digits = extended.bytes();
    while digits.len() > 0 {
        let before = index;
        let mut weight = 1_u32;
        let mut step = 36_u32;
        loop {
            let digit = match digits.next()?.to_ascii_lowercase() {
                letter @ b'a'..=b'z' => u32::from(letter - b'a'),
                digit @ b'0'..=b'9' => u32::from(digit - b'0') + 26,
                _ => return None,
            };
            index = index.checked_add(digit.checked_mul(weight)?)?;
            let threshold = step.saturating_sub(bias).clamp(1, 26);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(36 - threshold)?;
            step += 36;
        }
        let length = u32::try_from(out.len()).ok()?.checked_add(1)?;
        bias = adapted(index - before, length, before == 0);
        point = point.checked_add(index / length)?;
        index %= length;
        out.insert(usize::try_from(index).ok()?, char::from_u32(point)?);
        index += 1;
    }
    Some(out.into_iter().collect())
}

fn adapted(delta: u32, length: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / length;
    let mut steps = 0;
    while delta > 455 {
        delta /= 35;
        steps += 36;
    }
    steps + 36 * delta / (delta + 38)
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
            assert_eq!(host(encoded).as_deref(), shown, "{encoded}");
        }
    }
}
