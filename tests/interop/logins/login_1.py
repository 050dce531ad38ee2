"""The Python SDK 1.x logs in: `login_1.py URL SUBJECT [refresh] [step-up]`."""

from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamablehttp_client
from mcp.shared.auth import OAuthClientMetadata

import checks


async def connect(url, person, storage):
    async def redirect(to):
        person.visit(to)

    async def callback():
        return person.answer["code"], person.answer.get("state")

    metadata = OAuthClientMetadata(
        client_name="python 1",
        redirect_uris=[checks.CALLBACK],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
    )
    provider = OAuthClientProvider(url, metadata, storage, redirect, callback)
    async with streamablehttp_client(url, auth=provider) as (read, write, _):
        async with ClientSession(read, write) as session:
            result = await session.initialize()
            yield session.call_tool, result.protocolVersion


checks.main(connect)
