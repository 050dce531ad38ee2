// The checks, the same for every TypeScript client. A client is seen through the functions of `connect`; its answers are plain
// JSON as on the wire.

export const TEXT_RESOURCE = "demo://resource/dynamic/text/1";
export const BLOB_RESOURCE = "demo://resource/dynamic/blob/1";
export const ROOT = { uri: "file:///interop", name: "interop" };
export const ANSWER = "an answer from the model";
export const SAMPLED = { role: "assistant", content: { type: "text", text: ANSWER }, model: "interop", stopReason: "endTurn" };
export const ELICITED = { action: "accept", content: { name: "Ada", check: true } };

// How long a client waits for something that must come, in milliseconds.
const PATIENCE = 6000;

/** The client, or the revision it speaks, does not have the feature. */
export class NotInThisClient extends Error {}

/** Notifications as they arrive, as [method, params]. */
export class Seen {
  constructor() {
    this.all = [];
    this.waiting = new Set();
  }

  note(message) {
    if (!message.method?.startsWith("notifications/")) return;
    this.all.push([message.method, message.params ?? {}]);
    for (const wake of this.waiting) wake();
  }

  count(method) {
    return this.all.filter(([seen]) => seen === method).length;
  }

  /** Waits for a notification, not looking at the first `since` that were seen; returns its params. */
  async waitFor(method, since = 0) {
    const end = Date.now() + PATIENCE;
    for (;;) {
      const found = this.all.slice(since).find(([seen]) => seen === method);
      if (found) return found[1];
      if (Date.now() > end) throw new Error(`no ${method} within ${PATIENCE} ms`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, 200);
        const wake = () => {
          clearTimeout(timer);
          this.waiting.delete(wake);
          resolve();
        };
        this.waiting.add(wake);
      });
    }
  }
}

/** Lets `seen` see all that a connected transport receives. */
export function observe(transport, seen) {
  const inner = transport.onmessage;
  transport.onmessage = (message, extra) => {
    seen.note(message);
    inner.call(transport, message, extra);
  };
}

export function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function report(check, ok, detail = "") {
  const firstLine = String(detail).trim().split("\n")[0].slice(0, 200);
  process.stdout.write(JSON.stringify({ check, ok, detail: firstLine }) + "\n");
}

async function within(milliseconds, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function expect(condition, what) {
  if (!condition) throw new Error(typeof what === "string" ? what : JSON.stringify(what));
}

function textOf(result) {
  return result.content.filter((block) => block.type === "text").map((block) => block.text).join("\n");
}

function among(found, wanted) {
  expect(found.includes(wanted), `${wanted} is not among ${found}`);
  return found.length;
}

/** Flips a switch of the server until it stands as wanted; without sessions others may flip it too. */
async function toggle(c, tool, wanted) {
  for (let attempt = 0; attempt < 3; attempt++) {
    if (textOf(await c.call(tool, {})).startsWith(wanted)) return;
  }
  throw new Error(`${tool} never said ${wanted}`);
}

const CHECKS = {
  tools: async (c) => among((await c.client.listTools()).tools.map((tool) => tool.name), "echo"),
  resources: async (c) =>
    among((await c.client.listResources()).resources.map((r) => r.uri), "demo://resource/static/document/features.md"),
  templates: async (c) => {
    const { resourceTemplates } = await c.client.listResourceTemplates();
    return among(resourceTemplates.map((template) => template.uriTemplate), "demo://resource/dynamic/text/{resourceId}");
  },
  prompts: async (c) => among((await c.client.listPrompts()).prompts.map((prompt) => prompt.name), "args-prompt"),
  text: async (c) => {
    const result = await c.call("echo", { message: "grüße, 世界 🎛" });
    expect(textOf(result) === "Echo: grüße, 世界 🎛" && !result.isError, result);
  },
  structured: async (c) => {
    const result = await c.call("get-structured-content", { location: "Chicago" });
    expect(JSON.parse(textOf(result)).temperature === 36 && result.structuredContent.temperature === 36, result);
  },
  failure: async (c) => {
    const result = await c.call("get-resource-reference", { resourceType: "Text", resourceId: -1 });
    expect(result.isError === true && textOf(result).includes("resourceId"), result);
  },
  error: async (c) => {
    const uri = "demo://resource/no/such/thing";
    const outcome = await c.client.readResource({ uri }).then((result) => ({ result }), (error) => ({ error }));
    expect(typeof outcome.error?.code === "number", outcome);
    return `${outcome.error.code} ${outcome.error.message}`;
  },
  content: async (c) => {
    const image = await c.call("get-tiny-image", {});
    expect(image.content.some((block) => block.type === "image"), image);
    const embedded = await c.call("get-resource-reference", { resourceType: "Blob", resourceId: 1 });
    expect(embedded.content.some((block) => block.type === "resource" && block.resource.blob), embedded);
    const annotated = await c.call("get-annotated-message", { messageType: "error", includeImage: true });
    expect(textOf(annotated).includes("Operation failed"), annotated);
  },
  links: async (c) => {
    const result = await c.call("get-resource-links", { count: 2 });
    expect(result.content.filter((block) => block.type === "resource_link").length === 2, result);
  },
  progress: async (c) => {
    const steps = [];
    const since = c.seen.all.length;
    const onprogress = ({ progress }) => steps.push(progress);
    const result = await c.call("trigger-long-running-operation", { duration: 0.4, steps: 4 }, { onprogress });
    expect(textOf(result).includes("completed"), result);
    const sent = c.seen.all.slice(since).filter(([method]) => method === "notifications/progress");
    expect(String(sent.map(([, params]) => params.progress)) === "1,2,3,4", `progress was ${JSON.stringify(sent)}`);
    // These clients handle a notification later than an answer that came with it, and then nobody waits for it any more.
    expect(["1,2,3,4", "1,2,3"].includes(String(steps)), `the callback saw ${steps}`);
  },
  "read text": async (c) => {
    const { contents } = await c.client.readResource({ uri: TEXT_RESOURCE });
    expect(contents[0].uri === TEXT_RESOURCE && contents[0].text.includes("plaintext resource"), contents);
  },
  "read blob": async (c) => {
    const { contents } = await c.client.readResource({ uri: BLOB_RESOURCE });
    expect(contents[0].blob, contents);
  },
  prompt: async (c) => {
    const { messages } = await c.client.getPrompt({ name: "args-prompt", arguments: { city: "Ulm" } });
    expect(messages[0].content.text.includes("Ulm"), messages);
    const embedded = await c.client.getPrompt({ name: "resource-prompt", arguments: { resourceType: "Text", resourceId: "1" } });
    expect(embedded.messages.some((message) => message.content.type === "resource"), embedded);
  },
  complete: async (c) => {
    const ref = { type: "ref/prompt", name: "completable-prompt" };
    const { completion } = await c.client.complete({ ref, argument: { name: "department", value: "S" } });
    expect(completion.values.toSorted().join() === "Sales,Support", completion);
  },
  subscribe: async (c) => {
    const unsubscribe = await c.subscribe(TEXT_RESOURCE);
    const since = c.seen.all.length;
    await toggle(c, "toggle-subscriber-updates", "Started");
    try {
      const update = await c.seen.waitFor("notifications/resources/updated", since);
      expect(update.uri === TEXT_RESOURCE, update);
    } finally {
      await toggle(c, "toggle-subscriber-updates", "Stopped");
      await unsubscribe();
    }
  },
  "list changed": async (c) => {
    const stop = await c.listenToResourceList();
    const since = c.seen.all.length;
    const name = `interop-${process.pid}-${Date.now()}.gz`;
    await c.call("gzip-file-as-resource", { name, data: "data:text/plain,hello", outputType: "resource" });
    await c.seen.waitFor("notifications/resources/list_changed", since);
    await stop();
  },
  logging: async (c) => {
    await c.setLevel("debug");
    const since = c.seen.all.length;
    await toggle(c, "toggle-simulated-logging", "Started");
    try {
      return (await c.seen.waitFor("notifications/message", since)).level;
    } finally {
      await toggle(c, "toggle-simulated-logging", "Stopped");
    }
  },
  elicit: async (c) => {
    const result = await c.call("trigger-elicitation-request", {});
    expect(textOf(result).includes("Ada"), result);
  },
  sample: async (c) => {
    const result = await c.call("trigger-sampling-request", { prompt: "hello", maxTokens: 10 });
    expect(textOf(result).includes(ANSWER), result);
  },
  roots: async (c) => {
    const result = await c.call("get-roots-list", {});
    expect(textOf(result).includes(ROOT.uri), result);
  },
  parallel: async (c) => {
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    const answers = await Promise.all(numbers.map((number) => c.call("get-sum", { a: number, b: 1000 })));
    for (const number of numbers) expect(textOf(answers[number]).includes(` ${number + 1000}`), answers[number]);
  },
  cancel: async (c) => {
    const controller = new AbortController();
    const options = { signal: controller.signal, onprogress: () => controller.abort("interop") };
    const call = c.call("trigger-long-running-operation", { duration: 20, steps: 100 }, options);
    const refused = await call.then(() => false, () => true);
    expect(refused, "the call was answered although it was cancelled");
    // What was on its way when the call was cancelled may still arrive.
    await sleep(300);
    const before = c.seen.count("notifications/progress");
    await sleep(700);
    const late = c.seen.count("notifications/progress") - before;
    expect(late === 0, `${late} progress notifications after the call was cancelled`);
    expect(textOf(await c.call("echo", { message: "still here" })) === "Echo: still here", "no answer afterwards");
  },
  ping: async (c) => {
    await c.ping();
  },
};

/** Connects with `connect(transport, target)`, runs every check, leaves with `close()` of what it returned. */
export async function main(connect, [transport, ...target]) {
  let connected;
  try {
    connected = await within(3 * PATIENCE, connect(transport, target));
    report("connect", true, connected.revision);
  } catch (error) {
    report("connect", false, error);
    process.exit(0);
  }
  // The roots and the tools that depend on what a client can do arrive after the handshake.
  await sleep(600);
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      report(name, true, (await within(3 * PATIENCE, check(connected))) ?? "");
    } catch (error) {
      report(name, error instanceof NotInThisClient ? null : false, error?.message ?? error);
    }
  }
  const leaving = Date.now();
  try {
    await connected.close();
    const took = (Date.now() - leaving) / 1000;
    // A server on stdio that does not end by itself is killed after two seconds.
    report("shutdown", took < 1.8, `${took.toFixed(1)} s`);
  } catch (error) {
    report("shutdown", false, error);
  }
  process.exit(0);
}
