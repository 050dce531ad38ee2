//! The YAML block at the beginning of `SKILL.md`.

use jackfield_protocol::JsonObject;

use super::SkillError;

/// The longest name and description that the Agent Skills specification allows, in characters.
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;

/// What the block says, checked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frontmatter {
    pub(super) members: JsonObject,
    pub(super) name: String,
    pub(super) description: String,
}

impl Frontmatter {
    /// Reads the block of a `SKILL.md`.
    pub(super) fn read(text: &str) -> Result<Self, SkillError> {
        let members: JsonObject = serde_saphyr::from_str(block(text)?).map_err(|error| {
            SkillError::new(format!("the YAML block is not valid: {}", first_line(&error.to_string())))
        })?;
        let string = |name: &str| match members.get(name).and_then(|value| value.as_str()) {
            Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
            _ => Err(SkillError::new(format!("the YAML block has no `{name}`, which must be a text"))),
        };
        let (name, description) = (string("name")?, string("description")?);
        check_name(&name)?;
        if description.chars().count() > MAX_DESCRIPTION {
            return Err(SkillError::new(format!("`description` has more than {MAX_DESCRIPTION} characters")));
        }
        Ok(Self { members, name, description })
    }
}

/// Returns what stands between the two lines `---`.
fn block(text: &str) -> Result<&str, SkillError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let missing = || SkillError::new("it does not begin with a YAML block between two lines `---`");
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")).ok_or_else(missing)?;
    let mut at = 0usize;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return rest.get(..at).ok_or_else(missing);
        }
        at = at.saturating_add(line.len());
    }
    Err(missing())
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Names are 1 to 64 lower-case letters, digits and single hyphens between them.
pub(super) fn check_name(name: &str) -> Result<(), SkillError> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let fits = (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(allowed);
    if fits && !name.starts_with('-') && !name.ends_with('-') && !name.contains("--") {
        return Ok(());
    }
    Err(SkillError::new(format!(
        "the name {name:?} must be 1 to {MAX_NAME} lower-case letters, digits, and single hyphens between them"
    )))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_whole_block_is_kept_as_the_author_wrote_it() {
        let text = "---\nname: pdf-processing\ndescription: >\n  Fill in\n  forms.\nlicense: MIT\nmetadata:\n  version: 2.1.0\n  tags: [a, 1, true, null]\n---\n# Body\n---\n";
        let read = Frontmatter::read(text).unwrap();
        assert_eq!((read.name.as_str(), read.description.as_str()), ("pdf-processing", "Fill in forms.\n"));
        let metadata = json!({ "version": "2.1.0", "tags": ["a", 1, true, null] });
        let expected = json!({ "name": "pdf-processing", "description": "Fill in forms.\n", "license": "MIT", "metadata": metadata });
        assert_eq!(serde_json::Value::Object(read.members), expected);
        assert!(Frontmatter::read("\u{feff}---\r\nname: a\r\ndescription: b\r\n---\r\n").is_ok());
    }

    #[test]
    fn what_is_no_block_is_refused() {
        for text in [
            "",
            "# Title",
            "---\nname: a\ndescription: b\n",
            "---\nname: a\n---\n",
            "---\ndescription: b\n---\n",
            "---\nname: 1\ndescription: b\n---\n",
            "---\nname: a\ndescription: ''\n---\n",
            "---\nname: a\nname: b\ndescription: c\n---\n",
            "---\n- name\n---\n",
            "---\nname: [\n---\n",
            " ---\nname: a\ndescription: b\n---\n",
        ] {
            assert!(Frontmatter::read(text).is_err(), "{text:?}");
        }
        let long = format!("---\nname: a\ndescription: {}\n---\n", "x".repeat(1025));
        assert!(Frontmatter::read(&long).is_err());
    }

    /// A few lines of YAML can stand for a terabyte.
    #[test]
    fn a_bomb_is_refused() {
        let mut text = "---\nname: a\ndescription: b\nx0: &x0 [y,y,y,y,y,y,y,y,y,y]\n".to_owned();
        for level in 1..12 {
            let below = format!("*x{},", level - 1).repeat(10);
            text.push_str(&format!("x{level}: &x{level} [{}]\n", below.trim_end_matches(',')));
        }
        assert!(Frontmatter::read(&(text + "---\n")).is_err());
    }

    #[test]
    fn names() {
        for name in ["a", "pdf-processing", "a1-2", &"x".repeat(64)] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "-a", "a-", "a--b", "A", "a_b", "a b", "ü", "a/b", &"x".repeat(65)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
