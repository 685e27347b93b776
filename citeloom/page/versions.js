// Versions of a text: which there are, what made each, and what changed in one.
// @ts-check
import * as api from "./api.js";
import {Pop} from "./components.js";
import {useLoaded} from "./parts.js";
import {html} from "./vendor/preact.js";
import {W} from "./words.js";

/** @typedef {{thread: string, number: number, made: string, when: string, parent: string}} Version */

const MOST = 200;

/**
 * All versions of the text that a run holds, the oldest first: the runs that its first version leads to.
 * @param {import("./run.js").Run} run
 * @returns {Version[] | null} null while they are looked up
 */
export function useVersions(run) {
  const [found] = useLoaded(async () => {
    const threads = /** @type {any[]} */ (await api.threads(MOST)).filter((item) => ["review", "write", "revise"].includes(item.metadata?.citeloom_graph));
    const known = new Map(threads.map((item) => [item.thread_id, item]));
    const root = (/** @type {any} */ item) => {
      let at = item;
      for (let steps = 0; steps < MOST && known.has(at.metadata.parent); steps += 1) at = known.get(at.metadata.parent);
      return at.thread_id;
    };
    const mine = known.get(run.thread);
    if (!mine) return [];
    return threads.filter((item) => root(item) === root(mine)).sort((a, b) => a.created_at.localeCompare(b.created_at))
      .map((item, at) => ({thread: item.thread_id, number: at + 1, made: made(item), when: item.created_at, parent: item.metadata.parent ?? ""}));
  }, [run.thread, run.status]);
  return found;
}

/** What made a version, in words. @param {any} item */
const made = ({metadata}) => metadata.change || W.versions[/** @type {keyof typeof W.versions} */ (metadata.citeloom_graph)];

/** @param {{run: import("./run.js").Run, versions: Version[]}} props */
export function Versions({run, versions}) {
  const now = versions.find((item) => item.thread === run.thread);
  if (!now || versions.length < 2) return null;
  return html`<${Pop} label=${`${W.versions.one} ${now.number} ${W.page.of} ${versions.length}`}>
    <ul class="versions">${versions.toReversed().map((item) => html`<li><a href=${`#/run/${item.thread}/text`} aria-current=${item === now ? "true" : null}>
      <strong>${W.versions.one} ${item.number}</strong> · ${new Date(item.when).toLocaleString(undefined, {dateStyle: "medium", timeStyle: "short"})}
      <span class="dim" dir="auto">${item.made}</span></a></li>`)}</ul><//>`;
}
