//! Who makes a commit, and when.

use gix::{
    bstr::{BString, ByteSlice},
    date::Time,
};

use super::{
    date,
    failure::{Failure, Result},
    repository::Repository,
};

/// An author or committer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) name: String,
    pub(super) email: String,
    pub(super) time: Time,
}

/// The two roles, which have their own variables in the environment.
#[derive(Debug, Clone, Copy)]
pub(super) enum Role {
    Author,
    Committer,
}

impl Identity {
    /// `Name <email> seconds offset`, as it stands in commits and logs.
    pub(super) fn line(&self) -> String {
        let offset = self.time.offset.unsigned_abs();
        let sign = if self.time.offset < 0 { '-' } else { '+' };
        let (name, email, seconds) = (&self.name, &self.email, self.time.seconds);
        format!("{name} <{email}> {seconds} {sign}{:02}{:02}", offset / 3600, offset / 60 % 60)
    }
}

impl Repository {
    /// The identity from the environment, else from the configuration, else from the user's account.
    pub(super) fn identity(&self, role: Role) -> Result<Identity> {
        let prefix = match role {
            Role::Author => "GIT_AUTHOR",
            Role::Committer => "GIT_COMMITTER",
        };
        let variable = |what: &str| std::env::var(format!("{prefix}_{what}")).ok();
        let name = variable("NAME").unwrap_or_else(|| self.configured("user.name").unwrap_or_else(account_name));
        let email = variable("EMAIL").unwrap_or_else(|| self.configured("user.email").unwrap_or_else(account_email));
        for value in [&name, &email] {
            if value.contains(['<', '>', '\n']) {
                return Err(Failure::new(format!(
                    "Commit identity '{value}' must not contain '<', '>' or a line feed"
                )));
            }
        }
        let time = match variable("DATE").filter(|date| !date.is_empty()) {
            Some(text) => date::parse(&text)?,
            None => Time::now_local_or_utc(),
        };
        Ok(Identity { name, email, time })
    }

    /// A value of the repository's configuration, else of the user's; files that the latter includes count.
    fn configured(&self, key: &str) -> Option<String> {
        let text = |value: BString| value.to_str().ok().map(str::to_owned).filter(|value| !value.is_empty());
        let snapshot = self.gix.config_snapshot();
        let own = snapshot
            .plumbing()
            .string_filter(key, |section| section.source.kind() == gix::config::source::Kind::Repository);
        own.and_then(text)
            .or_else(|| gix::config::File::from_globals().ok()?.string(key).and_then(text))
            .or_else(|| snapshot.string(key).and_then(text))
    }
}

fn account_name() -> String {
    ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok()).unwrap_or_else(|| "unknown".into())
}

fn account_email() -> String {
    let host = std::fs::read_to_string("/etc/hostname").ok().map(|host| host.trim().to_owned());
    let host = host.filter(|host| !host.is_empty()).or_else(|| std::env::var("HOSTNAME").ok());
    format!("{}@{}", account_name(), host.as_deref().unwrap_or("localhost"))
}
