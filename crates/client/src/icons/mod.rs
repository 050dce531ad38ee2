//! Loading the icons that a server names, so that a user interface can draw them.
//!
//! An icon is untrusted twice: its address may be meant to be fetched, and its bytes may be meant for the decoder. [`Icons`]
//! fetches only from the server's own origin and from those that the host trusts, over `https`, without anything that says
//! who is asking; and it hands over only what is an image by its bytes, small enough to draw.
//!
//! ```no_run
//! # async fn example(icon: jackfield_protocol::Icon) -> Result<(), jackfield_client::icons::BadIcon> {
//! use jackfield_client::icons::Icons;
//!
//! let icons = Icons::of_server("https://example.com/mcp").trust("https://cdn.example.com");
//! let image = icons.load(&icon).await?;
//! println!("{}, {} bytes", image.kind.media_type(), image.bytes.len());
//! # Ok(())
//! # }
//! ```

mod data_url;
mod image;
mod svg;

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode, Uri};
use jackfield_http::client::{Agent, AgentConfig, same_origin};
use jackfield_http::fetch::{OutOfReach, Reach};
use jackfield_protocol::Icon;

pub use image::ImageKind;

/// An icon that may be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IconImage {
    /// What its bytes are. A vector image is drawn as an image, in a sandbox, and never put into a page as markup.
    pub kind: ImageKind,
    /// The file.
    pub bytes: Bytes,
}

/// Why an icon is not drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadIcon {
    /// The address is neither an `https` URL nor a `data:` URL.
    #[error("the icon's address is neither https: nor data:")]
    Scheme,
    /// The address belongs to neither the server nor anyone whom the host trusts.
    #[error("the icon's address belongs to another origin than the server")]
    Origin,
    /// The server sends to another place, or has no such file.
    #[error("the icon could not be fetched: the answer was {0}")]
    Status(StatusCode),
    /// There was no answer in time.
    #[error("the icon could not be fetched in time")]
    TimedOut,
    /// There was no answer, or not all of it.
    #[error("the icon could not be fetched")]
    Fetch(#[source] io::Error),
    /// The `data:` URL cannot be read.
    #[error("the icon's data: URL cannot be read")]
    Data,
    /// It has more bytes, pixels or frames than [`IconLimits`] allow.
    #[error("the icon has too many {0}")]
    TooLarge(&'static str),
    /// Its bytes are no image of a kind that is drawn.
    #[error("the icon is not an image of a known kind")]
    Unknown,
    /// It says to be of another kind than its bytes are.
    #[error("the icon says to be {said:?}, but it is {found}")]
    Mismatch {
        /// What the server says.
        said: String,
        /// What the bytes are.
        found: &'static str,
    },
    /// It is a vector image that could run something or fetch something.
    #[error("the icon has active content: {0}")]
    Active(&'static str),
}

/// How large an icon may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IconLimits {
    /// The most bytes of a file.
    pub bytes: usize,
    /// The most pixels along one side.
    pub side: u32,
    /// The most pictures of an animation.
    pub frames: u32,
    /// How long fetching may take.
    pub time: Duration,
}

impl Default for IconLimits {
    fn default() -> Self {
        Self { bytes: 1024 * 1024, side: 4096, frames: 64, time: Duration::from_secs(10) }
    }
}

/// Loads the icons of one server.
#[derive(Clone, Debug)]
pub struct Icons {
    origins: Vec<Uri>,
    agent: Agent,
    limits: IconLimits,
}

impl Icons {
    /// Loads icons of the server at this URL: those in `data:` URLs, and those of its own origin.
    #[must_use]
    pub fn of_server(url: &str) -> Self {
        Self::embedded().trust(url)
    }

    /// Loads icons in `data:` URLs only, as a server without an address may have them.
    #[must_use]
    pub fn embedded() -> Self {
        let mut config = AgentConfig::default();
        config.reach = Some(Reach::Public);
        config.connect_timeout = Duration::from_secs(5);
        Self { origins: Vec::new(), agent: Agent::new(config), limits: IconLimits::default() }
    }

    /// Loads icons of the origin of this `https` URL too. Anything else is trusted in vain.
    #[must_use]
    pub fn trust(mut self, url: &str) -> Self {
        self.origins.extend(url.parse::<Uri>().ok().filter(|uri| uri.scheme_str() == Some("https")));
        self
    }

    /// Fetches through this agent. The default reaches public addresses only.
    #[must_use]
    pub fn agent(mut self, agent: Agent) -> Self {
        self.agent = agent;
        self
    }

    /// Changes how large an icon may be.
    #[must_use]
    pub fn limits(mut self, limits: IconLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Loads an icon, and makes sure that it is one.
    ///
    /// # Errors
    /// See [`BadIcon`]; none of them concerns more than this icon.
    pub async fn load(&self, icon: &Icon) -> Result<IconImage, BadIcon> {
        let scheme = icon.src.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        let (said, bytes) = match scheme.as_deref() {
            Some("data") => data_url::read(&icon.src, self.limits.bytes)?,
            Some("https") => {
                tokio::time::timeout(self.limits.time, self.fetch(&icon.src)).await.unwrap_or(Err(BadIcon::TimedOut))?
            }
            _ => return Err(BadIcon::Scheme),
        };
        let kind = image::inspect(&bytes, &self.limits)?;
        for said in said.iter().chain(&icon.mime_type) {
            if !kind.is_called(said) {
                return Err(BadIcon::Mismatch { said: said.clone(), found: kind.media_type() });
            }
        }
        Ok(IconImage { kind, bytes })
    }

    /// Fetches a file. Nothing that tells one user from another is sent along.
    async fn fetch(&self, url: &str) -> Result<(Option<String>, Bytes), BadIcon> {
        let uri: Uri = url.parse().map_err(|_| BadIcon::Scheme)?;
        if !self.origins.iter().any(|origin| same_origin(origin, &uri)) {
            return Err(BadIcon::Origin);
        }
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = uri;
        let answer = self.agent.send(request, None).await.map_err(|error| BadIcon::Fetch(error.into_io()))?;
        if answer.status != StatusCode::OK {
            // A redirect within the origin has been followed; any other is none that an icon may take.
            return Err(BadIcon::Status(answer.status));
        }
        let said = answer.media_type();
        let bytes = answer.text(self.limits.bytes).await.map_err(|error| match error.is_too_long() {
            true => BadIcon::TooLarge("bytes"),
            false => BadIcon::Fetch(error.into_io()),
        })?;
        Ok((said, bytes))
    }
}

impl BadIcon {
    /// Whether the address leads to a place that is not reached, such as this machine.
    #[must_use]
    pub fn is_out_of_reach(&self) -> bool {
        let Self::Fetch(error) = self else { return false };
        let mut cause: Option<&(dyn std::error::Error + 'static)> = error.get_ref().map(|error| error as _);
        while let Some(error) = cause {
            if error.is::<OutOfReach>() {
                return true;
            }
            cause = error.source();
        }
        error.kind() == io::ErrorKind::PermissionDenied
    }
}
