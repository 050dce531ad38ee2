// The TypeScript SDK 2.x: `client_2.mjs ERA stdio COMMAND…`, `client_2.mjs ERA http URL` or `client_2.mjs ERA sse URL`; ERA is
// `modern` or `legacy`.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { ELICITED, NotInThisClient, ROOT, SAMPLED, Seen, main, observe } from "./checks.mjs";

const isModern = process.argv[2] === "modern";

function open(kind, target) {
  if (kind === "stdio") return new StdioClientTransport({ command: target[0], args: target.slice(1) });
  const url = new URL(target[0]);
  return kind === "sse" ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
}

async function connect(kind, target) {
  const client = new Client(
    { name: "interop", version: "1.0.0" },
    {
      capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } },
      versionNegotiation: { mode: isModern ? "auto" : "legacy" },
    },
  );
  client.setRequestHandler("sampling/createMessage", async () => SAMPLED);
  client.setRequestHandler("elicitation/create", async () => ELICITED);
  client.setRequestHandler("roots/list", async () => ({ roots: [ROOT] }));
  const transport = open(kind, target);
  await client.connect(transport);
  const seen = new Seen();
  observe(transport, seen);
  // In the modern era the level goes with each request.
  let meta;
  const listen = async (filter) => {
    const subscription = await client.listen(filter);
    return () => subscription.close();
  };
  return {
    client,
    seen,
    revision: client.getNegotiatedProtocolVersion(),
    call: (name, given, options) => client.callTool({ name, arguments: given, ...(meta && { _meta: meta }) }, options),
    subscribe: async (uri) => {
      if (isModern) return listen({ resourceSubscriptions: [uri] });
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
    listenToResourceList: async () => (isModern ? listen({ resourcesListChanged: true }) : async () => {}),
    setLevel: async (level) => {
      if (isModern) meta = { "io.modelcontextprotocol/logLevel": level };
      else await client.setLoggingLevel(level);
    },
    ping: async () => {
      if (isModern) throw new NotInThisClient("ping ended with 2025-11-25");
      await client.ping();
    },
    close: async () => {
      if (kind === "http" && !isModern) await transport.terminateSession();
      await client.close();
    },
  };
}

await main(connect, process.argv.slice(3));
