// Export: the files of a run by what they are for, the rest folded.
// @ts-check
import * as api from "./api.js";
import {Fold} from "./components.js";
import {Nothing, Problem, useAction, useLoaded} from "./parts.js";
import {Icon} from "./shapes.js";
import {html, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

const RIS = "files/references.ris";
/**
 * What each purpose takes, first what its main button saves; a purpose shows when the run has one of its files.
 * @type {{purpose: keyof typeof W.take.purposes, icon: string, files: string[]}[]}
 */
const PURPOSES = [
  {purpose: "word", icon: "word", files: ["files/review.docx"]},
  {purpose: "latex", icon: "tex", files: ["files/section.tex", "files/references.bib", "references.bib"]},
  {purpose: "quarto", icon: "write", files: ["files/section.qmd"]},
  {purpose: "notes", icon: "page", files: ["files/notes.zip"]},
  {purpose: "zotero", icon: "stack", files: [RIS]},
  {purpose: "share", icon: "share", files: ["review.html", "papers.html", "synthesis.html", "audit.html", "table.html"]},
  {purpose: "sheet", icon: "stack", files: ["table.xlsx", "table.csv"]},
];

/** @param {{run: import("./run.js").Run}} props */
export function Take({run}) {
  const rests = !["working", "loading"].includes(run.status);
  const [found, error] = useLoaded(
    async () => (rests ? api.get(`/citeloom/runs/${run.thread}/files`) : {files: {}}), [run.thread, rests],
  );
  const [save, busy, failed] = useAction((/** @type {string} */ name) => api.save(run.thread, name));
  const files = /** @type {Record<string, string>} */ (found?.files ?? {});
  const names = Object.keys(files);
  if (error) return html`<${Problem} text=${error} />`;
  if (rests && !found) return html`<p class="dim" role="status">${W.run.status.loading}</p>`;
  if (!names.length) return html`<${Nothing}>${W.take.none}<//>`;
  const shown = PURPOSES.map((one) => ({...one, told: one.files[0] in files ? 1 : 2, files: one.files.filter((name) => name in files)}))
    .filter((one) => one.files.length);
  const Save = (/** @type {{name: string, first?: boolean}} */ {name, first = false}) => html`<button type="button" class=${first ? "" : "quiet"} disabled=${busy}
    onClick=${() => save(name)} aria-label=${`${W.take.save} ${last(name)}`}>${W.take.save} ${last(name)}</button>`;
  return html`<h2 class="hide">${W.take.title}</h2>
    <${Problem} text=${failed} />
    <ul class="purposes">${shown.map(({purpose, icon, told, files: its}) => html`<li class="card"><h3><${Icon} name=${icon} />${W.take.purposes[purpose][0]}</h3>
      <p>${W.take.purposes[purpose][told]}</p>
      ${purpose === "zotero" ? html`<${Zotero} run=${run}><${Save} name=${its[0]} /><//>`
        : html`<div class="do">${its.map((name, at) => html`<${Save} name=${name} first=${at === 0} />`)}</div>`}</li>`)}</ul>
    <${Fold} summary=${`${W.take.all} (${names.length})`} kind="all-files" open=${!shown.length}><ul class="files">${names.map((name) => html`<li>
      <button type="button" class="tiny" disabled=${busy} onClick=${() => save(name)} aria-label=${`${W.take.save} ${name}`}>${W.take.save}</button>
      <span><strong>${last(name)}</strong> <span class="dim">${files[name]}</span></span></li>`)}</ul><//>`;
}

/** A file's name without its folder. @param {string} name */
const last = (name) => name.split("/").at(-1) ?? name;

/** The references into the Zotero of this machine, or as a file elsewhere. @param {{run: import("./run.js").Run, children?: any}} props */
function Zotero({run, children}) {
  const [took, setTook] = useState(0);
  const [send, sending, refused] = useAction(async () => setTook((await api.post(`/citeloom/runs/${run.thread}/zotero`, {})).taken));
  return html`<div class="do"><button type="button" disabled=${sending} onClick=${() => send()}>${sending ? W.take.sending : W.take.zotero}</button>${children}</div>
    <p role="status" class="small">${took ? `${W.take.took} ${counted(took, "reference")}.` : ""}</p>
    <${Problem} text=${refused} />`;
}
