//! All tools, in the order in which they are listed.

use jackfield::{Server, ToolEntry};

use super::{environment, gzip, plain, questions, roots, simulated, tasks, url_question};
use crate::typescript::tool;

/// Registers the tools in the order of the original. Those that ask the client come last.
pub(super) fn add(server: Server) -> Server {
    let tools: [ToolEntry; 20] = [
        tool(plain::echo),
        tool(plain::get_annotated_message),
        tool(environment::get_env),
        tool(plain::get_resource_links),
        tool(plain::get_resource_reference),
        tool(plain::get_structured_content),
        tool(plain::get_structured_content_list),
        tool(plain::get_sum),
        tool(plain::get_tiny_image),
        tool(gzip::gzip_file_as_resource),
        tool(simulated::toggle_simulated_logging),
        tool(simulated::toggle_subscriber_updates),
        tool(plain::trigger_long_running_operation),
        tool(roots::get_roots_list),
        tool(questions::trigger_elicitation_request),
        tool(url_question::trigger_url_elicitation),
        tool(questions::trigger_sampling_request),
        tool(tasks::simulate_research_query),
        tool(tasks::trigger_sampling_request_async),
        tool(tasks::trigger_elicitation_request_async),
    ];
    tools.into_iter().fold(server, Server::tool)
}
