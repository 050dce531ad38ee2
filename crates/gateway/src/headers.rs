//! Headers that go on to the next server.

use jackfield_client::Behalf;
use jackfield_protocol::{HEADER_PREFIX, LoggingLevel, Tool, param_headers};
use jackfield_server::Cx;

/// Says for whom a server is asked. Of the headers only those go on that carry arguments (`Mcp-Param-…`) which the definition of the
/// tool does not speak of; the others are made anew from the arguments. No other header of a caller leaves the gateway, least of all
/// one that says who it is.
pub(crate) fn behalf(cx: &Cx, tool: Option<&Tool>) -> Behalf {
    let caller = cx.caller();
    let level = match cx.session() {
        Some(session) => Some(session.log_level().unwrap_or(LoggingLevel::Info)),
        None => caller.log_level,
    };
    let behalf = Behalf::new(caller.capabilities.clone()).with_log_level(level);
    // Before there were such headers nobody checked them, and they can only be there to deceive whoever trusts them.
    let Some(headers) = cx.headers().filter(|_| !cx.is_legacy()) else { return behalf };
    let known = tool.and_then(|tool| param_headers(&tool.input_schema).ok()).unwrap_or_default();
    let is_known = |name: &str| known.iter().any(|header| header.name.eq_ignore_ascii_case(name));
    let length = HEADER_PREFIX.len();
    headers.iter().fold(behalf, |behalf, (name, value)| {
        let name = name.as_str();
        let carries = name.get(..length).is_some_and(|start| start.eq_ignore_ascii_case(HEADER_PREFIX));
        match (carries.then(|| name.get(length..)).flatten(), value.to_str()) {
            (Some(rest), Ok(value)) if !is_known(rest) => behalf.with_header(name, value),
            _ => behalf,
        }
    })
}
