//! The groups of a robots.txt, and which one is meant for whom.

use url::Url;

use super::pattern::{Pattern, path};

/// What a robots.txt says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::fetch) struct Rules {
    groups: Vec<Group>,
}

/// The rules for one user agent.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    /// A product name in lower case, or `*`.
    agent: String,
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    allows: bool,
    pattern: Pattern,
}

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    UserAgent,
    Allow,
    Disallow,
    /// About the whole site: it stands in no group and ends none.
    Site,
    Other,
}

impl Rules {
    /// Reads a robots.txt. Lines that mean nothing are skipped.
    pub(in crate::fetch) fn parse(text: &str) -> Self {
        let mut rules = Self::default();
        let mut current: Vec<usize> = Vec::new();
        let mut before = None;
        for line in lines(text.trim_start_matches('\u{feff}')) {
            let line = line.split('#').next().unwrap_or_default().trim();
            let Some((field, value)) = directive(line) else { continue };
            if field == Field::UserAgent && before.is_some_and(|before| before != Field::UserAgent) {
                current.clear();
            }
            if field != Field::Site {
                before = Some(field);
            }
            if !value.is_empty() {
                rules.take(field, value, &mut current);
            }
        }
        rules
    }

    /// Takes the value of a line into the groups that it belongs to.
    fn take(&mut self, field: Field, value: &str, current: &mut Vec<usize>) {
        let allows = match field {
            Field::UserAgent => return self.name(value, current),
            Field::Allow => true,
            Field::Disallow => false,
            Field::Site | Field::Other => return,
        };
        for index in current.iter() {
            if let Some(group) = self.groups.get_mut(*index) {
                group.add(allows, value);
            }
        }
    }

    /// Makes a group for a user agent, or finds the one that it has already. A star inside a name counts as nothing.
    fn name(&mut self, value: &str, current: &mut Vec<usize>) {
        let agent = value.to_lowercase();
        let plain = (agent != "*" && agent.contains('*')).then(|| agent.replace('*', ""));
        for agent in std::iter::once(agent).chain(plain).filter(|agent| !agent.is_empty()) {
            let index = self.groups.iter().position(|group| group.agent == agent).unwrap_or(self.groups.len());
            if index == self.groups.len() {
                self.groups.push(Group { agent, rules: Vec::new() });
            }
            if !current.contains(&index) {
                current.push(index);
            }
        }
    }

    /// Whether a user agent may fetch a URL. The robots.txt itself is always allowed.
    pub(in crate::fetch) fn allow(&self, url: &Url, user_agent: &str) -> bool {
        if url.path() == "/robots.txt" {
            return true;
        }
        let user_agent = user_agent.trim().to_lowercase();
        let mut best: Option<(&Group, usize)> = None;
        for group in &self.groups {
            let score = group.score(&user_agent);
            if score > best.map_or(0, |(_, best)| best) {
                best = Some((group, score));
            }
        }
        best.is_none_or(|(group, _)| group.allows(&path(url)))
    }
}

impl Group {
    fn add(&mut self, allows: bool, value: &str) {
        // A dollar sign is an anchor at the end, and may also be meant as itself.
        if value.contains('$') {
            self.push(allows, Pattern::parse(&value.replace('$', "%24")));
        }
        let pattern = Pattern::parse(value);
        let folder = pattern.as_ref().filter(|_| allows).and_then(Pattern::folder_of_index);
        self.push(allows, pattern);
        self.push(allows, folder);
    }

    fn push(&mut self, allows: bool, pattern: Option<Pattern>) {
        self.rules.extend(pattern.map(|pattern| Rule { allows, pattern }));
    }

    /// How well the group's name fits: the longer the better, a star the least, 0 not at all.
    fn score(&self, user_agent: &str) -> usize {
        if self.agent == "*" {
            return 1;
        }
        let begins_a_word = |(at, _): (usize, &str)| {
            let before = user_agent.get(..at).and_then(|before| before.chars().next_back());
            !before.is_some_and(|before| before.is_alphanumeric() || before == '-' || before == '_')
        };
        let fits = user_agent.match_indices(&self.agent).any(begins_a_word);
        if fits { self.agent.chars().count() } else { 0 }
    }

    /// The longest rule that matches decides, and of equal ones the one that allows.
    fn allows(&self, path: &str) -> bool {
        let matching = self.rules.iter().filter(|rule| rule.pattern.matches(path));
        matching.max_by_key(|rule| (rule.pattern.len(), rule.allows)).is_none_or(|rule| rule.allows)
    }
}

/// Splits a line into what it is about and its value. A colon may be missing, and usual misspellings are understood.
fn directive(line: &str) -> Option<(Field, &str)> {
    if line.is_empty() {
        return None;
    }
    let with_colon = line.split_once(':').map(|(name, value)| (field(name.trim()), value));
    if let Some((known, value)) = with_colon
        && (known != Field::Other || value.is_empty() || value.starts_with(char::is_whitespace))
    {
        return Some((known, value.trim()));
    }
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let one = (field(first), after(line, first));
    let second = words.next().unwrap_or_default();
    let two = (field(&format!("{first} {second}")), after(one.1, second));
    let without_colon = [one, two].into_iter().find(|(field, _)| *field != Field::Other);
    without_colon.or(with_colon.map(|(field, value)| (field, value.trim())))
}

/// Returns what follows a word at the beginning.
fn after<'a>(text: &'a str, word: &str) -> &'a str {
    text.trim_start().strip_prefix(word).unwrap_or_default().trim()
}

fn field(name: &str) -> Field {
    match name.to_lowercase().as_str() {
        "user-agent" | "useragent" | "user agent" => Field::UserAgent,
        "allow" => Field::Allow,
        "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => Field::Disallow,
        "sitemap" | "sitemaps" | "site-map" | "host" => Field::Site,
        _ => Field::Other,
    }
}

/// Splits at every character that ends a line in some convention.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| {
        matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT: &str = "ModelContextProtocol/1.0 (Autonomous; +https://github.com/modelcontextprotocol/servers)";

    #[track_caller]
    fn check(robots: &str, allowed: &str, denied: &str) {
        let rules = Rules::parse(robots);
        for (paths, wanted) in [(allowed, true), (denied, false)] {
            for path in paths.split_whitespace() {
                let url = Url::parse(&format!("http://h{path}")).unwrap();
                assert_eq!(rules.allow(&url, AGENT), wanted, "{path}");
            }
        }
    }

    #[test]
    fn the_longest_rule_decides_and_allow_wins_a_draw() {
        check("User-agent: *\nDisallow: /a\nAllow: /a/b\n", "/ /a/b /a/b/c /b", "/a /a/c /ab");
        check("User-agent: *\nDisallow: /page\nAllow: /page\n", "/page", "");
        check("User-agent: *\nDisallow: /\nAllow: /$\n", "/ /robots.txt", "/a");
        check("User-agent: *\nDisallow:\n", "/ /a", "");
        check("", "/ /a", "");
    }

    #[test]
    fn the_group_with_the_best_name_counts_alone() {
        let robots = "User-agent: *\nDisallow: /\n\nUser-agent: ModelContextProtocol\nDisallow: /x\n";
        check(robots, "/a", "/x");
        check("User-agent: protocol\nDisallow: /\n", "/a", "");
        check("User-agent: autonomous\nDisallow: /\n", "", "/a");
        check("User-agent: modelcontextprotocol*\nDisallow: /\n", "", "/a");
    }

    #[test]
    fn names_in_a_row_share_rules_and_groups_of_one_name_are_one() {
        let robots = "User-agent: other\nUser-agent: *\nDisallow: /a\nUser-agent: third\nDisallow: /c\nUser-agent: *\nDisallow: /b\n";
        check(robots, "/c", "/a /b");
        check("User-agent: *\nSitemap: http://h/s.xml\nUser-agent: other\nDisallow: /a\n", "/b", "/a");
    }

    #[test]
    fn careless_files_are_understood() {
        check("\u{feff}User-agent: *\rDisallow: /a\r", "/", "/a");
        check("useragent *\rdissallow /a # why\rDISALLOW:/b\r", "/", "/a /b");
        check("User agent: *\nDisallow : /a\nnonsense\n: x\n", "/", "/a");
        check("Disallow: /a\n", "/a", "");
        check(
            "User-agent: *\nDisallow: /a/index.html\nAllow: /b/index.html\nDisallow: /b\n",
            "/a/ /b/",
            "/a/index.html /b/x",
        );
        check("User-agent: *\nDisallow: /a$b\nDisallow: /c$\n", "/a /c/d", "/a$b /c /c$");
    }
}
