//! A server that is measured: started, asked, looked at.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::fixture::Fixture;
use super::rows::{Call, Server};
use crate::bench::Program;

/// How often a server is started: the fastest start counts, because other programs can only slow it down.
const STARTS: u32 = 10;
/// The kernel counts processor time in hundredths of a second.
const TICKS: f64 = 100.0;

/// What a start cost.
pub(super) struct Start {
    pub(super) seconds: f64,
    /// Megabytes.
    pub(super) resident: f64,
}

/// What a call cost.
pub(super) struct Measured {
    pub(super) seconds: f64,
}

pub(super) fn measure_start(program: &Program, server: &Server, fixture: &Fixture) -> Result<Start> {
    let mut best = Start { seconds: f64::INFINITY, resident: f64::INFINITY };
    for _ in 0..STARTS {
        let start = Instant::now();
        let mut running = Running::start(program, server, fixture)?;
        running.ask("tools/list", json!({}))?;
        best.seconds = best.seconds.min(start.elapsed().as_secs_f64());
        best.resident = best.resident.min(running.resident()?);
    }
    Ok(best)
}

pub(super) fn measure_call(program: &Program, server: &Server, call: &Call, fixture: &Fixture) -> Result<Measured> {
    let mut running = Running::start(program, server, fixture)?;
    let mut make = |number| {
        let params = json!({"name": call.tool, "arguments": (call.arguments)(fixture, number)});
        let result = running.ask("tools/call", params)?;
        if result["isError"] == true {
            bail!("{} of {} fails: {}", call.what, server.name, result["content"][0]["text"]);
        }
        running.processor_time()
    };
    let before = make(0)?;
    let mut after = before;
    for number in 1..=call.count {
        after = make(number)?;
    }
    Ok(Measured { seconds: (after - before) / f64::from(call.count) })
}

/// Returns how many megabytes the memory server has with 100,000 entities.
pub(super) fn large_memory(program: &Program, fixture: &Fixture) -> Result<f64> {
    let server = Server {
        name: "memory",
        arguments: |_| Vec::new(),
        variables: |fixture| vec![("MEMORY_FILE_PATH", fixture.path("large.jsonl"))],
        calls: &[],
    };
    let mut running = Running::start(program, &server, fixture)?;
    running.ask("tools/call", json!({"name": "search_nodes", "arguments": {"query": "entity 99999"}}))?;
    running.resident()
}

/// A server on pipes; it is ended when this is dropped.
pub(super) struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Running {
    pub(super) fn start(program: &Program, server: &Server, fixture: &Fixture) -> Result<Self> {
        let mut command = Command::new(&program.path);
        command.args(&program.arguments).args((server.arguments)(fixture)).envs((server.variables)(fixture));
        command.current_dir(fixture.path("")).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("cannot start {}", program.path.display()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("the output is piped")?;
        let mut running = Self { child, input, output: BufReader::with_capacity(1 << 18, output), asked: 0 };
        let client = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}});
        running.ask("initialize", client)?;
        running.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(running)
    }

    /// Asks, and returns the result.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Result<Value> {
        self.asked += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}))?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the server has ended");
            }
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] == self.asked {
                if let Some(error) = message.get("error") {
                    bail!("{method} fails: {error}");
                }
                return Ok(message["result"].take());
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().context("the input is open")?;
        input.write_all(format!("{message}\n").as_bytes())?;
        Ok(())
    }

    /// Returns the seconds of processor time of the server, and of those that it started and that have ended.
    fn processor_time(&self) -> Result<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> = text.rsplit_once(')').context("/proc has another form")?.1.split(' ').collect();
        // The name and what stands before it are cut off: the fields 14 to 17 of the manual.
        let ticks = fields.get(12..16).context("/proc has another form")?;
        Ok(ticks.iter().filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS)
    }

    fn resident(&self) -> Result<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
        Ok(line.context("/proc has another form")?.parse::<f64>()? / 1024.0)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.input.take();
        let _ = self.child.wait();
    }
}
