// The server's public API: LangGraph's threads and runs, and CiteLoom's own routes. Nothing else is asked.
// @ts-check

const KEY = "citeloom-key";

/** An answer that is no success; its message is for a person. */
export class ApiError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The caller's key, kept until the tab is closed. */
export const key = {
  get: () => sessionStorage.getItem(KEY) ?? "",
  /** @param {string} value */
  set: (value) => sessionStorage.setItem(KEY, value),
};

/** @returns {Record<string, string>} */
function headers() {
  return key.get() ? {"X-Api-Key": key.get()} : {};
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {AbortSignal} [signal]
 */
async function send(method, path, body, signal) {
  let answer;
  try {
    answer = await fetch(path, {
      method, signal, keepalive: method === "PUT" && JSON.stringify(body).length < 60_000,  // also while one leaves
      headers: {...headers(), ...(body === undefined ? {} : {"Content-Type": "application/json"})},
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "The server does not answer. Is it still running?");
  }
  if (!answer.ok) throw new ApiError(answer.status, await reason(answer));
  return answer;
}

/** @param {Response} answer */
async function reason(answer) {
  const text = await answer.text();
  try {
    const {detail, message} = JSON.parse(text);
    return String(detail?.[0]?.msg ?? detail ?? message ?? text);
  } catch {
    return text.slice(0, 300) || `The server answered ${answer.status}.`;
  }
}

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} */
export const get = async (path, signal) => (await send("GET", path, undefined, signal)).json();
/** @param {string} path @param {unknown} body @returns {Promise<any>} */
export const post = async (path, body) => (await send("POST", path, body)).json();
/** @param {string} path @param {unknown} body @returns {Promise<any>} */
export const put = async (path, body) => (await send("PUT", path, body)).json();

/** Send a file as it is. @param {string} path @param {File} file @returns {Promise<any>} */
export async function upload(path, file) {
  const answer = await fetch(path, {method: "POST", headers: headers(), body: file});
  if (!answer.ok) throw new ApiError(answer.status, await reason(answer));
  return answer.json();
}

/** Threads that this page has begun. @type {Set<string>} */
export const begun = new Set();

/**
 * Start a graph on a thread of its own, or on one there is.
 * @param {string} graph
 * @param {Record<string, unknown>} input
 * @param {Record<string, unknown>} settings
 * @param {{title: string, parent?: string, change?: string}} about `change` says what made a version
 * @returns {Promise<string>} the thread
 */
export async function start(graph, input, settings, about) {
  const metadata = {
    citeloom_graph: graph, citeloom_settings: settings, citeloom_conversation: "",
    title: about.title.slice(0, 200), parent: about.parent ?? "", ...(about.change ? {change: about.change.slice(0, 200)} : {}),
    // To search again later, or to go on asking, as this did.
    ...(["find", "review", "novelty", "ask", "table", "synthesize"].includes(graph) ? {searched: input} : graph === "ingest" ? {searched: {library: input.library}} : {}),
  };
  const thread = await post("/threads", {metadata, graph_id: graph});
  try {
    await go(thread.thread_id, graph, settings, {input});
  } catch (error) {
    await remove(`/threads/${thread.thread_id}`);  // nothing was begun
    throw error;
  }
  begun.add(thread.thread_id);
  return thread.thread_id;
}

/**
 * Let a thread go on with an input.
 * @param {string} thread
 * @param {string} graph
 * @param {Record<string, unknown>} settings
 * @param {{input: unknown}} given
 */
export function go(thread, graph, settings, given) {
  return post(`/threads/${thread}/runs`, {
    assistant_id: graph, context: settings, stream_mode: ["custom", "updates"], stream_subgraphs: true,
    stream_resumable: true, multitask_strategy: "reject", ...given,
  });
}

/** What of a thread is listed, and of what its runs hold, which can be megabytes: the title of a paper that one began from, and how they ended. */
const LISTED = ["thread_id", "created_at", "updated_at", "metadata", "status", "interrupts"];
const EXTRACT = {named: "values.request.title", outcome: "values.outcome", stopped: "values.stop.subject"};
let selects = true;

/** Threads, the newest first. @param {number} limit @returns {Promise<any[]>} */
export async function threads(limit) {
  const asked = {limit, sort_by: "updated_at", sort_order: "desc"};
  try {
    return await post("/threads/search", selects ? {...asked, select: LISTED, extract: EXTRACT} : asked);
  } catch (error) {
    if (!selects || !(error instanceof ApiError) || error.status !== 422) throw error;
    selects = false;  // Aegra has no selection
    return threads(limit);
  }
}
/** @param {string} thread */
export async function forget(thread) {
  await send("DELETE", `/threads/${thread}`);
  await Promise.all(KEPT.map((name) => send("DELETE", "/store/items", {namespace: [PLACE, thread], key: name}).catch(() => null)));
}
/** @param {string} path */
export const remove = (path) => send("DELETE", path);

const PLACE = "citeloom-page";
/** What the page itself keeps of a run, in the server's store. @typedef {"papers" | "order" | "columns" | "given" | "file" | "mended" | "fixes"} Kept */
/** @type {Kept[]} */
const KEPT = ["papers", "order", "columns", "given", "file", "mended", "fixes"];

/** @param {string} thread @param {Kept} name @returns {Promise<any>} */
export async function kept(thread, name) {
  const asked = new URLSearchParams({key: name, namespace: `${PLACE}.${thread}`});
  try {
    return (await get(`/store/items?${asked}`))?.value?.kept ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
/** @param {string} thread @param {Kept} name @param {unknown} value */
export const keep = (thread, name, value) =>
  send("PUT", "/store/items", {namespace: [PLACE, thread], key: name, value: {kept: value}});

/** A Word file with fixes, and the numbers of those that it has no place for. @param {string} name @param {string} content in base64 @param {import("./mend.js").Fix[]} fixes @returns {Promise<[Blob, number[]]>} */
export async function mendedWord(name, content, fixes) {
  const answer = await send("POST", "/citeloom/draft/mended", {name, content, fixes});
  return [await answer.blob(), JSON.parse(answer.headers.get("X-Unmade") ?? "[]")];
}

/** A picture of the page on which a quote stands. @param {string} library @param {string} paper @param {string} quote @param {number | undefined} page */
export async function pageOf(library, paper, quote, page) {
  const asked = new URLSearchParams({paper, quote, ...(page ? {page: String(page)} : {})});
  const answer = await send("GET", `/citeloom/libraries/${library}/page?${asked}`);
  return {
    address: URL.createObjectURL(await answer.blob()), page: Number(answer.headers.get("X-Page")),
    pages: Number(answer.headers.get("X-Pages")), marked: answer.headers.get("X-Marked") === "true",
    box: answer.headers.get("X-Box")?.split(",").map(Number) ?? null,
  };
}

/** What is said in a recording. @param {Blob} sound @returns {Promise<string>} */
export async function heard(sound) {
  const answer = await fetch("/citeloom/speech/heard", {method: "POST", headers: headers(), body: sound});
  if (!answer.ok) throw new ApiError(answer.status, await reason(answer));
  return (await answer.json()).text;
}
/** A text read aloud, as an address to play. @param {string} text */
export const spoken = async (text) => URL.createObjectURL(await (await send("POST", "/citeloom/speech/spoken", {text})).blob());

/**
 * Tell of a run from its first event, also of one that began before the page was loaded.
 * @param {string} thread
 * @param {string} run
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<{event: string, data: any}>}
 */
export async function* follow(thread, run, signal) {
  let last = "-1";
  for (let tries = 0; tries < 5; tries += 1) {
    try {
      const answer = await fetch(
        `/threads/${thread}/runs/${run}/stream`,
        {signal, headers: {...headers(), "Last-Event-ID": last}},
      );
      if (!answer.ok || !answer.body) throw new ApiError(answer.status, await reason(answer));
      for await (const {id, event, data} of events(answer.body)) {
        if (id) last = id;
        tries = 0;
        yield {event, data};
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status < 500) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000 * (tries + 1)));
    }
  }
}

/** @param {ReadableStream<Uint8Array>} body */
async function* events(body) {
  const reader = body.pipeThrough(/** @type {any} */ (new TextDecoderStream())).getReader();
  let kept = "";
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    const parts = (kept + value).split(/\r?\n\r?\n/);
    kept = parts.pop() ?? "";
    for (const part of parts) {
      const fields = {id: "", event: "", data: ""};
      for (const line of part.split(/\r?\n/)) {
        const [, name, text] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
        if (name === "id" || name === "event" || name === "data") fields[name] += text;
      }
      if (fields.event) yield {...fields, data: fields.data ? JSON.parse(fields.data) : null};
    }
  }
}

/** Save a file of a run. @param {string} thread @param {string} name */
export const save = (thread, name) => download(`/citeloom/runs/${thread}/files/${name.split("/").map(encodeURIComponent).join("/")}`, name);

/** A file of the server as an address to show. @param {string} path */
export const address = async (path) => URL.createObjectURL(await (await send("GET", path)).blob());

/** Save a file of the server. @param {string} path @param {string} name */
export async function download(path, name) {
  const link = document.createElement("a");
  link.href = await address(path);
  link.download = name.split("/").at(-1) ?? name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
