// Adding a paper that the search missed: by id, by title in the library and the sources of the run, or by file.
// @ts-check
import * as api from "./api.js";
import {base64} from "./libraries.js";
import {Problem, useAction} from "./parts.js";
import {ended} from "./run.js";
import {sourceName} from "./story_of.js";
import {html, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** A DOI or an arXiv id, with or without an address before it. */
const ID = /(10\.\d{4,9}\/\S+|\d{4}\.\d{4,5}(v\d+)?|[a-z-]+(\.[a-z]{2})?\/\d{7}(v\d+)?)$/i;
const MOST = 5;
/** Sources that are asked without a price. */
const FREE = new Set(["openalex", "semantic_scholar", "arxiv", "crossref"]);
/** The library that takes in files of papers that were added. */
const LIBRARY = "added-papers";

/** @param {{run: import("./run.js").Run, add: (id: string, choice: import("./choices.js").Choice) => void, has: (id: string) => boolean}} props */
export function AddPaper({run, add, has}) {
  const [text, setText] = useState("");
  const [found, setFound] = useState(/** @type {any[]} */ ([]));
  const take = (/** @type {any} */ paper) => {
    add(paper.id, has(paper.id) ? {add: true, drop: false} : {add: true, drop: false, record: paper});
    setFound([]);
    setText("");
  };
  const [look, busy, error] = useAction(async () => {
    const words = text.trim();
    const id = ID.exec(words)?.[0];
    if (id) {
      add(id, {add: true, drop: false, named: id});
      return setText("");
    }
    const library = run.searched.library ?? run.values.request?.library ?? "starter";
    const {papers} = await api.get(`/citeloom/libraries/${library}/papers?${new URLSearchParams({find: words, limit: String(MOST)})}`);
    const sources = (run.searched.sources ?? run.values.request?.sources ?? []).filter((/** @type {string} */ name) => FREE.has(name));
    const asked = papers.length || !sources.length ? {papers, silent: []} : await titled(words, sources);
    if (asked.papers.length === 1) return take(asked.papers[0]);
    setFound(asked.papers);
    if (!asked.papers.length) throw new Error(asked.silent.length ? `${asked.silent.map((/** @type {string} */ name) => sourceName(name, run)).join(", ")}: ${W.papers.addSilent}` : W.papers.addNone);
  });
  const [read, reading, unread] = useAction(async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    const upload = {name: file.name, content: await base64(file), encoding: "base64"};
    const thread = await api.start("ingest", {library: LIBRARY, uploads: [upload]}, {}, {title: `${W.papers.add}: ${file.name}`});
    const {values} = await ended(thread);
    const report = (values.reports ?? []).find((/** @type {any} */ item) => item.paper);
    if (!report) throw new Error(values.stop?.cause ?? values.reports?.[0]?.cause ?? W.papers.unread);
    const paper = await inside(report.paper);
    if (!paper) throw new Error(W.papers.unread);
    take(paper);
  });
  return html`<form class="card add" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), look())}>
    <label class="field">${W.papers.addLabel}<input required value=${text} placeholder="10.1186/s13643-020-01521-4" onInput=${(/** @type {any} */ event) => setText(event.target.value)} /></label>
    <button class="main" disabled=${busy || reading}>${busy || reading ? W.papers.adding : W.papers.add}</button>
    <label class="button file">${W.papers.addFile}<input type="file" class="hide" accept=".pdf,.docx,.html,.xml,.md,.txt,.bib,.ris,.json" onChange=${(/** @type {any} */ event) => read(event.target.files[0])} /></label>
    ${found.length > 0 && html`<div class="which" role="group" aria-label=${W.papers.addWhich}><p class="small">${W.papers.addWhich}</p>${found.map((paper) => html`<button type="button" class="link" dir="auto" onClick=${() => take(paper)}>${paper.title} (${paper.year ?? "?"})</button>`)}</div>`}
    <${Problem} text=${error || unread} />
  </form>`;
}

/** Papers that the sources have under a title. @param {string} title @param {string[]} sources */
const titled = (title, sources) => api.get(`/citeloom/papers?${new URLSearchParams([["title", title], ...sources.map((name) => ["source", name])])}`);

/** The record of a paper that was read from a file. @param {string} id */
async function inside(id) {
  for (let offset = 0; ; offset += 100) {
    const {papers, total} = await api.get(`/citeloom/libraries/${LIBRARY}/papers?${new URLSearchParams({offset: String(offset), limit: "100"})}`);
    const paper = papers.find((/** @type {any} */ item) => item.id === id);
    if (paper || !papers.length || offset + papers.length >= total) return paper;
  }
}
