"""`bench_server` on the Python SDK 2.x: `server.py`, or `server.py --http HOST:PORT`."""

import sys
import warnings
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel, Field

warnings.simplefilter("ignore")
server = MCPServer("bench", log_level="ERROR")
lines = (f"The quick brown fox jumps over the lazy dog, line {n:04} of it.\n" for n in range(200))
DOCUMENT = "".join(lines)[:10240]


class Sum(BaseModel):
    sum: int


@server.tool(description="Answer with the same text.", structured_output=False)
async def echo(message: str) -> str:
    return message


@server.tool(description="Add two integers.")
async def add(a: int, b: int) -> Sum:
    return Sum(sum=a + b)


async def search(
    query: Annotated[str, Field(description="What to look for.")],
    limit: Annotated[int | None, Field(description="How many results at most.")] = None,
    tags: Annotated[list[str] | None, Field(description="Only results with these tags.")] = None,
) -> str:
    return "nothing found"


for n in range(2, 50):
    description = f"Look something up in collection {n}."
    server.tool(name=f"tool_{n:02}", description=description, structured_output=False)(search)


@server.resource("bench://doc", mime_type="text/plain")
async def document() -> str:
    return DOCUMENT


if len(sys.argv) > 2:
    host, port = sys.argv[2].split(":")
    server.run("streamable-http", host=host, port=int(port), json_response=True)
else:
    server.run("stdio")
