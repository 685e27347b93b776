// The page of a paper's file on which a quote stands, as a picture with the words marked.
// @ts-check
import * as api from "./api.js";
import {Problem, useAction} from "./parts.js";
import {html, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** @param {{library: string, paper: string, quote: string, page?: number}} props */
export function PageOf({library, paper, quote, page}) {
  const [shown, setShown] = useState(/** @type {Awaited<ReturnType<typeof api.pageOf>> | null} */ (null));
  const [show, busy, error] = useAction(async () => setShown(await api.pageOf(library, paper, quote, page)));
  const hide = () => {
    if (shown) URL.revokeObjectURL(shown.address);
    setShown(null);
  };
  return html`<div class="page">
    <button type="button" class="small" disabled=${busy} aria-expanded=${Boolean(shown)} onClick=${shown ? hide : () => show()}>
      ${busy ? W.page.drawing : shown ? W.page.hide : W.page.show}</button>
    <${Problem} text=${error} />
    ${shown && html`<figure>
      <img src=${shown.address} alt=${`${W.page.page} ${shown.page}: ${quote}`} />
      <figcaption class="dim">${W.page.page} ${shown.page} / ${shown.pages}${shown.marked ? "" : ` · ${W.page.unmarked}`}</figcaption>
    </figure>`}</div>`;
}
