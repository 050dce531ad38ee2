//! What may be compressed.

use std::time::Duration;

use jackfield_http::fetch::Reach;

/// What may be compressed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GzipLimits {
    /// The most bytes: `GZIP_MAX_FETCH_SIZE`.
    pub max_size: usize,
    /// The longest time: `GZIP_MAX_FETCH_TIME_MILLIS`.
    pub max_time: Duration,
    /// The domains, with their sub-domains: `GZIP_ALLOWED_DOMAINS`; all if empty.
    pub allowed_domains: Vec<String>,
    /// Which addresses are fetched from; only public ones unless it is changed.
    pub reach: Reach,
}

impl Default for GzipLimits {
    fn default() -> Self {
        Self {
            max_size: 10 * 1024 * 1024,
            max_time: Duration::from_millis(30_000),
            allowed_domains: Vec::new(),
            reach: Reach::Web,
        }
    }
}

impl GzipLimits {
    /// Reads the limits from the environment.
    ///
    /// # Errors
    /// A variable is not a number.
    pub fn from_env() -> Result<Self, String> {
        let mut limits = Self::default();
        if let Some(size) = number("GZIP_MAX_FETCH_SIZE")? {
            limits.max_size = usize::try_from(size).unwrap_or(usize::MAX);
        }
        if let Some(time) = number("GZIP_MAX_FETCH_TIME_MILLIS")? {
            limits.max_time = Duration::from_millis(time);
        }
        if let Ok(domains) = std::env::var("GZIP_ALLOWED_DOMAINS") {
            limits.allowed_domains = domains
                .split(',')
                .map(|domain| domain.trim().to_lowercase())
                .filter(|domain| !domain.is_empty())
                .collect();
        }
        Ok(limits)
    }

    /// Lets private networks and this machine be fetched from too.
    pub fn allow_private_addresses(&mut self) {
        self.reach = Reach::Local;
    }

    /// Whether a host is one of the allowed domains or below one.
    pub(super) fn allows(&self, host: &str) -> bool {
        let host = host.to_lowercase();
        self.allowed_domains.is_empty()
            || self.allowed_domains.iter().any(|domain| host == *domain || host.ends_with(&format!(".{domain}")))
    }
}

fn number(name: &str) -> Result<Option<u64>, String> {
    match std::env::var(name) {
        Ok(text) => text.parse().map(Some).map_err(|_| format!("{name} must be a number, not {text:?}")),
        Err(_) => Ok(None),
    }
}
