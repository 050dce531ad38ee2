//! Whether a file is the one that was listed.

use jackfield_protocol::{JsonObject, SkillEntry, SkillFile, SkillResources};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What is wrong with a skill. None of it is to be shown to a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadSkill {
    /// It breaks the rules for names and URIs.
    #[error("the skill's entry is not valid: {0}")]
    Entry(&'static str),
    /// The file is not one of the skill's.
    #[error("{0:?} is not a file of the skill")]
    NotListed(String),
    /// The file has another size than the list says.
    #[error("{uri:?} has {actual} bytes, but {listed} are listed")]
    Size {
        /// The file.
        uri: String,
        /// What the list says.
        listed: u64,
        /// What was read.
        actual: u64,
    },
    /// The file has another digest than the list says.
    #[error("{0:?} is not the file that was listed: its digest is another")]
    Digest(String),
    /// `SKILL.md` has no head, or one that cannot be read.
    #[error("SKILL.md has no YAML block at its beginning that can be read")]
    NoFrontmatter,
    /// `SKILL.md` has another head than the list says.
    #[error("SKILL.md says something else about the skill than the list")]
    Frontmatter,
    /// The server sent no such file, or several.
    #[error("the server did not send the file that was asked for")]
    Missing,
}

/// The most that the head of a `SKILL.md` may have, in bytes.
const FRONTMATTER_BYTES: usize = 64 * 1024;

/// Checks what a skill's entry says about itself.
pub(super) fn entry(skill: &SkillEntry) -> Result<(), BadSkill> {
    let folder = skill.directory().ok_or(BadSkill::Entry("its URI does not end in /SKILL.md"))?;
    let segment = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if !is_name(skill.name()) {
        return Err(BadSkill::Entry("its name is not made of lower-case letters, digits and single hyphens"));
    }
    if segment != skill.name() {
        return Err(BadSkill::Entry("its folder is not named like the skill"));
    }
    if skill.description().is_empty() {
        return Err(BadSkill::Entry("it has no description"));
    }
    let SkillResources::Files(files) = &skill.resources else { return Ok(()) };
    if skill.file(&skill.uri).is_none() {
        return Err(BadSkill::Entry("its list of files has no SKILL.md"));
    }
    if files.iter().any(|file| !is_inside(skill, &file.uri)) {
        return Err(BadSkill::Entry("it lists a file outside its folder"));
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    (1..=64).contains(&name.len()) && name.split('-').all(is_part)
}

/// Whether a URI is that of a file below the skill's directory, without detours.
pub(super) fn is_inside(skill: &SkillEntry, uri: &str) -> bool {
    let path = skill.directory().and_then(|directory| uri.strip_prefix(directory));
    path.is_some_and(|path| !path.split('/').any(|segment| matches!(segment, "" | "." | "..")))
}

/// Checks a file against what was listed about it.
pub(super) fn file(listed: &SkillFile, content: &[u8]) -> Result<(), BadSkill> {
    let actual = content.len() as u64;
    if actual != listed.size {
        return Err(BadSkill::Size { uri: listed.uri.clone(), listed: listed.size, actual });
    }
    let digest = Sha256::digest(content).iter().fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"));
    if digest == listed.digest { Ok(()) } else { Err(BadSkill::Digest(listed.uri.clone())) }
}

/// Checks the head of a `SKILL.md` against what was listed; returns what follows it.
pub(super) fn frontmatter<'a>(listed: &JsonObject, text: &'a str) -> Result<&'a str, BadSkill> {
    let (head, rest) = split(text).ok_or(BadSkill::NoFrontmatter)?;
    if head.len() > FRONTMATTER_BYTES {
        return Err(BadSkill::NoFrontmatter);
    }
    let value: Value = serde_saphyr::from_str(head).map_err(|_| BadSkill::NoFrontmatter)?;
    match value {
        Value::Object(actual) if actual == *listed => Ok(rest),
        Value::Object(_) => Err(BadSkill::Frontmatter),
        _ => Err(BadSkill::NoFrontmatter),
    }
}

/// Splits a text at the two lines `---` around its head.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let body = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((body.get(..at)?, body.get(at + line.len()..)?));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn skill(uri: &str, name: &str, files: &[&str]) -> SkillEntry {
        let files: Vec<Value> = files.iter().map(|uri| json!({"uri": uri, "digest": "", "size": 0})).collect();
        let entry = json!({"uri": uri, "frontmatter": {"name": name, "description": "d"}, "resources": files});
        serde_json::from_value(entry).unwrap()
    }

    #[test]
    fn entries_follow_the_rules() {
        let md = "skill://a/pdf-2/SKILL.md";
        assert_eq!(entry(&skill(md, "pdf-2", &[md, "skill://a/pdf-2/x/y.md"])), Ok(()));
        for (uri, name, files) in [
            ("skill://pdf/README.md", "pdf", &["skill://pdf/README.md"][..]),
            ("skill://pdf/SKILL.md", "other", &["skill://pdf/SKILL.md"]),
            ("skill://-pdf/SKILL.md", "-pdf", &["skill://-pdf/SKILL.md"]),
            ("skill://PDF/SKILL.md", "PDF", &["skill://PDF/SKILL.md"]),
            ("skill://a--b/SKILL.md", "a--b", &["skill://a--b/SKILL.md"]),
            ("skill://pdf/SKILL.md", "pdf", &[]),
            ("skill://pdf/SKILL.md", "pdf", &["skill://pdf/SKILL.md", "file:///etc/passwd"]),
            ("skill://pdf/SKILL.md", "pdf", &["skill://pdf/SKILL.md", "skill://pdf/../other/x"]),
        ] {
            assert!(matches!(entry(&skill(uri, name, files)), Err(BadSkill::Entry(_))), "{uri} {name} {files:?}");
        }
    }

    #[test]
    fn files_are_those_that_were_listed() {
        let digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let listed = SkillFile::new("u", digest, 3u64);
        assert_eq!(file(&listed, b"abc"), Ok(()));
        assert_eq!(file(&listed, b"abd"), Err(BadSkill::Digest("u".into())));
        assert!(matches!(file(&listed, b"abcd"), Err(BadSkill::Size { actual: 4, .. })));
    }

    #[test]
    fn the_head_says_what_the_list_says() {
        let listed = json!({"name": "pdf", "metadata": {"tags": ["a", "b"], "level": 2}});
        let listed = listed.as_object().unwrap();
        let text = "---\nname: pdf\nmetadata:\n  tags: [a, b]\n  level: 2\n---\n# Hello\n---\n";
        assert_eq!(frontmatter(listed, text), Ok("# Hello\n---\n"));
        assert_eq!(frontmatter(listed, &text.replace('\n', "\r\n")), Ok("# Hello\r\n---\r\n"));
        assert_eq!(frontmatter(listed, &text.replace("pdf", "other")), Err(BadSkill::Frontmatter));
        for bad in ["", "# Hello", "---\nname: pdf\n", "---\n- a\n---\n", "---\nname: [\n---\n", " ---\na: b\n---\n"] {
            assert_eq!(frontmatter(listed, bad), Err(BadSkill::NoFrontmatter), "{bad}");
        }
        // Aliases of aliases must not grow beyond all measure.
        let mut bomb = "---\na0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..30 {
            let alias = format!("*a{}, ", level - 1).repeat(8);
            bomb.push_str(&format!("a{level}: &a{level} [{alias}]\n"));
        }
        assert_eq!(frontmatter(listed, &(bomb + "---\n")), Err(BadSkill::NoFrontmatter));
    }
}
