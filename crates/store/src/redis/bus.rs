//! Notices by Redis.

use bytes::Bytes;

use super::Redis;
use super::listener::Channel;
use crate::{Boxed, Bus, StoreError, Subscription};

impl Bus for Redis {
    fn publish<'a>(&'a self, topic: &'a str, notice: Bytes) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let channel = self.shared().channel(Channel::Bus, topic);
            let mut command = redis::cmd("PUBLISH");
            command.arg(channel).arg(&notice[..]);
            self.shared().link.command(&command).await.map(drop)
        })
    }

    fn subscribe<'a>(&'a self, topics: &'a [&'a str]) -> Boxed<'a, Result<Subscription, StoreError>> {
        Box::pin(async move {
            let subscription = self.shared().bus.join(topics);
            self.subscribed().await?;
            Ok(subscription)
        })
    }
}
