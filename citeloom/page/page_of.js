// The page of a paper's file on which a quote stands, as a picture with the words marked: first cut to them, then whole.
// @ts-check
import * as api from "./api.js";
import {Problem} from "./parts.js";
import {html, useEffect, useRef, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @typedef {Awaited<ReturnType<typeof api.pageOf>>} Picture */

/** How many files each library holds; asked once in a view. @type {Promise<Map<string, number>> | undefined} */
let files;
addEventListener("hashchange", () => { files = undefined; });
const holds = async (/** @type {string} */ library) => {
  files ??= api.get("/citeloom/libraries").then(({libraries}) => new Map(libraries.map((/** @type {any} */ item) => [item.name, item.documents])));
  return Boolean((await files).get(library));
};

/**
 * @param {{library: string, paper: string, quote: string, page?: number, open?: boolean, sure?: boolean}} props with `open` it draws itself;
 *   where it is not `sure` that there is a file, it says nothing if there is none
 */
export function PageOf({library, paper, quote, page, open = false, sure = true}) {
  const [shown, setShown] = useState(/** @type {Picture | null} */ (null));
  const [whole, setWhole] = useState(false);
  const [busy, setBusy] = useState(open);
  const [error, setError] = useState("");
  const [hidden, setHidden] = useState(false);
  const asked = useRef(true);
  const show = async (/** @type {boolean} */ quiet) => {
    setBusy(true);
    setError("");
    try {
      const picture = await api.pageOf(library, paper, quote, page);
      if (asked.current) setShown(picture);
      else URL.revokeObjectURL(picture.address);
    } catch (caught) {
      if (!quiet) setError(caught instanceof Error ? caught.message : String(caught));
    }
    setBusy(false);
  };
  useEffect(() => {
    asked.current = true;
    if (open || !sure) Promise.resolve(sure || holds(library)).then((has) => (has ? show(true) : setBusy(false)), () => setBusy(false));
    return () => { asked.current = false; };
  }, [library, paper, quote]);
  useEffect(() => () => { if (shown) URL.revokeObjectURL(shown.address); }, [shown]);
  if (!shown && !sure && !hidden) return null;
  if (!shown) {
    return html`<p class="page-do"><button type="button" class="tiny" disabled=${busy} onClick=${() => show(false)}>${busy ? W.page.drawing : W.page.show}</button></p>
      <${Problem} text=${error} />`;
  }
  return html`<figure class="page">
    <${Cut} picture=${shown} whole=${whole} words=${`${W.page.page} ${shown.page}: ${quote}`} />
    <figcaption><span class="where pdf">${shown.marked ? W.page.found : W.page.unmarked}, ${W.page.short} ${shown.page} ${W.page.of} ${shown.pages}</span>
      <span><button type="button" class="tiny" aria-pressed=${whole} onClick=${() => setWhole(!whole)}>${W.page.whole}</button>
      <button type="button" class="tiny" onClick=${() => (setShown(null), setHidden(true))}>${W.page.hide}</button></span></figcaption></figure>`;
}

/** The picture, or the part of it with the marked words. @param {{picture: Picture, whole: boolean, words: string}} props */
function Cut({picture, whole, words}) {
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  const cut = () => {
    const image = /** @type {HTMLImageElement | undefined} */ (frame.current?.firstElementChild);
    if (!frame.current || !image?.clientHeight) return;
    const [left, top, right] = picture.box ?? [0, 0, 1];
    frame.current.scrollTop = whole ? 0 : top * image.clientHeight - 36;
    frame.current.scrollLeft = whole ? 0 : ((left + right) / 2) * image.clientWidth - frame.current.clientWidth / 2;
  };
  useEffect(() => {
    cut();
    const watch = new ResizeObserver(cut);  // a sheet opens later than its picture is there
    if (frame.current) watch.observe(frame.current);
    return () => watch.disconnect();
  }, [whole, picture]);
  return html`<div class=${`view ${whole ? "whole" : ""}`} ref=${frame} tabindex="0" role="group" aria-label=${W.page.part}>
    <img src=${picture.address} alt=${words} onLoad=${cut} /></div>`;
}
