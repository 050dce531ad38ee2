//! A person with a browser: follows addresses, fills in forms, and stops where the client waits for its answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::header::{COOKIE, LOCATION, SET_COOKIE};
use jackfield::auth::client::{AuthError, Interaction, Page, Visit};
use jackfield::http::client::Boxed;
use jackfield::http::fetch::{Document, Fetch as _, FetchRequest, HttpFetch};

/// Nobody listens there: what the browser is sent to is the answer.
const CALLBACK: &str = "http://127.0.0.1:9/callback";
const MOST_PAGES: usize = 20;
/// What the person knows of the fields of forms.
const FILLED: &[(&str, &str)] =
    &[("username", "ann"), ("login", "ann"), ("password", "correct horse battery"), ("decision", "allow")];

/// A person who logs in and allows everything. Each visit begins with an empty browser.
#[derive(Debug)]
pub(crate) struct Person {
    visits: Arc<AtomicUsize>,
}

impl Person {
    /// Counts how often the person is sent away.
    pub(crate) fn new(visits: Arc<AtomicUsize>) -> Self {
        Self { visits }
    }
}

impl Interaction for Person {
    fn prepare<'a>(&'a self, _: Option<&'a str>) -> Boxed<'a, Result<Box<dyn Visit>, AuthError>> {
        self.visits.fetch_add(1, Ordering::Relaxed);
        let browser = Browser { fetch: HttpFetch::desktop(), cookies: BTreeMap::new() };
        Box::pin(std::future::ready(Ok(Box::new(browser) as Box<dyn Visit>)))
    }
}

#[derive(Debug)]
struct Browser {
    fetch: HttpFetch,
    /// Values by name and path.
    cookies: BTreeMap<(String, String), String>,
}

impl Visit for Browser {
    fn redirect_uri(&self) -> &str {
        CALLBACK
    }

    fn visit(mut self: Box<Self>, page: Page) -> Boxed<'static, Result<String, AuthError>> {
        Box::pin(async move {
            let mut ask = FetchRequest::get(page.url.as_str())?;
            for _ in 0..MOST_PAGES {
                let at = ask.url.clone();
                let answer = self.send(ask).await?;
                let location = answer.headers.get(LOCATION).and_then(|value| value.to_str().ok());
                ask = match location.and_then(|location| at.join(location).ok()) {
                    Some(next) if next.as_str().starts_with(CALLBACK) => return Ok(next.into()),
                    Some(next) => FetchRequest::get(next.as_str())?,
                    None => filled(&at, &String::from_utf8_lossy(&answer.body)).ok_or_else(|| {
                        AuthError::Interaction(format!("nothing to fill in, status {}", answer.status))
                    })?,
                };
            }
            Err(AuthError::Interaction("the login never ends".to_owned()))
        })
    }
}

impl Browser {
    async fn send(&mut self, mut ask: FetchRequest) -> Result<Document, AuthError> {
        ask.redirects = 0;
        let path = ask.url.path().to_owned();
        let ours = self.cookies.iter().filter(|((_, place), _)| path.starts_with(place.as_str()));
        let cookies: Vec<String> = ours.map(|((name, _), value)| format!("{name}={value}")).collect();
        if let Ok(cookies) = cookies.join("; ").parse() {
            ask = ask.with(COOKIE, cookies);
        }
        let answer = self.fetch.fetch(ask).await?;
        for cookie in answer.headers.get_all(SET_COOKIE).iter().filter_map(|value| value.to_str().ok()) {
            let mut parts = cookie.split(';').map(str::trim);
            let Some((name, value)) = parts.next().and_then(|pair| pair.split_once('=')) else { continue };
            let place = parts.find_map(|part| part.strip_prefix("path=").or_else(|| part.strip_prefix("Path=")));
            let key = (name.to_owned(), place.unwrap_or("/").to_owned());
            match value {
                "" => drop(self.cookies.remove(&key)),
                value => drop(self.cookies.insert(key, value.to_owned())),
            }
        }
        Ok(answer)
    }
}

/// Fills in the first form of a page.
fn filled(at: &url::Url, page: &str) -> Option<FetchRequest> {
    let (_, rest) = page.split_once("<form")?;
    let (form, rest) = rest.split_once('>')?;
    let fields = rest.split("</form>").next()?;
    let tags = fields.split('<').filter(|tag| tag.starts_with("input") || tag.starts_with("button"));
    let tags = tags.filter_map(|tag| tag.split('>').next());
    let values = tags.filter_map(|tag| {
        let name = attribute(tag, "name")?;
        let known = FILLED.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Some((name.clone(), known.or_else(|| attribute(tag, "value")).unwrap_or_default()))
    });
    // Of two buttons with one name the known answer is pressed, once.
    let values: BTreeMap<String, String> = values.collect();
    let action = at.join(&attribute(form, "action")?).ok()?;
    FetchRequest::post_form(action.as_str(), values.iter().map(|(name, value)| (name.as_str(), value.as_str()))).ok()
}

/// Reads an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    let text = rest.split('"').next()?;
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    Some(signs.iter().fold(text.to_owned(), |text, (sign, meant)| text.replace(sign, meant)))
}
