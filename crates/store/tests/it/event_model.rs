//! Event logs beside a model of them: whatever is done in whatever order, both tell the same.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jackfield_store::contract::StoresSetting;
use jackfield_store::{
    Appended, EventChunk, EventLimits, EventStore, NewEvent, NewEvents, StoredEvent, Stores, StreamName,
};
use proptest::prelude::*;

use crate::memory::Memory;

/// Two sessions with streams of the same numbers, whose names could run into each other.
const STREAMS: [(&str, u64); 4] = [("s", 1), ("s", 0x11), ("s1", 1), ("s 1", 0x11)];

/// What the nodes do. Each names the stream by its place in the list.
#[derive(Clone, Debug)]
enum Act {
    Open(usize, u64),
    /// Lengths of the events, with the keys of those that are kept once.
    Append(usize, Vec<(usize, Option<u8>)>, bool),
    Read(usize, u64, usize),
    Keep(usize, u64),
    Pass(u64),
    Remove(usize),
    RemoveSession(usize),
}

fn act() -> impl Strategy<Value = Act> {
    let stream = || 0..STREAMS.len();
    let event = (0usize..12, prop::option::weighted(0.3, 0u8..3));
    prop_oneof![
        1 => (stream(), 0u64..30).prop_map(|(stream, keep)| Act::Open(stream, keep)),
        6 => (stream(), prop::collection::vec(event, 0..4), prop::bool::weighted(0.1))
            .prop_map(|(stream, events, finish)| Act::Append(stream, events, finish)),
        6 => (stream(), prop_oneof![4 => 0u64..12, 1 => Just(u64::MAX)], 0usize..5)
            .prop_map(|(stream, after, limit)| Act::Read(stream, after, limit)),
        1 => (stream(), 0u64..40).prop_map(|(stream, time)| Act::Keep(stream, time)),
        2 => (0u64..15).prop_map(Act::Pass),
        1 => stream().prop_map(Act::Remove),
        1 => stream().prop_map(Act::RemoveSession),
    ]
}

/// A stream as the model sees it: the events that are kept, and what is known of those that were.
#[derive(Debug, Default)]
struct Stream {
    kept: Vec<(u64, String)>,
    newest: u64,
    places: BTreeMap<u8, u64>,
    finished: bool,
    until: u64,
}

#[derive(Debug)]
struct Model {
    streams: BTreeMap<usize, Stream>,
    now: u64,
    limits: EventLimits,
    count: usize,
}

impl Model {
    fn begin(&mut self, stream: usize, keep: u64) -> &mut Stream {
        let until = self.now + keep;
        let stream = self.streams.entry(stream).or_default();
        stream.until = stream.until.max(until);
        stream
    }

    /// Says what is to be added, each event with a text that no other has, and what has to become of it.
    fn append(&mut self, number: usize, events: &[(usize, Option<u8>)], finish: bool) -> (Vec<NewEvent>, Appended) {
        let (limits, first) = (self.limits, self.count);
        self.count += events.len();
        let text = |(at, (length, _)): (usize, &(usize, Option<u8>))| format!("{:0>length$}", first + at);
        let texts: Vec<String> = events.iter().enumerate().map(text).collect();
        let new = texts.iter().zip(events).map(|(text, (_, key))| match key {
            Some(key) => NewEvent::once(key.to_string(), text.clone()),
            None => NewEvent::new(text.clone()),
        });
        let new = new.collect();
        let stream = self.begin(number, limits.keep.as_millis() as u64);
        if stream.finished {
            return (new, Appended::Finished);
        }
        let mut places = Vec::new();
        for (text, (_, key)) in texts.into_iter().zip(events) {
            if let Some(place) = key.and_then(|key| stream.places.get(&key)) {
                places.push(*place);
                continue;
            }
            stream.newest += 1;
            places.push(stream.newest);
            stream.places.extend(key.map(|key| (key, stream.newest)));
            stream.kept.push((stream.newest, text));
        }
        stream.finished = finish;
        let bytes = |kept: &[(u64, String)]| kept.iter().map(|(_, text)| text.len()).sum::<usize>();
        while stream.kept.len() > 1 && (stream.kept.len() > limits.events || bytes(&stream.kept) > limits.bytes) {
            stream.kept.remove(0);
        }
        (new, Appended::At(places))
    }

    fn read(&self, stream: usize, after: u64, limit: usize) -> Option<EventChunk> {
        let stream = self.streams.get(&stream)?;
        let rest: Vec<_> = stream.kept.iter().filter(|(place, _)| *place > after).collect();
        let shown = rest.iter().take(limit.max(1));
        let events: Vec<_> =
            shown.map(|(place, text)| StoredEvent { sequence: *place, data: text.clone().into() }).collect();
        let finished = stream.finished && events.len() == rest.len();
        // Every place up to the newest had an event, so what is not kept between is missing.
        let missed =
            (1..=stream.newest).any(|place| place > after && stream.kept.iter().all(|(kept, _)| *kept != place));
        Some(EventChunk::new(events, finished, missed))
    }

    fn pass(&mut self, time: u64) {
        self.now += time;
        self.streams.retain(|_, stream| stream.until > self.now);
    }

    fn of_session(stream: usize) -> impl Fn(&usize) -> bool {
        move |other| STREAMS[*other].0 == STREAMS[stream].0
    }
}

fn name(stream: usize) -> StreamName<'static> {
    StreamName::new(STREAMS[stream].0, STREAMS[stream].1)
}

/// Does the same to a store, by two nodes in turn, and to a model.
async fn play(setting: &impl StoresSetting, limits: EventLimits, acts: &[Act]) -> Result<(), TestCaseError> {
    let nodes: (Stores, Stores) = setting.pair().await;
    let mut model = Model { streams: BTreeMap::new(), now: 0, limits, count: 0 };
    let millis = Duration::from_millis;
    for (turn, act) in acts.iter().enumerate() {
        let store: &dyn EventStore = if turn % 2 == 0 { nodes.0.events().as_ref() } else { nodes.1.events().as_ref() };
        match act {
            Act::Open(stream, keep) => {
                store.open(name(*stream), millis(*keep)).await.unwrap();
                model.begin(*stream, *keep);
                model.pass(0);
            }
            Act::Append(stream, events, finish) => {
                let (events, expected) = model.append(*stream, events, *finish);
                let mut new = NewEvents::new(events, limits);
                new.finish = *finish;
                prop_assert_eq!(store.append(name(*stream), new).await.unwrap(), expected);
            }
            Act::Read(stream, after, limit) => {
                let found = store.read(name(*stream), *after, *limit).await.unwrap();
                prop_assert_eq!(found, model.read(*stream, *after, *limit), "of {:?}", STREAMS[*stream]);
            }
            Act::Keep(stream, time) => {
                store.keep(STREAMS[*stream].0, millis(*time)).await.unwrap();
                let until = model.now + time;
                let mine = Model::of_session(*stream);
                let kept = model.streams.iter_mut().filter(|(number, stream)| mine(number) && !stream.finished);
                kept.for_each(|(_, stream)| stream.until = stream.until.max(until));
            }
            Act::Pass(time) => {
                setting.pass(millis(*time)).await;
                model.pass(*time);
            }
            Act::Remove(stream) => {
                store.remove(name(*stream)).await.unwrap();
                model.streams.remove(stream);
            }
            Act::RemoveSession(stream) => {
                store.remove_session(STREAMS[*stream].0).await.unwrap();
                let gone: BTreeSet<usize> = (0..STREAMS.len()).filter(Model::of_session(*stream)).collect();
                model.streams.retain(|number, _| !gone.contains(number));
            }
        }
    }
    for (number, stream) in STREAMS.iter().enumerate() {
        let found = nodes.0.events().read(name(number), 0, 1000).await.unwrap();
        prop_assert_eq!(found, model.read(number, 0, 1000), "in the end, of {:?}", stream);
    }
    Ok(())
}

fn run(setting: &impl StoresSetting, limits: EventLimits, acts: &[Act]) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(play(setting, limits, acts))
}

fn limits() -> impl Strategy<Value = EventLimits> {
    (0usize..6, 0usize..30, 1u64..25)
        .prop_map(|(events, bytes, keep)| EventLimits::new(events, bytes, Duration::from_millis(keep)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// HTTP-048: events have places of their own within a stream, come again after any of them in order and once,
    /// and never on another stream.
    #[test]
    fn events_in_memory_are_what_the_model_says(limits in limits(), acts in prop::collection::vec(act(), 0..60)) {
        run(&Memory::new(), limits, &acts)?;
    }
}

#[cfg(feature = "sqlite")]
proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn events_in_a_file_are_what_the_model_says(limits in limits(), acts in prop::collection::vec(act(), 0..40)) {
        run(&crate::sqlite::Files::new(), limits, &acts)?;
    }
}
