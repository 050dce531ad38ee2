//! A task that takes time: it says how far it is, logs, and reads resources of its own server.

use jackfield::{Cx, Error, Server, resource, resources, tool, tools};

/// The text of a file of the project.
#[resource("file://project/{name}")]
fn file(name: String) -> String {
    format!("contents of {name}")
}

/// Process several files of the project, one after the other.
#[tool(read_only)]
async fn long_task(files: Vec<String>, cx: &Cx) -> Result<String, Error> {
    let total = files.len() as f64;
    let mut bytes = 0;
    for (index, name) in files.iter().enumerate() {
        cx.info(format!("processing {name}"));
        let result = cx.read_resource(&format!("file://project/{name}")).await?;
        bytes += result.contents.iter().filter_map(|part| part.as_text()).map(str::len).sum::<usize>();
        cx.progress((index + 1) as f64, total, name.as_str());
    }
    Ok(format!("processed {} files, {bytes} bytes", files.len()))
}

#[tokio::main]
async fn main() -> jackfield::Result {
    Server::new("worker").resources(resources![file]).tools(tools![long_task]).run_cli().await
}
