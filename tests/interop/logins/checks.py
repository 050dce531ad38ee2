"""What a client of the Python SDK is checked for when it logs in: `SCRIPT URL SUBJECT [refresh] [step-up]`.

The words say what the server allows for.
"""

import json
import os
import sys
from contextlib import asynccontextmanager

import anyio

from person import Person

PATIENCE = 60
CALLBACK = "http://127.0.0.1:9/callback"


def report(check, ok, detail=""):
    print(json.dumps({"check": check, "ok": ok, "detail": str(detail)}), flush=True)


class Storage:
    """What a client remembers, for as long as it runs."""

    def __init__(self):
        self.tokens = self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def text(call, name):
    result = await call(name)
    return result.content[0].text


async def run(connect, url, subject, allowed):
    person, storage = Person(CALLBACK), Storage()
    async with connect(url, person, storage) as (call, revision):
        report("connect", True, revision)
        report("login", person.visits == 1 and storage.tokens is not None, f"{person.visits} visits")
        first = json.loads(await text(call, "whoami"))
        report("call", first["subject"] == subject and first["scopes"] == "mcp", first)
        if "refresh" in allowed:
            # Tokens live for two seconds, and this client looks at its own clock.
            await anyio.sleep(2.5)
            second = json.loads(await text(call, "whoami"))
            same = second["login"] == first["login"] and second["token"] != first["token"]
            report("refresh", same and person.visits == 1, f"{person.visits} visits, {second}")
        else:
            report("refresh", None, "tokens live for long here")
        if "step-up" in allowed:
            pearl = await text(call, "open_safe")
            report("step up", pearl == "a pearl" and person.visits == 2, f"{person.visits} visits, {pearl}")
        else:
            report("step up", None, "the server does not allow for it")


def main(connect):
    url, subject, *more = sys.argv[1:]

    async def limited():
        with anyio.fail_after(PATIENCE):
            await run(asynccontextmanager(connect), url, subject, more)

    anyio.run(limited)
    # Threads of the SDK must not keep a script alive that has said all.
    sys.stdout.flush()
    os._exit(0)
