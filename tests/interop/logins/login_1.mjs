// The TypeScript SDK 1.x logs in: `login_1.mjs URL SUBJECT [refresh] [step-up]`.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { main } from "./checks.mjs";

await main("typescript 1", {
  open: (url, authProvider) => ({
    client: new Client({ name: "interop", version: "1.0.0" }),
    transport: new StreamableHTTPClientTransport(url, { authProvider }),
  }),
  finish: (transport, answer) => transport.finishAuth(answer.get("code")),
});
