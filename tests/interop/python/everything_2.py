"""A stand-in for the two-era reference server that is not published yet, on the Python SDK 2.x: `everything_2.py [PORT]`.

It has just what the checks use, so that a mistake in a script can be told from one in our server.
"""

import json
import sys
import warnings

import anyio
import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

warnings.simplefilter("ignore")
server = MCPServer("everything", log_level="ERROR")
switched_on = set()


def text(value):
    return types.TextContent(type="text", text=value)


@server.tool(structured_output=False)
async def echo(message: str) -> str:
    return f"Echo: {message}"


@server.tool(name="get-sum", structured_output=False)
async def get_sum(a: float, b: float) -> str:
    return f"The sum of {a:g} and {b:g} is {a + b:g}."


@server.tool(name="get-structured-content")
async def get_structured_content(location: str) -> types.CallToolResult:
    weather = {"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82}
    return types.CallToolResult(content=[text(json.dumps(weather))], structured_content=weather)


@server.tool(name="get-tiny-image")
async def get_tiny_image() -> types.CallToolResult:
    return types.CallToolResult(content=[types.ImageContent(type="image", data="aGk=", mime_type="image/png")])


@server.tool(name="get-annotated-message")
async def get_annotated_message(messageType: str, includeImage: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[text("Error: Operation failed")])


@server.tool(name="get-resource-reference")
async def get_resource_reference(resourceType: str = "Text", resourceId: int = 1) -> types.CallToolResult:
    if resourceId < 1:
        raise ToolError(f"Invalid resourceId: {resourceId}. Must be a finite positive integer.")
    blob = types.BlobResourceContents(uri="demo://resource/dynamic/blob/1", mime_type="text/plain", blob="aGk=")
    return types.CallToolResult(content=[types.EmbeddedResource(type="resource", resource=blob)])


@server.tool(name="get-resource-links")
async def get_resource_links(count: int = 3) -> types.CallToolResult:
    uri = "demo://resource/dynamic/text/{}"
    links = [types.ResourceLink(type="resource_link", name=f"{i}", uri=uri.format(i)) for i in range(1, count + 1)]
    return types.CallToolResult(content=[text("links"), *links])


@server.tool(name="trigger-long-running-operation", structured_output=False)
async def trigger_long_running_operation(context: Context, duration: float = 10, steps: int = 5) -> str:
    for step in range(1, steps + 1):
        await anyio.sleep(duration / steps)
        await context.report_progress(step, steps)
    return "Long running operation completed."


@server.tool(name="toggle-subscriber-updates", structured_output=False)
async def toggle_subscriber_updates(context: Context) -> str:
    return await toggle("updates", lambda: context.notify_resource_updated("demo://resource/dynamic/text/1"))


@server.tool(name="toggle-simulated-logging", structured_output=False)
async def toggle_simulated_logging(context: Context) -> str:
    return await toggle("logging", lambda: context.log("error", "Error-level message"))


async def toggle(name, act):
    if name in switched_on:
        switched_on.remove(name)
        return "Stopped"
    switched_on.add(name)
    await act()
    return "Started"


@server.tool(name="gzip-file-as-resource", structured_output=False)
async def gzip_file_as_resource(context: Context, name: str, data: str, outputType: str) -> str:
    await context.notify_resources_changed()
    return "done"


async def ask(context, key, request):
    """Returns the client's answer, or what asks for it."""
    answers = context.input_responses
    if answers and key in answers:
        return json.dumps(answers[key].model_dump(by_alias=True, mode="json", exclude_none=True))
    return types.InputRequiredResult(input_requests={key: request})


@server.tool(name="trigger-elicitation-request", structured_output=False)
async def trigger_elicitation_request(context: Context) -> str | types.InputRequiredResult:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    params = types.ElicitRequestFormParams(message="Please", requested_schema=schema)
    return await ask(context, "form", types.ElicitRequest(params=params))


@server.tool(name="trigger-sampling-request", structured_output=False)
async def trigger_sampling_request(
    context: Context, prompt: str, maxTokens: int = 100
) -> str | types.InputRequiredResult:
    message = types.SamplingMessage(role="user", content=text(prompt))
    params = types.CreateMessageRequestParams(messages=[message], max_tokens=maxTokens)
    return await ask(context, "sample", types.CreateMessageRequest(params=params))


@server.tool(name="get-roots-list", structured_output=False)
async def get_roots_list(context: Context) -> str | types.InputRequiredResult:
    return await ask(context, "roots", types.ListRootsRequest())


@server.resource("demo://resource/static/document/features.md")
async def features() -> str:
    return "features"


@server.resource("demo://resource/dynamic/text/{resourceId}")
async def text_resource(resourceId: str) -> str:
    return f"Resource {resourceId}: This is a plaintext resource"


@server.resource("demo://resource/dynamic/blob/{resourceId}")
async def blob_resource(resourceId: str) -> bytes:
    return b"This is a base64 blob"


@server.prompt(name="args-prompt")
async def args_prompt(city: str, state: str = "") -> str:
    return f"What's weather in {city}?"


@server.prompt(name="completable-prompt")
async def completable_prompt(department: str, name: str) -> str:
    return f"Please promote {name} to the head of the {department} team."


@server.prompt(name="resource-prompt")
async def resource_prompt(resourceType: str, resourceId: str) -> list[dict]:
    contents = {"uri": f"demo://resource/dynamic/text/{resourceId}", "mimeType": "text/plain", "text": "text"}
    return [{"role": "user", "content": {"type": "resource", "resource": contents}}]


@server.completion()
async def complete(reference, argument, context):
    departments = ["Engineering", "Sales", "Marketing", "Support"]
    return types.Completion(values=[name for name in departments if name.startswith(argument.value)])


if len(sys.argv) > 1:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run("stdio")
