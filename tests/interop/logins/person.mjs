// A person with a browser: follows addresses, fills in forms, and stops where the client waits for its answer.

const FILLED = { username: "ann", login: "ann", password: "correct horse battery", decision: "allow" };
const MOST_PAGES = 20;
const CALLBACK = "http://127.0.0.1:9/callback";

const plain = (text) =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

export class Person {
  callback = CALLBACK;
  visits = 0;
  answer;
  // Cookies do not tell ports apart, but here each port is a server of its own.
  #cookies = new Map();

  /** Goes where the client sends its user; keeps what the client is answered with. */
  async visit(url) {
    this.visits += 1;
    let form;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      if (String(url).startsWith(CALLBACK)) {
        this.answer = new URL(url).searchParams;
        return;
      }
      [url, form] = await this.#page(new URL(url), form);
    }
    throw new Error("the login never ends");
  }

  async #page(url, form) {
    const jar = this.#cookies.get(url.origin) ?? new Map();
    this.#cookies.set(url.origin, jar);
    const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") };
    const request = { headers, redirect: "manual", signal: AbortSignal.timeout(20_000) };
    const page = await fetch(url, form ? { ...request, method: "POST", body: form } : request);
    for (const cookie of page.headers.getSetCookie()) {
      const [pair] = cookie.split(";");
      jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    const text = await page.text();
    const location = page.headers.get("location");
    if (location) return [new URL(location, url)];
    const action = text.match(/<form[^>]*action="([^"]*)"/);
    if (!action) throw new Error(`there is nothing to fill in at ${url}: ${page.status} ${text.slice(0, 500)}`);
    const fields = new URLSearchParams();
    for (const [field] of text.matchAll(/<(?:input|button)[^>]*>/g)) {
      const name = field.match(/name="([^"]*)"/)?.[1];
      if (name) fields.set(name, FILLED[name] ?? plain(field.match(/value="([^"]*)"/)?.[1] ?? ""));
    }
    return [new URL(plain(action[1]), url), fields];
  }
}
