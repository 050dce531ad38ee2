"""The Python SDK 1.x, from 1.0.0 on: `client_1.py stdio COMMAND…`, `client_1.py http URL` or `client_1.py sse URL`."""

import inspect
from contextlib import asynccontextmanager

import anyio
import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import get_default_environment, stdio_client
from pydantic import AnyUrl

try:
    from mcp import McpError
except ImportError:
    from mcp.shared.exceptions import McpError

import checks
from checks import ANSWER, ROOT, NotInThisClient

# The first release has no callbacks: all that comes in is read from one stream.
HAS_CALLBACKS = "message_handler" in inspect.signature(ClientSession.__init__).parameters
HAS_ELICITATION = "elicitation_callback" in inspect.signature(ClientSession.__init__).parameters


def wire(model):
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


class Client(checks.Client):
    has_structured = "structuredContent" in types.CallToolResult.model_fields
    has_links = hasattr(types, "ResourceLink")
    has_elicitation = HAS_ELICITATION
    error_type = McpError

    def __init__(self):
        super().__init__()
        self.session = None

    # What the server asks and tells.

    def sampled(self):
        content = types.TextContent(type="text", text=ANSWER)
        return types.CreateMessageResult(role="assistant", content=content, model="interop", stopReason="endTurn")

    def roots(self):
        return types.ListRootsResult(roots=[types.Root(**ROOT)])

    async def on_message(self, message):
        root = getattr(message, "root", None)
        if isinstance(message, Exception):
            self.note("exception", {"error": repr(message)})
        elif getattr(root, "method", "").startswith("notifications/"):
            self.note(root.method, wire(root).get("params"))

    async def read_incoming(self):
        """Does for the first release what callbacks do for the others."""
        async for message in self.session.incoming_messages:
            request = getattr(getattr(message, "request", None), "root", None)
            if isinstance(request, types.ListRootsRequest):
                await message.respond(types.ClientResult(self.roots()))
            elif isinstance(request, types.CreateMessageRequest):
                await message.respond(types.ClientResult(self.sampled()))
            elif isinstance(request, types.PingRequest):
                await message.respond(types.ClientResult(types.EmptyResult()))
            else:
                await self.on_message(message)

    # What the checks ask for.

    async def request(self, request, result_type):
        return wire(await self.session.send_request(types.ClientRequest(request), result_type))

    async def list_tools(self):
        return wire(await self.session.list_tools())["tools"]

    async def list_resources(self):
        return wire(await self.session.list_resources())["resources"]

    async def list_templates(self):
        request = types.ListResourceTemplatesRequest(method="resources/templates/list")
        return (await self.request(request, types.ListResourceTemplatesResult))["resourceTemplates"]

    async def list_prompts(self):
        return wire(await self.session.list_prompts())["prompts"]

    async def call(self, name, arguments, on_progress=None):
        if on_progress is None:
            return wire(await self.session.call_tool(name, arguments))
        since = len(self.seen)
        result = await self.call_with_token(name, arguments, "interop-progress")
        for method, params in self.seen[since:]:
            if method == "notifications/progress" and params["progressToken"] == "interop-progress":
                on_progress(params["progress"])
        return result

    async def call_with_token(self, name, arguments, token):
        params = {"name": name, "arguments": arguments, "_meta": {"progressToken": token}}
        request = types.CallToolRequest(
            method="tools/call", params=types.CallToolRequestParams.model_validate(params)
        )
        return await self.request(request, types.CallToolResult)

    async def read(self, uri):
        return wire(await self.session.read_resource(AnyUrl(uri)))["contents"]

    async def prompt(self, name, arguments):
        return wire(await self.session.get_prompt(name, arguments))["messages"]

    async def complete(self, prompt, argument, value):
        reference = types.PromptReference(type="ref/prompt", name=prompt)
        result = await self.session.complete(reference, {"name": argument, "value": value})
        return result.completion.values

    @asynccontextmanager
    async def subscribed(self, uri):
        await self.session.subscribe_resource(AnyUrl(uri))
        yield
        await self.session.unsubscribe_resource(AnyUrl(uri))

    @asynccontextmanager
    async def listening_to_resource_list(self):
        yield

    async def set_level(self, level):
        await self.session.set_logging_level(level)

    async def ping(self):
        await self.session.send_ping()

    async def cancelled_call(self, name, arguments):
        if not hasattr(types, "CancelledNotification"):
            raise NotInThisClient("this release cannot cancel")
        since = len(self.seen)
        async with anyio.create_task_group() as group:
            identifier = self.session._request_id
            group.start_soon(self.call_with_token, name, arguments, "interop-cancel")
            await self.wait_for("notifications/progress", since)
            params = types.CancelledNotificationParams(requestId=identifier, reason="interop")
            notification = types.CancelledNotification(method="notifications/cancelled", params=params)
            await self.session.send_notification(types.ClientNotification(notification))
            group.cancel_scope.cancel()


def callbacks(client):
    async def sampling(context, params):
        return client.sampled()

    async def list_roots(context):
        return client.roots()

    async def elicitation(context, params):
        return types.ElicitResult(action="accept", content={"name": "Ada", "check": True})

    if not HAS_CALLBACKS:
        return {}
    given = {"sampling_callback": sampling, "list_roots_callback": list_roots, "message_handler": client.on_message}
    if HAS_ELICITATION:
        given["elicitation_callback"] = elicitation
    return given


async def initialize(session):
    if HAS_CALLBACKS:
        return await session.initialize()
    # `initialize()` of the first release never declares sampling, but the types know it.
    capabilities = types.ClientCapabilities(
        sampling=types.SamplingCapability(), roots=types.RootsCapability(listChanged=True)
    )
    params = types.InitializeRequestParams(
        protocolVersion=types.LATEST_PROTOCOL_VERSION,
        capabilities=capabilities,
        clientInfo=types.Implementation(name="mcp", version="1.0.0"),
    )
    request = types.InitializeRequest(method="initialize", params=params)
    result = await session.send_request(types.ClientRequest(request), types.InitializeResult)
    notification = types.InitializedNotification(method="notifications/initialized")
    await session.send_notification(types.ClientNotification(notification))
    return result


def streams(transport, target):
    if transport == "stdio":
        parameters = StdioServerParameters(command=target[0], args=target[1:], env=get_default_environment())
        return stdio_client(parameters)
    if transport == "sse":
        from mcp.client.sse import sse_client

        return sse_client(target[0])
    from mcp.client.streamable_http import streamablehttp_client

    return streamablehttp_client(target[0])


@asynccontextmanager
async def session(transport, target):
    client = Client()
    async with streams(transport, target) as (read, write, *_):
        async with ClientSession(read, write, **callbacks(client)) as opened:
            client.session = opened
            async with anyio.create_task_group() as group:
                if not HAS_CALLBACKS:
                    group.start_soon(client.read_incoming)
                result = await initialize(opened)
                yield client, result.protocolVersion
                group.cancel_scope.cancel()


checks.main(session)
