//! Values in Redis.

use std::time::Duration;

use bytes::Bytes;

use super::Redis;
use super::script::{Call, KV_GET, KV_SET, KV_TAKE, Number};
use crate::{Boxed, KvStore, StoreError};

impl Redis {
    async fn set(
        &self,
        mode: &str,
        key: &str,
        value: &[u8],
        keep: Option<Duration>,
        before: &[u8],
    ) -> Result<bool, StoreError> {
        let keep = keep.map(|keep| Number::from(keep).to_string()).unwrap_or_default();
        let mut call = Call::new(&KV_SET).key(self.key("kv", key)).arg(mode).arg(keep).arg(value).arg(before);
        call.is_repeatable = mode == "put";
        self.shared().link.call(call).await
    }
}

impl KvStore for Redis {
    fn get<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<Option<Bytes>, StoreError>> {
        Box::pin(async move {
            let call = Call::new(&KV_GET).key(self.key("kv", key)).repeatable();
            Ok(self.shared().link.call::<Option<Vec<u8>>>(call).await?.map(Bytes::from))
        })
    }

    fn put<'a>(&'a self, key: &'a str, value: Bytes, keep: Option<Duration>) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(async move { self.set("put", key, &value, keep, b"").await.map(drop) })
    }

    fn add<'a>(&'a self, key: &'a str, value: Bytes, keep: Option<Duration>) -> Boxed<'a, Result<bool, StoreError>> {
        Box::pin(async move { self.set("add", key, &value, keep, b"").await })
    }

    fn take<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<Option<Bytes>, StoreError>> {
        Box::pin(async move {
            let call = Call::new(&KV_TAKE).key(self.key("kv", key));
            Ok(self.shared().link.call::<Option<Vec<u8>>>(call).await?.map(Bytes::from))
        })
    }

    fn replace<'a>(
        &'a self,
        key: &'a str,
        before: &'a [u8],
        after: Bytes,
        keep: Option<Duration>,
    ) -> Boxed<'a, Result<bool, StoreError>> {
        Box::pin(async move { self.set("replace", key, &after, keep, before).await })
    }

    fn remove<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<bool, StoreError>> {
        Box::pin(async move { Ok(self.take(key).await?.is_some()) })
    }
}
