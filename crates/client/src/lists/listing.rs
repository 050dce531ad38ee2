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
    Adapt, ClientRequest, ListParams, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, Method, Prompt, Resource, ResourceTemplate, Tool, note_sender,
};
use serde::de::DeserializeOwned;

use crate::client::Client;
use crate::config::LONGEST_NAME;
use crate::connection::Core;
use crate::connection::Session;
use crate::error::Cause;
use crate::request::Outbound;
use crate::request::{Deadline, RequestOptions, complete};
use crate::tools::CatalogVersion;
use crate::{BoxFuture, EndReason, Error, Link};

/// Something that servers list: a tool, a resource, a resource template or a prompt.
///
/// The trait is sealed: the specification says what there is.
pub trait Listed: Pages + Send + Unpin + 'static {}

impl<T: Pages + Send + Unpin + 'static> Listed for T {}

pub(crate) mod private {
    use super::*;

    /// How the pages of a list are asked for and read.
    pub trait Pages: Adapt + Sized {
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
        fn note(_items: &mut Vec<Self>, _client: &Client, _wants_headers: bool, _edition: CatalogVersion) {}
        /// The last page has been read of a list that began at this version.
        #[doc(hidden)]
        fn listed(_client: &Client, _edition: CatalogVersion) {}
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
        fn note(items: &mut Vec<Self>, client: &Client, wants_headers: bool, version: CatalogVersion) {
            let mut tool_catalog = client.core().tool_catalog();
            items.retain(|tool| tool_catalog.note(tool, wants_headers, version));
        },
        fn listed(client: &Client, version: CatalogVersion) {
            client.core().tool_catalog().completed(version);
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
    next: NextPage,
    seen: HashSet<String>,
    pages: usize,
    loading: Option<BoxFuture<'static, Result<Page<T>, PageError>>>,
    /// Whether kept pages are passed by.
    fresh: bool,
    /// Whether a page was a kept one.
    has_kept: bool,
    /// Where the last page came from.
    link: Option<Weak<dyn Link>>,
    /// What was known of the tools when the first page was asked for.
    version: Option<CatalogVersion>,
    /// How long all of it may take, if it is part of something else.
    deadline: Option<Deadline>,
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
    version: CatalogVersion,
}

/// Why there is no page.
enum PageError {
    /// The list has to begin again; this is what to say if that has been tried.
    Anew(Error),
    Failed(Error),
}

impl From<Error> for PageError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

enum NextPage {
    First,
    Cursor(String),
    Over,
}

impl<T: Listed> Listing<T> {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            ready: VecDeque::new(),
            next: NextPage::First,
            seen: HashSet::new(),
            pages: 0,
            loading: None,
            fresh: false,
            has_kept: false,
            link: None,
            version: None,
            deadline: None,
            began_anew: false,
            kind: PhantomData,
        }
    }

    /// Asks the server for every page, also for those that were kept from before, so that all of the list is as new.
    pub fn fresh(self) -> Self {
        Self { fresh: true, ..self }
    }

    /// Lists within the time of something else.
    pub(crate) fn within(self, deadline: Deadline) -> Self {
        Self { deadline: Some(deadline), ..self }
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
        let cursor = match std::mem::replace(&mut self.next, NextPage::Over) {
            NextPage::Over => return Ok(false),
            NextPage::First => None,
            NextPage::Cursor(cursor) => Some(cursor),
        };
        let limit = self.client.core().options.limits.pages;
        if self.pages >= limit {
            return Err(Error::limit("the number of pages of one list", limit));
        }
        if cursor.as_ref().is_some_and(|cursor| cursor.len() > LONGEST_NAME) {
            return Err(Error::limit("the length of a cursor", LONGEST_NAME));
        }
        if let Some(cursor) = &cursor
            && !self.seen.insert(cursor.clone())
        {
            return Err(Cause::RepeatedCursor(T::METHOD.name()).into());
        }
        self.pages += 1;
        let request = PageRequest {
            cursor,
            fresh: self.fresh,
            after_kept: self.has_kept,
            link: self.link.clone(),
            version: self.version,
            deadline: self.deadline,
        };
        self.loading = Some(Box::pin(page::<T>(self.client.clone(), request)));
        Ok(true)
    }

    fn take_page(&mut self, page: Page<T>) {
        self.ready = page.items.into();
        self.has_kept |= page.kept;
        self.link = Some(page.link);
        self.version = Some(page.version);
        if let Some(cursor) = page.next {
            self.next = NextPage::Cursor(cursor);
        }
    }
}

impl<T: Listed> Listing<T> {
    fn begin_anew(&mut self) {
        (self.next, self.link, self.version) = (NextPage::First, None, None);
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
                    Err(PageError::Anew(_)) if !self.began_anew => self.begin_anew(),
                    Err(PageError::Anew(error) | PageError::Failed(error)) => return Poll::Ready(Some(Err(error))),
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
struct PageRequest {
    cursor: Option<String>,
    fresh: bool,
    /// Whether a page before it was a kept one.
    after_kept: bool,
    /// Where the page before it came from.
    link: Option<Weak<dyn Link>>,
    version: Option<CatalogVersion>,
    deadline: Option<Deadline>,
}

async fn page<T: Listed>(client: Client, request: PageRequest) -> Result<Page<T>, PageError> {
    let core = client.core();
    let limit = request.deadline.map_or(core.options.timeouts.request, |deadline| deadline.timeout);
    let session = core.session(limit).await?;
    match T::METHOD {
        Method::ListTools => session.needs_tools()?,
        Method::ListPrompts => session.needs_prompts()?,
        _ => session.needs_resources()?,
    }
    // Where there are sessions a cursor belongs to one.
    let link = Arc::downgrade(&session.link);
    if session.revision.has_handshake() && request.link.as_ref().is_some_and(|before| !before.ptr_eq(&link)) {
        let cause = Arc::new(EndReason::new("the session ended in the middle of the list"));
        return Err(PageError::Anew(Error::lost(T::METHOD.name(), cause)));
    }
    // Both are looked at before the request is sent: what changes after that may not be in its answer.
    let version = core.tool_catalog().version();
    let first_edition = request.version.unwrap_or(version);
    let moment = core.moment(&session, T::METHOD, limit).await;
    let kept = core.cached(moment, T::METHOD, request.cursor.as_deref()).filter(|_| !request.fresh);
    let is_kept = kept.is_some();
    let cursor = request.cursor.clone();
    let text = match kept {
        Some(text) => text,
        None => fetch_page::<T>(core, &session, request).await?,
    };
    let (mut items, next) = T::split(complete(T::METHOD.name(), &text, &session)?);
    note_sender(&mut items, session.revision);
    if !is_kept {
        core.keep(&session, moment, T::METHOD, cursor.as_deref(), &text).await;
    }
    T::note(&mut items, &client, session.link.wants_param_headers(), version);
    if next.is_none() {
        T::listed(&client, first_edition);
    }
    Ok(Page { items, next, kept: is_kept, link, version: first_edition })
}

async fn fetch_page<T: Listed>(core: &Core, session: &Session, request: PageRequest) -> Result<Bytes, PageError> {
    let PageRequest { cursor, after_kept, deadline, .. } = request;
    let mut options = deadline.map_or_else(|| RequestOptions::new(core), RequestOptions::with);
    let mut params = ListParams::default();
    params.cursor.clone_from(&cursor);
    match core.request_text(session, Outbound::Any(T::request(params)), &mut options).await {
        Ok(answer) => Ok(answer.into_bytes()),
        Err(error) if cursor.is_some() && error.server_error().is_some() => {
            // The server no longer knows the cursor, so pages that were kept lead nowhere.
            core.forget_pages(T::METHOD);
            Err(if after_kept { PageError::Anew(error) } else { PageError::Failed(error) })
        }
        Err(error) => Err(error.into()),
    }
}

impl<T: Listed> fmt::Debug for Listing<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listing").field("list", &T::METHOD.name()).field("pages", &self.pages).finish_non_exhaustive()
    }
}
