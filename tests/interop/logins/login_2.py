"""The Python SDK 2.x logs in: `login_2.py URL SUBJECT [refresh] [step-up]`."""

import warnings

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

import checks

warnings.simplefilter("ignore")


async def connect(url, person, storage):
    async def redirect(to):
        person.visit(to)

    async def callback():
        answer = person.answer
        return AuthorizationCodeResult(code=answer["code"], state=answer.get("state"), iss=answer.get("iss"))

    metadata = OAuthClientMetadata(client_name="python 2", redirect_uris=[checks.CALLBACK])
    provider = OAuthClientProvider(url, metadata, storage, redirect, callback)
    async with httpx2.AsyncClient(auth=provider, timeout=30, trust_env=False) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            yield client.call_tool, client.protocol_version


checks.main(connect)
