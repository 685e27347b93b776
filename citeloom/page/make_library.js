// Ask the papers of a run: they are saved as a library, which Ask then opens.
// @ts-check
import * as api from "./api.js";
import {Problem, useAction} from "./parts.js";
import {ended} from "./run.js";
import {html} from "./vendor/preact.js";
import {W} from "./words.js";

/** @param {{run: import("./run.js").Run, papers: any[]}} props */
export function MakeLibrary({run, papers}) {
  const [make, busy, error] = useAction(async () => {
    const name = named(run.title, run.thread);
    const content = papers.map((item) => JSON.stringify(item.paper)).join("\n");
    const upload = {name: "papers.jsonl", content, encoding: "text"};
    const thread = await api.start("ingest", {library: name, uploads: [upload]}, {}, {title: `${W.libraries.add}: ${name}`});
    const {values} = await ended(thread);
    const failed = values.stop ?? (values.reports ?? []).find((/** @type {any} */ report) => report.status === "failed");
    if (failed) throw new Error(failed.cause);
    location.hash = `#/ask/${name}`;
  });
  return html`<button type="button" title=${W.libraries.makeHint} disabled=${busy || !papers.length} onClick=${() => make()}>${busy ? W.libraries.making : W.libraries.make}</button>
    <${Problem} text=${error} />`;
}

/** A name that a library can have, of a run's own. @param {string} title @param {string} thread */
function named(title, thread) {
  const words = title.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").slice(0, 40).replace(/^-+|-+$/g, "");
  return [words || "papers", thread.slice(0, 6)].join("-");
}
