"""The checks, the same for every Python client. A client is seen through `Client`; its answers are plain JSON as on the wire."""

import json
import sys
import time

import anyio

TEXT_RESOURCE = "demo://resource/dynamic/text/1"
BLOB_RESOURCE = "demo://resource/dynamic/blob/1"
ROOT = {"uri": "file:///interop", "name": "interop"}
ANSWER = "an answer from the model"

# How long a client waits for something that must come.
PATIENCE = 6.0


class NotInThisClient(Exception):
    """The client, or the revision it speaks, does not have the feature."""


class Client:
    """What a check needs of a client. Notifications are kept in `seen` as (method, params)."""

    def __init__(self):
        self.seen = []
        self._arrived = anyio.Event()

    def note(self, method, params):
        self.seen.append((method, params or {}))
        self._arrived.set()
        self._arrived = anyio.Event()

    def count(self, method):
        return sum(1 for seen, _ in self.seen if seen == method)

    async def wait_for(self, method, since=0):
        """Waits until a notification comes, not looking at the first `since` that were seen; returns its params."""
        with anyio.fail_after(PATIENCE):
            while True:
                arrived = self._arrived
                for seen, params in self.seen[since:]:
                    if seen == method:
                        return params
                await arrived.wait()


def report(check, ok, detail=""):
    first_line = str(detail).strip().split("\n")[0][:200]
    print(json.dumps({"check": check, "ok": ok, "detail": first_line}), flush=True)


def last_cause(error):
    """Returns the innermost error of a group: the others only say that there is one."""
    while getattr(error, "exceptions", None):
        error = error.exceptions[0]
    return error


async def check(name, action):
    """Runs one check with a time limit and reports it."""
    try:
        with anyio.fail_after(3 * PATIENCE):
            detail = await action()
        report(name, True, detail or "")
    except NotInThisClient as reason:
        report(name, None, reason)
    except Exception as error:
        cause = last_cause(error)
        report(name, False, f"{type(cause).__name__}: {cause}")


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def text_of(result):
    """Returns all text of a tool's result."""
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")


async def run_all(client):
    for name, action in CHECKS:
        await check(name, lambda action=action: action(client))


async def names(listed, key, wanted):
    found = [item[key] for item in await listed()]
    expect(wanted in found, f"{wanted} is not among {found}")
    return f"{len(found)}"


async def tools(c):
    return await names(c.list_tools, "name", "echo")


async def resources(c):
    return await names(c.list_resources, "uri", "demo://resource/static/document/features.md")


async def templates(c):
    return await names(c.list_templates, "uriTemplate", "demo://resource/dynamic/text/{resourceId}")


async def prompts(c):
    return await names(c.list_prompts, "name", "args-prompt")


async def text(c):
    result = await c.call("echo", {"message": "grüße, 世界 🎛"})
    expect(text_of(result) == "Echo: grüße, 世界 🎛", result)
    expect(not result.get("isError"), result)


async def structured(c):
    result = await c.call("get-structured-content", {"location": "Chicago"})
    expect(json.loads(text_of(result))["temperature"] == 36, result)
    if not c.has_structured:
        raise NotInThisClient("structured content begins with 2025-06-18")
    expect(result["structuredContent"]["temperature"] == 36, result)


async def failure(c):
    result = await c.call("get-resource-reference", {"resourceType": "Text", "resourceId": -1})
    expect(result.get("isError") is True and "resourceId" in text_of(result), result)


async def error(c):
    try:
        answer = await c.read("demo://resource/no/such/thing")
    except c.error_type as raised:
        return str(raised)
    raise AssertionError(f"an unknown resource was read: {answer}")


async def content(c):
    image = await c.call("get-tiny-image", {})
    kinds = [block["type"] for block in image["content"]]
    expect("image" in kinds, image)
    embedded = await c.call("get-resource-reference", {"resourceType": "Blob", "resourceId": 1})
    expect(any(block["type"] == "resource" and block["resource"]["blob"] for block in embedded["content"]), embedded)
    annotated = await c.call("get-annotated-message", {"messageType": "error", "includeImage": True})
    expect("Operation failed" in text_of(annotated), annotated)


async def links(c):
    result = await c.call("get-resource-links", {"count": 2})
    if c.has_links:
        uris = [block["uri"] for block in result["content"] if block["type"] == "resource_link"]
        expect(len(uris) == 2, result)
        return "resource_link"
    expect(len(result["content"]) >= 3, result)
    return "as " + "/".join(sorted({block["type"] for block in result["content"]}))


async def progress(c):
    steps = []
    result = await c.call("trigger-long-running-operation", {"duration": 0.4, "steps": 4}, on_progress=steps.append)
    expect("completed" in text_of(result), result)
    expect(steps == [1, 2, 3, 4], f"progress was {steps}")


async def read_text(c):
    contents = await c.read(TEXT_RESOURCE)
    expect(contents[0]["uri"] == TEXT_RESOURCE and "plaintext resource" in contents[0]["text"], contents)


async def read_blob(c):
    contents = await c.read(BLOB_RESOURCE)
    expect(contents[0]["blob"], contents)


async def prompt(c):
    messages = await c.prompt("args-prompt", {"city": "Ulm"})
    expect("Ulm" in messages[0]["content"]["text"], messages)
    embedded = await c.prompt("resource-prompt", {"resourceType": "Text", "resourceId": "1"})
    expect(any(message["content"]["type"] == "resource" for message in embedded), embedded)


async def complete(c):
    values = await c.complete("completable-prompt", "department", "S")
    expect(sorted(values) == ["Sales", "Support"], values)


async def subscribe(c):
    async with c.subscribed(TEXT_RESOURCE):
        since = len(c.seen)
        await toggle(c, "toggle-subscriber-updates", "Started")
        try:
            update = await c.wait_for("notifications/resources/updated", since)
            expect(str(update["uri"]) == TEXT_RESOURCE, update)
        finally:
            await toggle(c, "toggle-subscriber-updates", "Stopped")


async def toggle(c, tool, wanted):
    """Flips a switch of the server until it stands as wanted; without sessions others may flip it too."""
    for _ in range(3):
        if text_of(await c.call(tool, {})).startswith(wanted):
            return
    raise AssertionError(f"{tool} never said {wanted}")


async def list_changed(c):
    async with c.listening_to_resource_list():
        since = len(c.seen)
        arguments = {"name": f"interop-{time.time_ns()}.gz", "data": "data:text/plain,hello", "outputType": "resource"}
        await c.call("gzip-file-as-resource", arguments)
        await c.wait_for("notifications/resources/list_changed", since)


async def logging(c):
    await c.set_level("debug")
    since = len(c.seen)
    await toggle(c, "toggle-simulated-logging", "Started")
    try:
        message = await c.wait_for("notifications/message", since)
        return message["level"]
    finally:
        await toggle(c, "toggle-simulated-logging", "Stopped")


async def elicit(c):
    if not c.has_elicitation:
        raise NotInThisClient("elicitation begins with 2025-06-18")
    result = await c.call("trigger-elicitation-request", {})
    expect("Ada" in text_of(result), result)


async def sample(c):
    result = await c.call("trigger-sampling-request", {"prompt": "hello", "maxTokens": 10})
    expect(ANSWER in text_of(result), result)


async def roots(c):
    result = await c.call("get-roots-list", {})
    expect(ROOT["uri"] in text_of(result), result)


async def parallel(c):
    answers = {}

    async def one(number):
        answers[number] = text_of(await c.call("get-sum", {"a": number, "b": 1000}))

    async with anyio.create_task_group() as group:
        for number in range(40):
            group.start_soon(one, number)
    for number in range(40):
        expect(f" {number + 1000}" in answers[number], answers[number])


async def cancel(c):
    await c.cancelled_call("trigger-long-running-operation", {"duration": 20, "steps": 100})
    # What was on its way when the call was cancelled may still arrive.
    await anyio.sleep(0.3)
    before = c.count("notifications/progress")
    await anyio.sleep(0.7)
    late = c.count("notifications/progress") - before
    expect(late == 0, f"{late} progress notifications after the call was cancelled")
    expect(text_of(await c.call("echo", {"message": "still here"})) == "Echo: still here", "no answer afterwards")


async def ping(c):
    await c.ping()


CHECKS = [
    ("tools", tools),
    ("resources", resources),
    ("templates", templates),
    ("prompts", prompts),
    ("text", text),
    ("structured", structured),
    ("failure", failure),
    ("error", error),
    ("content", content),
    ("links", links),
    ("progress", progress),
    ("read text", read_text),
    ("read blob", read_blob),
    ("prompt", prompt),
    ("complete", complete),
    ("subscribe", subscribe),
    ("list changed", list_changed),
    ("logging", logging),
    ("elicit", elicit),
    ("sample", sample),
    ("roots", roots),
    ("parallel", parallel),
    ("cancel", cancel),
    ("ping", ping),
]


def main(session):
    """Runs everything in `session(transport, target)`: a context that yields a connected client and its revision."""
    transport, target = sys.argv[1], sys.argv[2:]
    leaving = None

    async def run():
        nonlocal leaving
        async with session(transport, target) as (client, revision):
            report("connect", True, revision)
            # The roots and the tools that depend on what a client can do arrive after the handshake.
            await anyio.sleep(0.6)
            await run_all(client)
            leaving = time.monotonic()

    try:
        anyio.run(run)
        took = time.monotonic() - leaving
        # A server on stdio that does not end by itself is killed after two seconds.
        report("shutdown", took < 1.8, f"{took:.1f} s")
    except BaseException as error:
        cause = last_cause(error)
        report("connect" if leaving is None else "shutdown", False, f"{type(cause).__name__}: {cause}")
