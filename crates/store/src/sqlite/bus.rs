//! Notices by way of the file.

use bytes::Bytes;

use super::Sqlite;
use super::database::{Kind, tell};
use crate::{Boxed, Bus, StoreError, Subscription};

impl Bus for Sqlite {
    fn publish<'a>(&'a self, topic: &'a str, notice: Bytes) -> Boxed<'a, Result<(), StoreError>> {
        let topic = topic.to_owned();
        self.run(move |database| database.write(|change, now| tell(change, Kind::Bus, &topic, &notice, now)))
    }

    fn subscribe<'a>(&'a self, topics: &'a [&'a str]) -> Boxed<'a, Result<Subscription, StoreError>> {
        let topics: Vec<String> = topics.iter().map(|topic| (*topic).to_owned()).collect();
        let bus = self.ears().bus.clone();
        self.run(move |database| {
            // What was told before now is not for this one.
            database.listen();
            Ok(bus.join(&topics.iter().map(String::as_str).collect::<Vec<_>>()))
        })
    }
}
