//! The least a server can do, for comparison: no framework, and only the requests of `cargo xtask bench`.
//!
//! `bench_limit fixed` and `bench_limit ideal` serve standard input and output: one finds the method and copies the id into a fixed
//! answer, the other reads and writes with borrowed serde_json. `bench_limit --http ADDRESS` does the latter on bare hyper.

mod answers;
mod fixed;
mod http;
mod ideal;

use std::io::{self, BufRead, BufReader, Write};

use answers::Answers;

fn main() -> io::Result<()> {
    let answers = Answers::new()?;
    let mut words = std::env::args().skip(1);
    match (words.next().as_deref(), words.next()) {
        (Some("fixed"), _) => serve(|line, out| fixed::answer(&answers, line, out)),
        (Some("ideal"), _) => serve(|line, out| ideal::answer(&answers, line, out)),
        (Some("--http"), Some(address)) => http::serve(answers, &address),
        _ => Err(io::Error::other("say `bench_limit fixed`, `bench_limit ideal` or `bench_limit --http ADDRESS`")),
    }
}

/// Answers all complete lines of what was read, then writes once.
#[expect(clippy::disallowed_methods, reason = "this program has no connection to write through")]
fn serve(answer: impl Fn(&[u8], &mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = io::stdout().lock();
    let (mut line, mut out) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line)? > 0 {
        answer(line.trim_ascii_end(), &mut out)?;
        line.clear();
        if !input.buffer().contains(&b'\n') {
            output.write_all(&out)?;
            output.flush()?;
            out.clear();
        }
    }
    Ok(())
}
