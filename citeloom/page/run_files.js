// The files of a run.
// @ts-check
import * as api from "./api.js";
import {Nothing, Problem, useAction, useLoaded} from "./parts.js";
import {html, useState} from "./vendor/preact.js";
import {counted, W} from "./words.js";

/** @param {{run: import("./run.js").Run}} props */
export function Take({run}) {
  const rests = !["working", "loading"].includes(run.status);
  const [found, error] = useLoaded(
    async () => (rests ? api.get(`/citeloom/runs/${run.thread}/files`) : {files: {}}), [run.thread, rests],
  );
  const [took, setTook] = useState(0);
  const [save, busy, failed] = useAction((/** @type {string} */ name) => api.save(run.thread, name));
  const [send, sending, refused] = useAction(async () => setTook((await api.post(`/citeloom/runs/${run.thread}/zotero`, {})).taken));
  const files = Object.entries(found?.files ?? {});
  if (!files.length && !error) return html`<${Nothing}>${W.take.none}<//>`;
  return html`<h2>${W.take.title}</h2>
    <${Problem} text=${error || failed} />
    <ul class="files">${files.map(([name, what]) => html`<li>
      <button disabled=${busy} onClick=${() => save(name)} aria-label=${`${W.take.save} ${name}`}>${W.take.save}</button>
      <span><strong>${name.split("/").at(-1)}</strong><span class="dim"> ${what}</span></span></li>`)}</ul>
    ${found?.files?.["files/references.ris"] && html`<p><button disabled=${sending} onClick=${() => send()}>${sending ? W.take.sending : W.take.zotero}</button>
      <span role="status"> ${took ? `${W.take.took} ${counted(took, "reference")}.` : ""}</span></p>
    <${Problem} text=${refused} />
    <p class="hint">${W.take.zoteroHint}</p>`}`;
}
