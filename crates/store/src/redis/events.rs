//! Event logs in Redis.

use std::time::Duration;

use redis::Value;

use super::Redis;
use super::listener::Channel;
use super::script::{Call, EVENT_APPEND, EVENT_KEEP, EVENT_OPEN, EVENT_READ, EVENT_REMOVE, Source};
use crate::event::REMEMBERED;
use crate::{Appended, Boxed, EventChunk, EventStore, EventWatch, NewEvents, StoreError, StoredEvent, StreamName};

/// What the server tells of a stream: the first place that is kept, the newest, whether it is finished, and events.
type Told = (u64, u64, bool, Vec<Vec<u8>>);

impl Redis {
    /// Begins a call about a stream: its keys, and its number in the index of the session.
    fn stream_call(&self, script: &'static std::sync::LazyLock<Source>, stream: StreamName<'_>) -> Call {
        let index = self.key("events", stream.session);
        let meta = format!("{index}:{:x}", stream.number);
        Call::new(script).key(&meta).key(format!("{meta}:l")).key(format!("{meta}:k")).key(index)
    }

    /// What the channels of a session begin with.
    fn session_channel(&self, session: &str) -> String {
        let mut channel = self.shared().channel(Channel::Events, &StreamName::new(session, 0).topic());
        channel.pop();
        channel
    }
}

impl EventStore for Redis {
    fn open<'a>(&'a self, stream: StreamName<'a>, keep: Duration) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let call = self.stream_call(&EVENT_OPEN, stream).arg(format!("{:x}", stream.number)).number(keep);
            self.shared().link.call(call.repeatable()).await
        })
    }

    fn append<'a>(&'a self, stream: StreamName<'a>, events: NewEvents) -> Boxed<'a, Result<Appended, StoreError>> {
        Box::pin(async move {
            let limits = events.limits;
            let mut call = self.stream_call(&EVENT_APPEND, stream).arg(format!("{:x}", stream.number));
            call = call.number(limits.keep).number(limits.events).number(limits.bytes);
            call = call.arg(if events.finish { "1" } else { "0" });
            call = call.arg(self.shared().channel(Channel::Events, &stream.topic())).number(REMEMBERED);
            for event in &events.events {
                let once = event.once.as_ref().map_or_else(|| "-".to_owned(), |once| format!("+{once}"));
                call = call.arg(once).arg(&event.data);
            }
            let places = self.shared().link.call::<Option<Vec<u64>>>(call).await?;
            Ok(places.map_or(Appended::Finished, Appended::At))
        })
    }

    fn read<'a>(
        &'a self,
        stream: StreamName<'a>,
        after: u64,
        limit: usize,
    ) -> Boxed<'a, Result<Option<EventChunk>, StoreError>> {
        Box::pin(async move {
            let call = self.stream_call(&EVENT_READ, stream).number(after).number(limit.max(1)).repeatable();
            let Some((first, newest, finished, kept)) = self.shared().link.call::<Option<Told>>(call).await? else {
                return Ok(None);
            };
            let begin = after.saturating_add(1).max(first);
            let events: Vec<_> =
                (begin..).zip(kept).map(|(sequence, data)| StoredEvent { sequence, data: data.into() }).collect();
            let is_all = events.last().map_or(after, |last| last.sequence) >= newest;
            Ok(Some(EventChunk::new(events, finished && is_all, after.saturating_add(1) < first)))
        })
    }

    fn watch<'a>(&'a self, stream: StreamName<'a>) -> Boxed<'a, Result<EventWatch, StoreError>> {
        Box::pin(async move {
            let changes = self.shared().events.join(&[&stream.topic()]);
            self.subscribed().await?;
            Ok(EventWatch::new(changes))
        })
    }

    fn keep<'a>(&'a self, session: &'a str, time: Duration) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let call = Call::new(&EVENT_KEEP).key(self.key("events", session)).number(time).repeatable();
            self.shared().link.call(call).await
        })
    }

    fn remove<'a>(&'a self, stream: StreamName<'a>) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let call = Call::new(&EVENT_REMOVE).key(self.key("events", stream.session));
            let call = call.arg(self.session_channel(stream.session)).arg(format!("{:x}", stream.number));
            self.shared().link.call::<Value>(call.repeatable()).await.map(drop)
        })
    }

    fn remove_session<'a>(&'a self, session: &'a str) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let call = Call::new(&EVENT_REMOVE).key(self.key("events", session)).arg(self.session_channel(session));
            self.shared().link.call::<Value>(call.repeatable()).await.map(drop)
        })
    }
}
