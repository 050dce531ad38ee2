//! Converting streams of messages between syntaxes.

use std::io::{BufReader, Read, Write};

use serde_json::Value;

use crate::input::Documents;
use crate::read::groups;
use crate::{Decoder, Encoder, Error, Options, Profile, Syntax};

/// Converts a stream of messages from one syntax to another.
///
/// JSON and JSON-LD are read document by document, one per line or over several lines, N-Triples and N-Quads message by
/// message if this crate wrote them; of these any length is converted in constant memory. Turtle, and statements in another
/// order, are read as a whole.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Converter {
    /// What is read.
    pub from: Syntax,
    /// What is written.
    pub to: Syntax,
    /// How it is written; the profile also says how linked data is to be read.
    pub options: Options,
    /// Whether the first bad input ends the conversion.
    pub strict: bool,
    /// How many messages stand before these in the document that is written; their blank nodes have other names.
    pub numbered_after: u64,
    /// The most bytes of one message; longer ones are skipped and reported.
    pub max_message: usize,
}

/// What happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How many messages were written.
    pub messages: u64,
    /// How many inputs were bad.
    pub bad: u64,
    /// How many bytes were read.
    pub bytes: u64,
}

/// What is told while a stream is converted.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something could not be converted.
    Bad {
        /// The number of the line where it begins, from 1.
        line: u64,
        /// What is wrong with it.
        error: &'a Error,
    },
    /// How far it is.
    Progress(Report),
}

/// How many messages lie between two notices of progress.
const MESSAGES_PER_NOTICE: u64 = 1024;

/// How many bytes are collected before they are written.
const CHUNK: usize = 64 * 1024;

impl Converter {
    /// Makes a converter that goes on after bad input, for messages of at most 64 MiB.
    #[must_use]
    pub fn new(from: Syntax, to: Syntax) -> Self {
        Self { from, to, options: Options::default(), strict: false, numbered_after: 0, max_message: 64 << 20 }
    }

    /// Converts all of `input`. `tell` is called for each bad input and now and then for progress.
    ///
    /// # Errors
    ///
    /// Fails if reading or writing fails, and at the first bad input if strict.
    pub fn run(&self, input: impl Read, output: impl Write, mut tell: impl FnMut(Event<'_>)) -> Result<Report, Error> {
        let input: &mut dyn Read = &mut { input };
        let output: &mut dyn Write = &mut { output };
        let mut run = Run {
            encoder: Encoder::new(self.to, self.options.clone()).numbered_after(self.numbered_after),
            decoder: self.decoder(),
            out: Vec::with_capacity(CHUNK),
            report: Report::default(),
            strict: self.strict,
            output,
            tell: &mut tell,
        };
        run.encoder.begin(&mut run.out);
        match self.from {
            Syntax::Json | Syntax::JsonLd | Syntax::Expanded => self.documents(input, &mut run)?,
            Syntax::NTriples | Syntax::NQuads => {
                let lines = BufReader::with_capacity(CHUNK, input);
                groups(lines, |line, text| run.graph(line, text))?;
            }
            Syntax::Turtle => {
                let mut text = Vec::new();
                input.read_to_end(&mut text)?;
                run.graph(1, &text)?;
            }
        }
        run.finish()
    }

    fn decoder(&self) -> Decoder {
        let mut decoder = Decoder::new(self.from);
        if self.options.profile == Profile::Plain {
            decoder = decoder.plain();
        }
        if let crate::Context::Reference(url) = &self.options.context {
            decoder = decoder.knowing(url);
        }
        decoder
    }

    fn documents(&self, input: &mut dyn Read, run: &mut Run<'_>) -> Result<(), Error> {
        let mut documents = Documents::new(BufReader::with_capacity(CHUNK, input), self.max_message);
        let mut text = Vec::new();
        while let Some(found) = documents.next(&mut text)? {
            run.report.bytes = documents.bytes;
            let outcome = match found.too_long {
                true => Err(Error::TooLong { limit: self.max_message }),
                false if self.from == Syntax::Json => run.json(&text),
                false => run.linked(&text),
            };
            run.settle(found.line, outcome)?;
        }
        run.report.bytes = documents.bytes;
        Ok(())
    }
}

struct Run<'a> {
    encoder: Encoder,
    decoder: Decoder,
    out: Vec<u8>,
    report: Report,
    strict: bool,
    output: &'a mut dyn Write,
    tell: &'a mut dyn FnMut(Event<'_>),
}

impl Run<'_> {
    /// Writes the messages of a JSON text; an array is a batch of them.
    fn json(&mut self, text: &[u8]) -> Result<(), Error> {
        match serde_json::from_slice(text).map_err(Error::NotJson)? {
            Value::Array(batch) => {
                if !batch.iter().all(Value::is_object) {
                    return Err(Error::NotAnObject);
                }
                batch.into_iter().try_for_each(|message| self.message(message))
            }
            message => self.message(message),
        }
    }

    fn linked(&mut self, text: &[u8]) -> Result<(), Error> {
        let messages = self.decoder.messages(text)?;
        messages.into_iter().try_for_each(|message| self.message(message))
    }

    fn graph(&mut self, line: u64, text: &[u8]) -> Result<(), Error> {
        self.report.bytes += text.len() as u64;
        let outcome = self.linked(text);
        self.settle(line, outcome)
    }

    fn message(&mut self, message: Value) -> Result<(), Error> {
        let Value::Object(members) = message else { return Err(Error::NotAnObject) };
        self.encoder.members(&mut self.out, members);
        self.report.messages += 1;
        Ok(())
    }

    fn settle(&mut self, line: u64, outcome: Result<(), Error>) -> Result<(), Error> {
        if self.out.len() >= CHUNK {
            self.output.write_all(&self.out)?;
            self.out.clear();
        }
        if let Err(error) = outcome {
            self.report.bad += 1;
            (self.tell)(Event::Bad { line, error: &error });
            if self.strict {
                self.output.write_all(&self.out)?;
                return Err(Error::Strict { line, cause: Box::new(error) });
            }
        }
        if (self.report.messages + self.report.bad).is_multiple_of(MESSAGES_PER_NOTICE) {
            (self.tell)(Event::Progress(self.report));
        }
        Ok(())
    }

    fn finish(self) -> Result<Report, Error> {
        self.output.write_all(&self.out)?;
        self.output.flush()?;
        (self.tell)(Event::Progress(self.report));
        Ok(self.report)
    }
}
