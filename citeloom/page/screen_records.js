// Records are added to a screening: from a file, from a finished run, from a library.
// @ts-check
import * as api from "./api.js";
import {Segment} from "./components.js";
import {Problem, useAction, useLoaded} from "./parts.js";
import {S} from "./screen_words.js";
import {html, useState} from "./vendor/preact.js";
import {counted} from "./words.js";

const MOST = 200;
const SEARCHED = ["find", "review", "novelty"];

/** @param {{name: string, again: () => void, empty: boolean}} props */
export function AddRecords({name, again, empty}) {
  const [from, setFrom] = useState("file");
  const [file, setFile] = useState(/** @type {File | null} */ (null));
  const [run, setRun] = useState("");
  const [kept, setKept] = useState(true);
  const [library, setLibrary] = useState("");
  const [told, setTold] = useState(/** @type {any} */ (null));
  const [found, unknown] = useLoaded(async () => (from === "run" ? (await api.threads(MOST)).filter((one) => SEARCHED.includes(one.metadata?.citeloom_graph) && one.status === "idle")
    : from === "library" ? (await api.get("/citeloom/libraries")).libraries : []), [from]);
  const [add, busy, error] = useAction(async () => {
    const asked = new URLSearchParams(from === "run" ? {run, kept: String(kept)} : from === "library" ? {library} : {name: file?.name ?? ""});
    const place = `/citeloom/screenings/${name}/papers?${asked}`;
    setTold(from === "file" && file ? await api.upload(place, file) : await api.post(place, {}));
    again();
  });
  const ready = {file, run, library}[/** @type {"file" | "run" | "library"} */ (from)];
  /** @param {string} label @param {string} value @param {(one: string) => void} put @param {string[][]} options */
  const choice = (label, value, put, options) => html`<label class="field">${label}<select required value=${value} onChange=${(/** @type {any} */ event) => put(event.target.value)}>
    <option value="">${S.chooseOne}</option>${options.map(([one, words]) => html`<option value=${one}>${words}</option>`)}</select></label>`;
  const listed = /** @type {any[]} */ (found ?? []);
  return html`<form class="card add-files" onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), add())}>
    <h2>${S.addTitle}</h2>${empty && html`<p class="dim">${S.noRecords}</p>`}
    <${Segment} label=${S.from} options=${S.origins} value=${from} choose=${(/** @type {string} */ one) => (setFrom(one), setTold(null))} />
    <div class="add">${from === "file" ? html`<label class="field">${S.file}<input type="file" accept=".ris,.nbib,.bib,.bibtex,.enw,.csv,.json,.jsonl" onChange=${(/** @type {any} */ event) => setFile(event.target.files[0] ?? null)} /></label>`
      : from === "run" ? html`${choice(S.run, run, setRun, listed.map((one) => [one.thread_id, one.metadata.title || one.thread_id]))}
        <label class="tick"><input type="checkbox" checked=${kept} onChange=${() => setKept(!kept)} /> ${S.kept}</label>`
      : choice(S.library, library, setLibrary, listed.map((one) => [one.name, `${one.name}, ${counted(one.papers, "paper")}`]))}
      <button class="main" disabled=${busy || !ready}>${busy ? S.adding : S.add}</button></div>
    <p role="status">${told && `${told.name}${told.source === told.name ? "" : ` (${S.added.same} ${told.source})`}: ${counted(told.new, "record")} ${S.added.fresh}, ${counted(told.duplicates, "duplicate")}${told.again ? `, ${counted(told.again, "record")} ${S.added.again}` : ""}.`}</p>
    ${told?.faults.length > 0 && html`<p class="small">${S.added.faults}</p><ul class="notes small dim">${told.faults.slice(0, 20).map((/** @type {string} */ text) => html`<li>${text}</li>`)}</ul>`}
    <${Problem} text=${error || unknown} /></form>`;
}
