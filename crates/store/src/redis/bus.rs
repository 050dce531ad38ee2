//! Notices by Redis.

use bytes::Bytes;

use super::Redis;
use super::listener::Channel;
use super::script::{Call, PUBLISH};
use crate::{Boxed, Bus, StoreError, Subscription};

impl Bus for Redis {
    fn publish<'a>(&'a self, topic: &'a str, notice: Bytes) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let channel = self.shared().channel(Channel::Bus, topic);
            // The nodes of a cluster pass notices on to each other. Those of one publisher stay in order if all go by the same node,
            // and a key is what decides on the node.
            let call = Call::new(&PUBLISH).key(self.key("bus", "bus")).arg(channel).arg(notice);
            self.shared().link.call::<u64>(call).await.map(drop)
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
