// The TypeScript SDK 1.x: `client_1.mjs stdio COMMAND…`, `client_1.mjs http URL` or `client_1.mjs sse URL`.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

import { ELICITED, ROOT, SAMPLED, Seen, main, observe } from "./checks.mjs";

function open(kind, target) {
  if (kind === "stdio") return new StdioClientTransport({ command: target[0], args: target.slice(1) });
  const url = new URL(target[0]);
  return kind === "sse" ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
}

async function connect(kind, target) {
  const capabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } };
  const client = new Client({ name: "interop", version: "1.0.0" }, { capabilities });
  client.setRequestHandler(CreateMessageRequestSchema, async () => SAMPLED);
  client.setRequestHandler(ElicitRequestSchema, async () => ELICITED);
  client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [ROOT] }));
  const transport = open(kind, target);
  // The client tells the revision to its transport and to nobody else.
  let revision;
  const tell = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    revision = version;
    tell?.(version);
  };
  await client.connect(transport);
  const seen = new Seen();
  observe(transport, seen);
  return {
    client,
    seen,
    revision,
    call: (name, given, options) => client.callTool({ name, arguments: given }, undefined, options),
    subscribe: async (uri) => {
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
    listenToResourceList: async () => async () => {},
    setLevel: (level) => client.setLoggingLevel(level),
    ping: () => client.ping(),
    close: async () => {
      if (kind === "http") await transport.terminateSession();
      await client.close();
    },
  };
}

await main(connect, process.argv.slice(2));
