// A server on the TypeScript SDK 2.x: `typescript_2.mjs stdio` or `typescript_2.mjs http PORT`.

import { createServer } from "node:http";
import { McpServer, createMcpHandler, fromJsonSchema } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const text = (value) => ({ content: [{ type: "text", text: value }] });

function make() {
  const server = new McpServer({ name: "typescript 2", version: "1" });
  const message = { type: "object", properties: { message: { type: "string" } }, required: ["message"] };
  server.registerTool("echo", { description: "Echo", inputSchema: fromJsonSchema(message) }, async (given) =>
    text(`Echo: ${given.message}`),
  );
  const sum = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
  server.registerTool("add", { description: "Add", inputSchema: fromJsonSchema(sum) }, async (given) =>
    text(`${given.a + given.b}`),
  );
  server.registerResource("greeting", "demo://greeting", { mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, text: "Hello!" }],
  }));
  const code = { type: "object", properties: { code: { type: "string" } }, required: ["code"] };
  server.registerPrompt("review", { description: "Review", argsSchema: fromJsonSchema(code) }, async (given) => ({
    messages: [{ role: "user", content: { type: "text", text: `Review ${given.code}` } }],
  }));
  return server;
}

if (process.argv[2] === "stdio") {
  serveStdio(make);
} else {
  const handler = createMcpHandler(make);
  createServer(async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on("close", () => gone.abort());
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
    const url = `http://${incoming.headers.host}${incoming.url}`;
    const request = new Request(url, { method: incoming.method, headers: incoming.headers, body, signal: gone.signal });
    const response = await handler.fetch(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    try {
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
    } catch {
      // The client has gone.
    }
    outgoing.end();
  }).listen(Number(process.argv[3]), "127.0.0.1");
}
