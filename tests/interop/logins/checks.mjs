// What a client of the TypeScript SDK is checked for when it logs in: `SCRIPT URL SUBJECT [refresh]
// [step-up]`, where the words say what the server allows for.

import { Person } from "./person.mjs";

const PATIENCE = 60_000;

function report(check, ok, detail = "") {
  console.log(JSON.stringify({ check, ok, detail: String(detail) }));
}

/** What a client remembers, for as long as it runs. */
class Provider {
  #client;
  #tokens;
  #verifier;
  #discovered;

  constructor(person, name) {
    this.person = person;
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [person.callback],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  get redirectUrl() {
    return this.person.callback;
  }

  clientInformation = () => this.#client;
  saveClientInformation = (client) => void (this.#client = client);
  tokens = () => this.#tokens;
  saveTokens = (tokens) => void (this.#tokens = tokens);
  saveCodeVerifier = (verifier) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
  saveDiscoveryState = (discovered) => void (this.#discovered = discovered);
  discoveryState = () => this.#discovered;
  redirectToAuthorization = (url) => this.person.visit(url);
}

/** `open` returns a client and its transport; `finish` hands the answer of the login to the transport. */
export async function main(name, { open, finish }) {
  const [url, subject, ...more] = process.argv.slice(2);
  setTimeout(() => process.exit(1), PATIENCE).unref();
  const person = new Person();
  const provider = new Provider(person, name);
  // The SDK fails when a user has to log in; whoever uses it finishes the login and tries again.
  const loggedIn = async (attempt) => {
    const before = person.visits;
    let { client, transport } = open(new URL(url), provider);
    try {
      return await attempt(client, transport);
    } catch (error) {
      if (person.visits === before) throw error;
      await finish(transport, person.answer);
      ({ client, transport } = open(new URL(url), provider));
      return attempt(client, transport);
    }
  };
  const connect = async (client, transport) => {
    await client.connect(transport);
    return client;
  };
  const client = await loggedIn(connect);
  report("connect", true, client.getNegotiatedProtocolVersion?.() ?? client.transport.protocolVersion);
  report("login", person.visits === 1 && provider.tokens() !== undefined, `${person.visits} visits`);
  const call = async (on, tool) => (await on.callTool({ name: tool, arguments: {} })).content[0].text;
  const first = JSON.parse(await call(client, "whoami"));
  report("call", first.subject === subject && first.scopes === "mcp", JSON.stringify(first));
  if (more.includes("refresh")) {
    // Tokens live for two seconds; the server says when one is too old.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    const second = JSON.parse(await call(client, "whoami"));
    const isSame = second.login === first.login && second.token !== first.token;
    report("refresh", isSame && person.visits === 1, `${person.visits} visits, ${JSON.stringify(second)}`);
  } else {
    report("refresh", null, "tokens live for long here");
  }
  if (more.includes("step-up")) await stepUp();
  else report("step up", null, "the server does not allow for it");
  await client.close();
  process.exit(0);

  async function stepUp() {
    try {
      const pearl = await loggedIn(async (fresh, transport) => call(await connect(fresh, transport), "open_safe"));
      report("step up", pearl === "a pearl" && person.visits === 2, `${person.visits} visits, ${pearl}`);
    } catch (error) {
      // Older releases renew the token they have, which allows no more than before, and give up.
      report("step up", String(error).includes("403 after trying upscoping") ? null : false, error);
    }
  }
}
