//! A connection over a byte stream that somebody else opened.

use std::io;
use std::sync::{Mutex, PoisonError};

use jackfield_peer::ByteStream;

use crate::transport::Driver;
use crate::{BoxFuture, Connector, Inbox, Limits, OpenConnection};

/// Connects once, over a given stream.
#[derive(Debug)]
pub(crate) struct StreamConnector {
    stream: Mutex<Option<ByteStream>>,
    limits: Limits,
}

impl StreamConnector {
    pub(crate) fn new(stream: ByteStream, limits: Limits) -> Self {
        Self { stream: Mutex::new(Some(stream)), limits }
    }
}

impl Connector for StreamConnector {
    fn connect(&self, inbox: Inbox) -> BoxFuture<'_, io::Result<OpenConnection>> {
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner).take();
        Box::pin(async move {
            let stream = stream.ok_or_else(|| io::Error::other("the stream has been used already"))?;
            let driver = Driver::new(stream, inbox, &self.limits);
            Ok(OpenConnection { link: driver.link(), run: Box::pin(driver.run()) })
        })
    }
}
