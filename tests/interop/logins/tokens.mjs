// Tokens of another authorization server at a server of ours: `tokens.mjs URL ISSUER`. The client acts for itself.

const [url, issuer] = process.argv.slice(2);
setTimeout(() => process.exit(1), 60_000).unref();

function report(check, ok, detail = "") {
  console.log(JSON.stringify({ check, ok, detail: String(detail) }));
}

async function token(scope, resource) {
  const authorization = `Basic ${Buffer.from("robot:the+secret+of+robot").toString("base64")}`;
  const body = new URLSearchParams({ grant_type: "client_credentials", scope, ...(resource && { resource }) });
  const answer = await fetch(`${issuer}/token`, { method: "POST", headers: { authorization }, body });
  const tokens = await answer.json();
  if (!tokens.access_token) throw new Error(JSON.stringify(tokens));
  return tokens.access_token;
}

async function call(tool, bearer) {
  const revision = "2026-07-28";
  const meta = { "io.modelcontextprotocol/protocolVersion": revision, "io.modelcontextprotocol/clientCapabilities": {} };
  const params = { name: tool, arguments: {}, _meta: meta };
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      "mcp-method": "tools/call",
      "mcp-name": tool,
      ...(bearer && { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const body = await answer.json();
  const text = body.result?.content?.[0]?.text;
  return { status: answer.status, challenge: answer.headers.get("www-authenticate") ?? "", text, body };
}

const none = await call("whoami");
const metadata = none.challenge.match(/resource_metadata="([^"]*)"/)?.[1];
const described = metadata && (await (await fetch(metadata)).json());
const isDescribed = none.status === 401 && described?.resource === url && described?.authorization_servers?.[0] === issuer;
report("challenge", isDescribed, `${none.status} ${JSON.stringify(described)}`);

const good = await call("whoami", await token("mcp", url));
const said = good.text && JSON.parse(good.text);
report("token", said?.subject === "robot" && said?.issuer === issuer, JSON.stringify(good.body));

const narrow = await call("open_safe", await token("mcp", url));
const isNarrow = narrow.status === 403 && narrow.challenge.includes('error="insufficient_scope"') && narrow.challenge.includes("safe");
report("scope", isNarrow && (await call("open_safe", await token("mcp safe", url))).text === "a pearl", narrow.challenge);

const refused = [
  ["for another server", await token("mcp", "http://127.0.0.1:9/mcp")],
  ["for nobody in particular", await token("")],
  ["changed", `${(await token("mcp", url)).slice(0, -8)}AAAAAAAA`],
];
const wrong = [];
for (const [name, bearer] of refused) {
  const answer = await call("whoami", bearer);
  if (answer.status !== 401 || !answer.challenge.includes('error="invalid_token"')) wrong.push(`${name}: ${answer.status}`);
}
report("refusals", wrong.length === 0, wrong.join(", "));
process.exit(0);
