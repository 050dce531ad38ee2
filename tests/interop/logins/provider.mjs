// An OpenID provider of others: `provider.mjs PORT`. Anybody logs in with any name. Its clients are `jackfield`, which sends its own
// users here; `robot`, which acts for itself; and whoever registers. Tokens for a resource are signed, the scopes are `mcp` and `safe`.

import { Provider } from "oidc-provider";

const port = Number(process.argv[2]);
const issuer = `http://127.0.0.1:${port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "jackfield",
      client_secret: "the secret of jackfield",
      // A native client comes back to any port of this machine.
      application_type: "native",
      redirect_uris: ["http://127.0.0.1/callback"],
      grant_types: ["authorization_code", "refresh_token"],
    },
    {
      client_id: "robot",
      client_secret: "the secret of robot",
      redirect_uris: [],
      response_types: [],
      grant_types: ["client_credentials"],
      scope: "mcp safe",
    },
  ],
  scopes: ["openid", "offline_access", "mcp", "safe"],
  clientDefaults: { application_type: "native", token_endpoint_auth_method: "client_secret_basic" },
  cookies: { keys: ["a key for tests"] },
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    registration: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_context, resource) => ({
        scope: "mcp safe",
        audience: resource,
        accessTokenFormat: "jwt",
        accessTokenTTL: 600,
        jwt: { sign: { alg: "RS256" } },
      }),
      useGrantedResource: () => true,
    },
  },
  // Shorter than anybody would keep them, so that they are renewed with every renewal of ours.
  ttl: { AccessToken: 20 },
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
});

const server = provider.listen(port, "127.0.0.1");
process.on("SIGTERM", () => {
  server.close(() => process.exit(0));
  server.closeAllConnections();
});
