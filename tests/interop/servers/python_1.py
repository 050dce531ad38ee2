"""A server on the Python SDK 1.x: `python_1.py stdio|http|sse [PORT]`."""

import sys

from mcp.server.fastmcp import Context, FastMCP
from pydantic import BaseModel

server = FastMCP("python 1", host="127.0.0.1", port=int(sys.argv[2]) if len(sys.argv) > 2 else 0, log_level="ERROR")


class Name(BaseModel):
    name: str = "nobody"


@server.tool(structured_output=False)
async def echo(message: str) -> str:
    return f"Echo: {message}"


@server.tool()
async def add(a: int, b: int) -> int:
    return a + b


@server.tool(structured_output=False)
async def count(context: Context) -> str:
    for step in range(3):
        await context.report_progress(step + 1, 3)
        await context.info(f"step {step}")
    return "counted"


@server.tool(structured_output=False)
async def ask(context: Context) -> str:
    answer = await context.elicit("Who?", Name)
    return f"action: {answer.action}"


@server.resource("demo://greeting")
def greeting() -> str:
    return "Hello!"


@server.resource("demo://greeting/{name}")
def greeting_of(name: str) -> str:
    return f"Hello, {name}!"


@server.prompt()
def review(code: str) -> str:
    return f"Review {code}"


server.run({"http": "streamable-http"}.get(sys.argv[1], sys.argv[1]))
