//! The two tools.

use std::sync::Arc;

use jackfield::Server;
use jackfield::protocol::Tool;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use super::clock;
use super::zones::{UnknownZone, Zones};
use crate::python::{self, Numbers};
use crate::tool::{definition, hints, pretty, schema, tool};

/// How the time server behaves.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The zone of the user, which descriptions name; that of the system if it is not given.
    pub local_zone: Option<String>,
    /// Whether callers may leave out zones, and mean the local one.
    pub default_to_local: bool,
}

#[derive(Deserialize)]
struct Current {
    timezone: Option<String>,
}

#[derive(Deserialize)]
struct Convert {
    source_timezone: Option<String>,
    time: String,
    target_timezone: Option<String>,
}

/// What the tools know.
struct Clocks {
    zones: Zones,
    /// Stands for a zone that is left out.
    default: Option<String>,
}

/// Makes the time server.
///
/// # Errors
/// There is no zone of the name in the options.
pub fn server(options: Options) -> Result<Server, UnknownZone> {
    let zones = Zones::open();
    let local = match options.local_zone {
        Some(name) => zones.get(&name).map(|_| name)?,
        None => zones.local_name(),
    };
    let definitions = definitions(&local, options.default_to_local);
    let [current, convert] = definitions;
    let clocks = Arc::new(Clocks { zones, default: options.default_to_local.then_some(local) });
    let shared = clocks.clone();
    let current = tool(current, move |arguments: Current, _| {
        let clocks = shared.clone();
        async move {
            let zone = clocks.named("timezone", arguments.timezone)?;
            pretty(&clock::read(&clocks.zones, &zone, Timestamp::now())?)
        }
    });
    let convert = tool(convert, move |arguments: Convert, _| {
        let clocks = clocks.clone();
        async move {
            let source = clocks.named("source_timezone", arguments.source_timezone)?;
            let target = clocks.named("target_timezone", arguments.target_timezone)?;
            pretty(&clock::convert(&clocks.zones, &source, &arguments.time, &target, Timestamp::now())?)
        }
    });
    let server = python::server("mcp-time").version(env!("CARGO_PKG_VERSION"));
    Ok(server.tool(python::tool(current, Numbers::Lenient)).tool(python::tool(convert, Numbers::Lenient)))
}

impl Clocks {
    /// Returns the zone that is meant.
    fn named(&self, argument: &str, zone: Option<String>) -> Result<String, String> {
        let given = zone.filter(|zone| !zone.is_empty()).or_else(|| self.default.clone());
        given.ok_or_else(|| format!("Missing required argument: {argument}"))
    }
}

const READING: &str = r#"{"type":"object","properties":{"timezone":{"type":"string"},"datetime":{"type":"string"},"day_of_week":{"type":"string"},"is_dst":{"type":"boolean"}},"required":["timezone","datetime","day_of_week","is_dst"]}"#;

fn definitions(local: &str, may_be_left_out: bool) -> [Tool; 2] {
    let zone = |which: &str| {
        let fallback = if may_be_left_out { "it is taken if none is given" } else { "give it if the user names none" };
        format!("{which} IANA time zone, such as 'America/New_York'. The local one is '{local}': {fallback}.")
    };
    let text = |description: String| json!({"type": "string", "description": description});
    let required = |all: &[&'static str]| match may_be_left_out {
        true => all.iter().filter(|name| !name.ends_with("timezone")).copied().collect::<Vec<_>>(),
        false => all.to_vec(),
    };
    let current =
        json!({"type": "object", "properties": {"timezone": text(zone("The"))}, "required": required(&["timezone"])});
    let convert = format!(
        r#"{{"type":"object","properties":{{"source_timezone":{},"time":{},"target_timezone":{}}},"required":{}}}"#,
        text(zone("The source's")),
        text("The time on the source's clock today, as HH:MM (24 hours).".to_owned()),
        text(zone("The target's")),
        json!(required(&["source_timezone", "time", "target_timezone"])),
    );
    let conversion = format!(
        r##"{{"$defs":{{"TimeResult":{READING}}},"type":"object","properties":{{"source":{{"$ref":"#/$defs/TimeResult"}},"target":{{"$ref":"#/$defs/TimeResult"}},"time_difference":{{"type":"string"}}}},"required":["source","target","time_difference"]}}"##
    );
    let hints = hints([Some(true), Some(false), Some(true), Some(false)]);
    let current = definition("get_current_time", "Tells the current time in a time zone.", &current.to_string());
    let about = "Tells what time it is in one time zone when a clock in another shows a time today.";
    let convert = definition("convert_time", about, &convert);
    [
        current.with_output_schema(schema(READING)).with_annotations(hints.clone()),
        convert.with_output_schema(schema(&conversion)).with_annotations(hints),
    ]
}
