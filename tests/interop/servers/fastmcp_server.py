"""A server on the package `fastmcp`: `fastmcp_server.py stdio|http|sse [PORT]`."""

import sys

from fastmcp import FastMCP

server = FastMCP("fastmcp")


@server.tool
async def echo(message: str) -> str:
    return f"Echo: {message}"


@server.tool
async def add(a: int, b: int) -> int:
    return a + b


@server.resource("demo://greeting")
def greeting() -> str:
    return "Hello!"


@server.resource("demo://greeting/{name}")
def greeting_of(name: str) -> str:
    return f"Hello, {name}!"


@server.prompt
def review(code: str) -> str:
    return f"Review {code}"


if sys.argv[1] == "stdio":
    server.run("stdio", show_banner=False)
else:
    server.run(sys.argv[1], host="127.0.0.1", port=int(sys.argv[2]), show_banner=False, log_level="ERROR")
