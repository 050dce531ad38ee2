//! Lists, page by page, as a stream of items.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use jackfield_protocol::{
    ClientRequest, ListParams, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    Method, Prompt, Resource, ResourceTemplate, Tool,
};
use serde::de::DeserializeOwned;

use crate::asking::{Asking, Patience, complete};
use crate::catalogue::Edition;
use crate::client::Client;
use crate::core::Core;
use crate::limits::LONGEST_NAME;
use crate::sending::Wanted;
use crate::session::Session;
use crate::{Boxed, Ended, Error, Link};

/// Something that servers list: a tool, a resource, a resource template or a prompt.
///
/// The trait is sealed: the specification says what there is.
pub trait Listed: Pages + Send + Unpin + 'static {}

impl<T: Pages + Send + Unpin + 'static> Listed for T {}

pub(crate) mod private {
    use super::*;

    /// How the pages of a list are asked for and read.
    pub trait Pages: Sized {
        #[doc(hidden)]
        type Page: DeserializeOwned + Send;
        #[doc(hidden)]
        const METHOD: Method;
        #[doc(hidden)]
        fn request(params: ListParams) -> ClientRequest;
        #[doc(hidden)]
        fn split(page: Self::Page) -> (Vec<Self>, Option<String>);
        /// Learns from the items of a page, and leaves out those that must not be used.
        #[doc(hidden)]
        fn note(_items: &mut Vec<Self>, _client: &Client, _wants_headers: bool, _edition: Edition) {}
        /// The last page has been read of a list that began at this edition.
        #[doc(hidden)]
        fn listed(_client: &Client, _edition: Edition) {}
    }
}

use private::Pages;

macro_rules! listed {
    ($( $item:ty = $method:ident, $page:ty, $items:ident $(, $more:item )*; )+) => { $(
        impl Pages for $item {
            type Page = $page;
            const METHOD: Method = Method::$method;

            fn request(params: ListParams) -> ClientRequest {
                ClientRequest::$method(params)
            }

            fn split(page: $page) -> (Vec<Self>, Option<String>) {
                (page.$items, page.next_cursor)
            }

            $( $more )*
        }
    )+ };
}

listed! {
    Tool = ListTools, ListToolsResult, tools,
        fn note(items: &mut Vec<Self>, client: &Client, wants_headers: bool, edition: Edition) {
            let mut catalogue = client.core().catalogue();
            items.retain(|tool| catalogue.note(tool, wants_headers, edition));
        },
        fn listed(client: &Client, edition: Edition) {
            client.core().catalogue().completed(edition);
        };
    Resource = ListResources, ListResourcesResult, resources;
    ResourceTemplate = ListResourceTemplates, ListResourceTemplatesResult, resource_templates;
    Prompt = ListPrompts, ListPromptsResult, prompts;
}

/// A list of a server as a stream of items; pages are asked for when they are needed.
///
/// It ends with an error if a page fails, if there are more pages than allowed, or if the server gives a cursor twice. Cursors are worth
/// nothing in another session, and a kept page may lead to one that the server no longer knows: then the list begins again, once, and
/// items may come twice. [`Listing::all`] returns each once.
#[must_use = "a list is asked for when it is read"]
pub struct Listing<T: Listed> {
    client: Client,
    ready: VecDeque<T>,
    next: Next,
    seen: HashSet<String>,
    pages: usize,
    loading: Option<Boxed<'static, Result<Page<T>, Trouble>>>,
    /// Whether kept pages are passed by.
    fresh: bool,
    /// Whether a page was a kept one.
    has_kept: bool,
    /// Where the last page came from.
    link: Option<Weak<dyn Link>>,
    /// What was known of the tools when the first page was asked for.
    edition: Option<Edition>,
    /// How long all of it may take, if it is part of something else.
    patience: Option<Patience>,
    began_anew: bool,
    kind: PhantomData<T>,
}

/// A page of a list.
struct Page<T> {
    items: Vec<T>,
    /// The cursor of the next one.
    next: Option<String>,
    kept: bool,
    link: Weak<dyn Link>,
    /// That of the first page.
    edition: Edition,
}

/// Why there is no page.
enum Trouble {
    /// The list has to begin again; this is what to say if that has been tried.
    Anew(Error),
    Failed(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

enum Next {
    First,
    Cursor(String),
    Over,
}

impl<T: Listed> Listing<T> {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            ready: VecDeque::new(),
            next: Next::First,
            seen: HashSet::new(),
            pages: 0,
            loading: None,
            fresh: false,
            has_kept: false,
            link: None,
            edition: None,
            patience: None,
            began_anew: false,
            kind: PhantomData,
        }
    }

    /// Asks the server for every page, also for those that were kept from before, so that all of the list is as new.
    pub fn fresh(self) -> Self {
        Self { fresh: true, ..self }
    }

    /// Lists within the time of something else.
    pub(crate) fn within(self, patience: Patience) -> Self {
        Self { patience: Some(patience), ..self }
    }

    /// Waits for the next item; `None` at the end.
    ///
    /// # Errors
    /// The list ends with the first error.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Reads the whole list.
    ///
    /// # Errors
    /// A page failed, or the list does not end.
    pub async fn all(mut self) -> Result<Vec<T>, Error> {
        let (mut items, mut anew) = (Vec::new(), false);
        loop {
            let item = self.next().await;
            if self.began_anew && !anew {
                anew = true;
                items.clear();
            }
            match item {
                Some(item) => items.push(item?),
                None => return Ok(items),
            }
        }
    }

    fn begin_page(&mut self) -> Result<bool, Error> {
        let cursor = match std::mem::replace(&mut self.next, Next::Over) {
            Next::Over => return Ok(false),
            Next::First => None,
            Next::Cursor(cursor) => Some(cursor),
        };
        let limit = self.client.core().options.limits.pages;
        if self.pages >= limit {
            return Err(Error::Limit { what: "the number of pages of one list", limit });
        }
        if cursor.as_ref().is_some_and(|cursor| cursor.len() > LONGEST_NAME) {
            return Err(Error::Limit { what: "the length of a cursor", limit: LONGEST_NAME });
        }
        if let Some(cursor) = &cursor
            && !self.seen.insert(cursor.clone())
        {
            return Err(Error::RepeatedCursor(T::METHOD.name()));
        }
        self.pages += 1;
        let place = Place {
            cursor,
            fresh: self.fresh,
            after_kept: self.has_kept,
            link: self.link.clone(),
            edition: self.edition,
            patience: self.patience,
        };
        self.loading = Some(Box::pin(page::<T>(self.client.clone(), place)));
        Ok(true)
    }

    fn take_page(&mut self, page: Page<T>) {
        self.ready = page.items.into();
        self.has_kept |= page.kept;
        self.link = Some(page.link);
        self.edition = Some(page.edition);
        if let Some(cursor) = page.next {
            self.next = Next::Cursor(cursor);
        }
    }
}

impl<T: Listed> Listing<T> {
    fn begin_anew(&mut self) {
        (self.next, self.link, self.edition) = (Next::First, None, None);
        (self.pages, self.has_kept, self.began_anew) = (0, false, true);
        self.seen.clear();
        self.ready.clear();
    }
}

impl<T: Listed> Stream for Listing<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(item)));
            }
            if let Some(loading) = &mut self.loading {
                let page = ready!(loading.as_mut().poll(cx));
                self.loading = None;
                match page {
                    Ok(page) => self.take_page(page),
                    Err(Trouble::Anew(_)) if !self.began_anew => self.begin_anew(),
                    Err(Trouble::Anew(error) | Trouble::Failed(error)) => return Poll::Ready(Some(Err(error))),
                }
                continue;
            }
            match self.begin_page() {
                Ok(true) => {}
                Ok(false) => return Poll::Ready(None),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

/// Which page is wanted.
struct Place {
    cursor: Option<String>,
    fresh: bool,
    /// Whether a page before it was a kept one.
    after_kept: bool,
    /// Where the page before it came from.
    link: Option<Weak<dyn Link>>,
    edition: Option<Edition>,
    patience: Option<Patience>,
}

async fn page<T: Listed>(client: Client, place: Place) -> Result<Page<T>, Trouble> {
    let core = client.core();
    let limit = place.patience.map_or(core.options.timeouts.request, |patience| patience.timeout);
    let session = core.session(limit).await?;
    match T::METHOD {
        Method::ListTools => session.needs_tools()?,
        Method::ListPrompts => session.needs_prompts()?,
        _ => session.needs_resources()?,
    }
    // Where there are sessions a cursor belongs to one.
    let link = Arc::downgrade(&session.link);
    if session.revision.has_handshake() && place.link.as_ref().is_some_and(|before| !before.ptr_eq(&link)) {
        let cause = Arc::new(Ended::new("the session ended in the middle of the list"));
        return Err(Trouble::Anew(Error::Lost { method: T::METHOD.name().to_owned(), cause }));
    }
    // Both are looked at before the request is sent: what changes after that may not be in its answer.
    let edition = core.catalogue().edition();
    let first_edition = place.edition.unwrap_or(edition);
    let moment = core.moment(&session, T::METHOD, limit).await;
    let kept = core.cached(moment, T::METHOD, place.cursor.as_deref()).filter(|_| !place.fresh);
    let is_kept = kept.is_some();
    let cursor = place.cursor.clone();
    let text = match kept {
        Some(text) => text,
        None => fetch_page::<T>(core, &session, place).await?,
    };
    let (mut items, next) = T::split(complete(T::METHOD.name(), &text, &session)?);
    if !is_kept {
        core.keep(&session, moment, T::METHOD, cursor.as_deref(), &text).await;
    }
    T::note(&mut items, &client, session.link.wants_param_headers(), edition);
    if next.is_none() {
        T::listed(&client, first_edition);
    }
    Ok(Page { items, next, kept: is_kept, link, edition: first_edition })
}

async fn fetch_page<T: Listed>(core: &Core, session: &Session, place: Place) -> Result<Bytes, Trouble> {
    let Place { cursor, after_kept, patience, .. } = place;
    let mut asking = patience.map_or_else(|| Asking::new(core), Asking::with);
    let mut params = ListParams::default();
    params.cursor.clone_from(&cursor);
    match core.ask(session, Wanted::Any(T::request(params)), &mut asking).await {
        Ok(answer) => Ok(answer.into_bytes()),
        Err(error) if cursor.is_some() && error.server_error().is_some() => {
            // The server no longer knows the cursor, so pages that were kept lead nowhere.
            core.forget_pages(T::METHOD);
            Err(if after_kept { Trouble::Anew(error) } else { Trouble::Failed(error) })
        }
        Err(error) => Err(error.into()),
    }
}

impl<T: Listed> fmt::Debug for Listing<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listing").field("list", &T::METHOD.name()).field("pages", &self.pages).finish_non_exhaustive()
    }
}
