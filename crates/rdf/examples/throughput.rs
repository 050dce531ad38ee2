//! Prints how many messages per second one core converts: `cargo run --release -p jackfield-rdf --example throughput`.
//!
//! The message is a `tools/call` request of 200 bytes. With a number as argument, that many are converted; the best of five
//! runs counts. Where the system tells it, the time of the processor is taken, so that other programs do not matter. The last
//! line is JSON, for comparison with other programs.

#![expect(clippy::print_stdout, reason = "this program talks to a person, not to a protocol peer")]

use std::time::{Duration, Instant};

use jackfield_rdf::{Converter, Profile, Syntax};

const MESSAGE: &[u8] = include_bytes!("../tests/data/call.json");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = std::env::args().nth(1).map_or(Ok(20_000), |text| text.parse::<usize>())?;
    let input = MESSAGE.repeat(count);
    let mut figures = serde_json::Map::new();
    for (name, from, to, profile) in [
        ("json to nquads", Syntax::Json, Syntax::NQuads, Profile::Lossless),
        ("json to nquads, plain", Syntax::Json, Syntax::NQuads, Profile::Plain),
        ("json to nquads, json", Syntax::Json, Syntax::NQuads, Profile::Json),
        ("json to turtle", Syntax::Json, Syntax::Turtle, Profile::Lossless),
        ("json to jsonld", Syntax::Json, Syntax::JsonLd, Profile::Lossless),
        ("nquads to json", Syntax::NQuads, Syntax::Json, Profile::Lossless),
    ] {
        let mut converter = Converter::new(from, to);
        converter.options.profile = profile;
        let mut source = input.clone();
        if from != Syntax::Json {
            source.clear();
            Converter::new(Syntax::Json, from).run(input.as_slice(), &mut source, |_| {})?;
        }
        let mut best = 0.0_f64;
        for _ in 0..5 {
            let begin = Clock::now();
            let report = converter.run(source.as_slice(), std::io::sink(), |_| {})?;
            best = best.max(report.messages as f64 / begin.elapsed().as_secs_f64());
        }
        println!("{name:24} {best:>12.0} messages/s");
        figures.insert(name.to_owned(), best.round().into());
    }
    println!("{}", serde_json::Value::Object(figures));
    Ok(())
}

/// A moment in the time that this process has spent on a processor, or else of the day.
enum Clock {
    Processor(Duration),
    Wall(Instant),
}

impl Clock {
    fn now() -> Self {
        processor().map_or_else(|| Self::Wall(Instant::now()), Self::Processor)
    }

    fn elapsed(&self) -> Duration {
        match self {
            Self::Processor(begin) => processor().unwrap_or_default().saturating_sub(*begin),
            Self::Wall(begin) => begin.elapsed(),
        }
    }
}

/// Linux tells it in nanoseconds.
fn processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
