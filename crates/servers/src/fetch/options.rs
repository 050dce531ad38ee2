//! How the server fetches.

use super::destination::Destinations;
use super::limits::Limits;

const AUTONOMOUS: &str = "ModelContextProtocol/1.0 (Autonomous; +https://github.com/modelcontextprotocol/servers)";
const MANUAL: &str = "ModelContextProtocol/1.0 (User-Specified; +https://github.com/modelcontextprotocol/servers)";

/// How the server fetches. Nothing of it can be changed by a call.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// What requests say about who is asking, in place of the original's two texts.
    pub user_agent: Option<String>,
    /// Whether the tool fetches what a site's robots.txt does not want fetched.
    pub ignore_robots_txt: bool,
    /// Through which proxies requests go.
    pub proxy: Proxy,
    /// Where requests may go.
    pub destinations: Destinations,
    /// How much of a site's answer is taken.
    pub limits: Limits,
}

/// Through which proxies requests go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proxy {
    /// Through those of `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY`, except for what `NO_PROXY` names.
    #[default]
    Environment,
    /// All through this one.
    Url(String),
    /// Through none.
    Direct,
}

/// On whose behalf a page is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A model's: sites may object.
    Autonomous,
    /// A person's, who named the page.
    UserSpecified,
}

impl Options {
    pub(super) fn user_agent(&self, purpose: Purpose) -> &str {
        self.user_agent.as_deref().filter(|text| !text.is_empty()).unwrap_or(match purpose {
            Purpose::Autonomous => AUTONOMOUS,
            Purpose::UserSpecified => MANUAL,
        })
    }
}
