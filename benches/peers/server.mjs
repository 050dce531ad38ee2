// `bench_server` on the TypeScript SDK 2.x: `server.mjs`, or `server.mjs --http HOST:PORT`.

import { createServer } from "node:http";
import { McpServer, createMcpHandler, fromJsonSchema } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const object = (properties, required) => fromJsonSchema({ type: "object", properties, required });
const number = { type: "integer" };
const line = (n) => `The quick brown fox jumps over the lazy dog, line ${String(n).padStart(4, "0")} of it.\n`;
const document = Array.from({ length: 200 }, (_, n) => line(n)).join("").slice(0, 10240);
const echo = object({ message: { type: "string" } }, ["message"]);
const pair = object({ a: number, b: number }, ["a", "b"]);
const sum = object({ sum: number }, ["sum"]);
const search = object(
  {
    query: { type: "string", description: "What to look for." },
    limit: { type: "integer", description: "How many results at most." },
    tags: { type: "array", items: { type: "string" }, description: "Only results with these tags." },
  },
  ["query"],
);

function make() {
  const server = new McpServer({ name: "bench", version: "1" });
  server.registerTool("echo", { description: "Answer with the same text.", inputSchema: echo }, async ({ message }) => ({
    content: [{ type: "text", text: message }],
  }));
  const add = { description: "Add two integers.", inputSchema: pair, outputSchema: sum };
  server.registerTool("add", add, async ({ a, b }) => {
    const structuredContent = { sum: a + b };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  });
  for (let n = 2; n < 50; n++) {
    const description = `Look something up in collection ${n}.`;
    server.registerTool(`tool_${String(n).padStart(2, "0")}`, { description, inputSchema: search }, async () => ({
      content: [{ type: "text", text: "nothing found" }],
    }));
  }
  server.registerResource("document", "bench://doc", { mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: document }],
  }));
  return server;
}

if (process.argv[2] !== "--http") {
  serveStdio(make);
} else {
  const handler = createMcpHandler(make);
  const [host, port] = process.argv[3].split(":");
  createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
    const url = `http://${incoming.headers.host}${incoming.url}`;
    const response = await handler.fetch(new Request(url, { method: incoming.method, headers: incoming.headers, body }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  }).listen(Number(port), host);
}
