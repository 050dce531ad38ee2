// The TypeScript SDK 2.x logs in: `login_2.mjs URL SUBJECT [refresh] [step-up]`.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

import { main } from "./checks.mjs";

await main("typescript 2", {
  open: (url, authProvider) => ({
    client: new Client({ name: "interop", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } }),
    transport: new StreamableHTTPClientTransport(url, { authProvider }),
  }),
  finish: (transport, answer) => transport.finishAuth(answer),
});
