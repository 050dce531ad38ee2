//! Tasks as bytes, for backends that keep them outside of memory.

use std::time::Duration;

use bytes::{Buf, BufMut, Bytes};

use super::{TaskEnd, TaskInput, TaskRecord};
use crate::{StoreError, Timestamp};

/// The first byte says how the rest is to be read, so that a newer program can read what an older one kept.
const FORMAT: u8 = 1;
/// Stands for a text that is absent.
const ABSENT: u32 = u32::MAX;

/// Writes a record. Its lease is kept beside it, because it changes on its own.
pub(crate) fn encode(record: &TaskRecord) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(record.bytes().saturating_add(128));
    bytes.put_u8(FORMAT);
    bytes.put_u64(record.version);
    bytes.put_u64(record.created.as_millis());
    bytes.put_u64(record.updated.as_millis());
    bytes.put_u64(millis(record.ttl));
    bytes.put_u64(millis(record.poll_interval));
    put(&mut bytes, Some(record.id.as_str().as_bytes()));
    put(&mut bytes, Some(record.owner.as_bytes()));
    put(&mut bytes, record.message.as_deref().map(str::as_bytes));
    bytes.put_u32(u32::try_from(record.inputs.len()).unwrap_or(ABSENT));
    for input in &record.inputs {
        put(&mut bytes, Some(input.key.as_bytes()));
        put(&mut bytes, Some(&input.request));
        put(&mut bytes, input.response.as_deref());
    }
    bytes.put_u8(match &record.end {
        None => 0,
        Some(TaskEnd::Completed(_)) => 1,
        Some(TaskEnd::Unsuccessful(_)) => 2,
        Some(TaskEnd::Failed(_)) => 3,
        Some(TaskEnd::Cancelled) => 4,
    });
    put(&mut bytes, record.end.as_ref().and_then(TaskEnd::payload).map(|payload| &**payload));
    bytes
}

/// Reads a record, with the lease that is kept beside it.
pub(crate) fn decode(bytes: impl Into<Bytes>, leased_until: Option<Timestamp>) -> Result<TaskRecord, StoreError> {
    let unreadable = || StoreError::unavailable("a task that is kept cannot be read");
    read(bytes.into(), leased_until).ok_or_else(unreadable)
}

fn read(mut bytes: Bytes, leased_until: Option<Timestamp>) -> Option<TaskRecord> {
    if bytes.try_get_u8().ok()? != FORMAT {
        return None;
    }
    let version = bytes.try_get_u64().ok()?;
    let created = Timestamp::from_millis(bytes.try_get_u64().ok()?);
    let updated = Timestamp::from_millis(bytes.try_get_u64().ok()?);
    let ttl = duration(bytes.try_get_u64().ok()?);
    let poll_interval = duration(bytes.try_get_u64().ok()?);
    let id = text(&mut bytes)??.into();
    let owner = text(&mut bytes)??;
    let message = text(&mut bytes)?;
    let mut inputs = Vec::new();
    for _ in 0..bytes.try_get_u32().ok()? {
        let key = text(&mut bytes)??;
        let request = take(&mut bytes)??;
        inputs.push(TaskInput { key, request, response: take(&mut bytes)? });
    }
    let (kind, payload) = (bytes.try_get_u8().ok()?, take(&mut bytes)?);
    let end = match kind {
        0 => None,
        1 => Some(TaskEnd::Completed(payload?)),
        2 => Some(TaskEnd::Unsuccessful(payload?)),
        3 => Some(TaskEnd::Failed(payload?)),
        4 => Some(TaskEnd::Cancelled),
        _ => return None,
    };
    let abandoned = false;
    Some(TaskRecord {
        id,
        owner,
        message,
        created,
        updated,
        ttl,
        poll_interval,
        inputs,
        end,
        leased_until,
        abandoned,
        version,
    })
}

fn put(bytes: &mut Vec<u8>, part: Option<&[u8]>) {
    // Nothing of this size passes the limits of messages.
    let length = part.map_or(ABSENT, |part| u32::try_from(part.len()).unwrap_or(ABSENT));
    bytes.put_u32(length);
    bytes.put_slice(part.unwrap_or_default());
}

/// Reads a part that may be absent; the outer `None` is for bytes that make no sense.
fn take(bytes: &mut Bytes) -> Option<Option<Bytes>> {
    let length = bytes.try_get_u32().ok()?;
    if length == ABSENT {
        return Some(None);
    }
    let length = usize::try_from(length).ok().filter(|length| *length <= bytes.len())?;
    Some(Some(bytes.split_to(length)))
}

fn text(bytes: &mut Bytes) -> Option<Option<String>> {
    match take(bytes)? {
        None => Some(None),
        Some(text) => String::from_utf8(text.into()).ok().map(Some),
    }
}

fn millis(time: Option<Duration>) -> u64 {
    time.map_or(u64::MAX, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

fn duration(millis: u64) -> Option<Duration> {
    (millis != u64::MAX).then(|| Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NewTask, TaskChange};

    #[test]
    fn records_are_read_as_they_were_written() {
        let mut new = NewTask::new("owner");
        new.ttl = Some(Duration::from_secs(5));
        let mut record = TaskRecord::new(new, Timestamp::from_millis(7));
        let mut records = vec![record.clone()];
        let ask = vec![("a".to_owned(), Bytes::from_static(b"A?")), ("b".to_owned(), Bytes::new())];
        record.apply(TaskChange::ask(ask).with_message("wait"), Timestamp::from_millis(8));
        record.answer(vec![("b".to_owned(), Bytes::new())], Timestamp::from_millis(9));
        records.push(record.clone());
        for end in [
            TaskEnd::Completed(Bytes::from_static(b"{}")),
            TaskEnd::Unsuccessful(Bytes::new()),
            TaskEnd::Failed(Bytes::from_static(b"\0")),
            TaskEnd::Cancelled,
        ] {
            let mut ended = record.clone();
            ended.apply(TaskChange::end(end), Timestamp::from_millis(10));
            records.push(ended);
        }
        for record in records {
            let bytes = encode(&record);
            assert_eq!(decode(bytes.clone(), record.leased_until).unwrap(), record);
            for length in 0..bytes.len() {
                assert!(decode(bytes[..length].to_vec(), None).is_err(), "cut at {length}");
            }
        }
        assert!(decode(vec![2; 64], None).is_err(), "of a program that is newer");
    }
}
