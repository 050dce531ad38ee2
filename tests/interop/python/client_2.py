"""The Python SDK 2.x: `client_2.py ERA stdio COMMAND…`, `client_2.py ERA http URL`, or `client_2.py ERA sse URL`.

ERA is `modern` or `legacy`.
"""

import sys
import warnings
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
import mcp_types as types
from mcp import Client as SdkClient
from mcp import MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated

import checks
from checks import ANSWER, ROOT, NotInThisClient

IS_MODERN = sys.argv.pop(1) == "modern"

# Most of what the older era can do is deprecated in this client.
warnings.simplefilter("ignore")


def wire(model):
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


class Client(checks.Client):
    has_structured = has_links = has_elicitation = True
    error_type = MCPError

    def __init__(self):
        super().__init__()
        self.sdk = None
        self.meta = None

    # What the server asks and tells.

    async def sampling(self, context, params):
        content = types.TextContent(type="text", text=ANSWER)
        return types.CreateMessageResult(role="assistant", content=content, model="interop", stop_reason="endTurn")

    async def list_roots(self, context):
        return types.ListRootsResult(roots=[types.Root(**ROOT)])

    async def elicitation(self, context, params):
        return types.ElicitResult(action="accept", content={"name": "Ada", "check": True})

    async def on_message(self, message):
        if isinstance(message, Exception):
            self.note("exception", {"error": repr(message)})
        elif getattr(message, "method", "").startswith("notifications/"):
            self.note(message.method, wire(message).get("params"))

    # What the checks ask for.

    async def list_tools(self):
        return wire(await self.sdk.list_tools())["tools"]

    async def list_resources(self):
        return wire(await self.sdk.list_resources())["resources"]

    async def list_templates(self):
        return wire(await self.sdk.list_resource_templates())["resourceTemplates"]

    async def list_prompts(self):
        return wire(await self.sdk.list_prompts())["prompts"]

    async def call(self, name, arguments, on_progress=None):
        async def progress(done, total, message):
            on_progress(done)

        return wire(await self.sdk.call_tool(name, arguments, progress_callback=progress if on_progress else None))

    async def read(self, uri):
        return wire(await self.sdk.read_resource(uri))["contents"]

    async def prompt(self, name, arguments):
        return wire(await self.sdk.get_prompt(name, arguments))["messages"]

    async def complete(self, prompt, argument, value):
        reference = types.PromptReference(type="ref/prompt", name=prompt)
        result = await self.sdk.complete(reference, {"name": argument, "value": value})
        return result.completion.values

    @asynccontextmanager
    async def subscribed(self, uri):
        if IS_MODERN:
            async with self.listening(resource_subscriptions=[uri]):
                yield
        else:
            await self.sdk.subscribe_resource(uri)
            yield
            await self.sdk.unsubscribe_resource(uri)

    @asynccontextmanager
    async def listening_to_resource_list(self):
        if IS_MODERN:
            async with self.listening(resources_list_changed=True):
                yield
        else:
            yield

    @asynccontextmanager
    async def listening(self, **wanted):
        """Listens for changes and notes them as the older era would name them."""

        async def read(subscription):
            async for event in subscription:
                if isinstance(event, ResourceUpdated):
                    self.note("notifications/resources/updated", {"uri": event.uri})
                elif isinstance(event, ResourcesListChanged):
                    self.note("notifications/resources/list_changed", {})

        async with self.sdk.listen(**wanted) as subscription, anyio.create_task_group() as group:
            group.start_soon(read, subscription)
            yield
            group.cancel_scope.cancel()

    async def set_level(self, level):
        # In the modern era the level goes with each request: see `session`.
        if not IS_MODERN:
            await self.sdk.set_logging_level(level)

    async def ping(self):
        if IS_MODERN:
            raise NotInThisClient("ping ended with 2025-11-25")
        await self.sdk.send_ping()

    async def cancelled_call(self, name, arguments):
        started = anyio.Event()

        async def progress(done, total, message):
            started.set()

        async def call():
            await self.sdk.call_tool(name, arguments, progress_callback=progress)

        async with anyio.create_task_group() as group:
            group.start_soon(call)
            with anyio.fail_after(checks.PATIENCE):
                await started.wait()
            group.cancel_scope.cancel()


def server(transport, target):
    if transport == "stdio":
        return StdioServerParameters(command=target[0], args=target[1:])
    return sse_client(target[0]) if transport == "sse" else target[0]


@asynccontextmanager
async def session(transport, target):
    client = Client()
    async with AsyncExitStack() as stack:
        client.sdk = await stack.enter_async_context(
            SdkClient(
                server(transport, target),
                mode="auto" if IS_MODERN else "legacy",
                sampling_callback=client.sampling,
                list_roots_callback=client.list_roots,
                elicitation_callback=client.elicitation,
                message_handler=client.on_message,
                log_level="debug" if IS_MODERN else None,
                cache=None,
            )
        )
        yield client, client.sdk.protocol_version


checks.main(session)
