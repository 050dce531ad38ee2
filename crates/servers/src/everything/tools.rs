//! All tools, in the order in which they are listed.

use jackfield::{Server, tools};

use super::{environment, gzip, plain, questions, roots, simulated, tasks, url_question};
use crate::typescript::tool;

/// Registers the tools in the order of the original. Those that ask the client come last.
pub(super) fn add(server: Server) -> Server {
    server.tools(
        tools![
            plain::echo,
            plain::get_annotated_message,
            environment::get_env,
            plain::get_resource_links,
            plain::get_resource_reference,
            plain::get_structured_content,
            plain::get_structured_content_list,
            plain::get_sum,
            plain::get_tiny_image,
            gzip::gzip_file_as_resource,
            simulated::toggle_simulated_logging,
            simulated::toggle_subscriber_updates,
            plain::trigger_long_running_operation,
            roots::get_roots_list,
            questions::trigger_elicitation_request,
            url_question::trigger_url_elicitation,
            questions::trigger_sampling_request,
            tasks::simulate_research_query,
            tasks::trigger_sampling_request_async,
            tasks::trigger_elicitation_request_async,
        ]
        .map(tool),
    )
}
