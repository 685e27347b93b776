// Components that every view is built from: chips, folds, notes, quotes, a panel that is a sheet on the phone.
// @ts-check
import {Icon} from "./shapes.js";
import {html, useEffect, useRef, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** A filter or a toggle; without `toggle` only a label. @param {{pressed?: boolean, toggle?: () => void, children?: any}} props */
export const Chip = ({pressed, toggle, children}) => (toggle
  ? html`<button type="button" class="chip" aria-pressed=${Boolean(pressed)} onClick=${toggle}>${children}</button>`
  : html`<span class="chip">${children}</span>`);

/** One of a few. @param {{label: string, options: Record<string, string>, value: string, choose: (name: string) => void}} props */
export const Segment = ({label, options, value, choose}) => html`<div class="segment" role="group" aria-label=${label}>
  ${Object.entries(options).map(([name, words]) => html`<button type="button" aria-pressed=${name === value} onClick=${() => choose(name)}>${words}</button>`)}</div>`;

/** What opens on demand. @param {{summary: any, open?: boolean, kind?: string, children?: any}} props */
export const Fold = ({summary, open = false, kind = "", children}) => html`<details class=${kind} open=${open}>
  <summary><${Icon} name="right" size=${12} kind="turn" />${summary}</summary>${children}</details>`;

/** A remark in the flow: "" neutral, "warn", "ask". @param {{kind?: string, icon?: string, children?: any}} props */
export const Note = ({kind = "", icon, children}) =>
  html`<div class=${`note ${kind}`}>${icon && html`<${Icon} name=${icon} />`}<div>${children}</div></div>`;

/** A summary in place of an abstract, which is never shown as its paper's words. @param {any} quote */
export const isAnnotation = (quote) => quote.part === "annotation";

/**
 * Words of a source, whose they are and where they stand. An annotation looks unlike a paper's words.
 * @param {{quote: any, context?: string, where?: any, told?: boolean, children?: any}} props `context` is the passage around the quote, `where` its page and
 *   section; `told` where it says above that annotations are none of the papers' words
 */
export function Quote({quote, context = "", where, told = false, children}) {
  const noted = isAnnotation(quote);
  const at = context.slice(quote.start, quote.end) === quote.text ? quote.start : context.indexOf(quote.text);
  const words = context && at >= 0
    ? html`${context.slice(0, at)}<mark>${quote.text}</mark>${context.slice(at + quote.text.length)}` : quote.text;
  return html`<figure class="quote"><blockquote class=${noted ? "noted" : ""} dir="auto">${noted ? words : html`“${words}”`}</blockquote>
    <figcaption class=${told && noted && quote.verified !== false && !where ? "hide" : "from"}><span class=${`where ${noted ? "annotation" : "own"}`}>${quote.verified === false ? W.quote.unverified : noted ? W.papers.annotation : `${W.quote.from} ${quote.words_of ?? quote.part}`}</span>
      ${where && html`<span dir="auto">${where}</span>`}${children}</figcaption></figure>`;
}

/** A button with a box below it, closed by Esc, a click elsewhere, or a link in it. @param {{label: any, children?: any}} props */
export function Pop({label, children}) {
  const [open, setOpen] = useState(false);
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (!open) return;
    const away = (/** @type {any} */ event) => {
      if (event.type === "keydown" ? event.key === "Escape" : !place.current?.contains(event.target)) setOpen(false);
    };
    addEventListener("click", away);
    addEventListener("keydown", away);
    return () => (removeEventListener("click", away), removeEventListener("keydown", away));
  }, [open]);
  return html`<div class="pop" ref=${place}>
    <button type="button" aria-expanded=${open} onClick=${() => setOpen(!open)}>${label} <${Icon} name="down" size=${12} /></button>
    ${open && html`<div class="menu-box" onClick=${(/** @type {any} */ event) => event.target.closest("a") && setOpen(false)}>${children}</div>`}</div>`;
}

/**
 * A card beside the content; on a narrow window a sheet from below, at most 62 % high, that closes and gives the focus back.
 * @param {{label: string, title: any, open: boolean, close: () => void, tools?: any, foot?: any, shut?: boolean, children?: any}} props
 *   `shut` lets it be closed on a wide window, too
 */
export function Panel({label, title, open, close, tools, foot, shut = false, children}) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const before = useRef(/** @type {any} */ (null));
  useEffect(() => {
    document.body.classList.toggle("sheeted", open);
    if (open) before.current = document.activeElement;
    return () => document.body.classList.remove("sheeted");
  }, [open]);
  useEffect(() => {
    // It ends at the window's edge, wherever the page is scrolled to.
    const fit = () => {
      const box = place.current;
      if (box) box.style.maxBlockSize = matchMedia("(max-width: 60rem)").matches ? "" : `${innerHeight - Math.max(16, box.getBoundingClientRect().top) - 16}px`;
    };
    fit();
    addEventListener("scroll", fit, {passive: true});
    addEventListener("resize", fit);
    return () => (removeEventListener("scroll", fit), removeEventListener("resize", fit));
  }, []);
  const leave = () => {
    close();
    before.current?.focus?.({preventScroll: true});
  };
  const press = (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") leave(); };
  return html`<aside class=${`panel ${open ? "open" : ""} ${shut ? "shut" : ""}`} aria-label=${label} ref=${place} onKeyDown=${press}>
    <div class="handle" aria-hidden="true"></div>
    <div class="panel-top"><h2>${title}</h2><div class="panel-nav">${tools}
      <button type="button" class="quiet icon tiny panel-close" aria-label=${W.close} onClick=${leave}><${Icon} name="close" size=${14} /></button></div></div>
    <div class="panel-body" role="status" tabindex="0">${children}</div>
    ${foot && html`<div class="panel-do">${foot}</div>`}
  </aside>`;
}

/** What a change will redo, with what it takes, at the bottom of a view. @param {{label: string, children?: any, actions?: any}} props */
export const ApplyBar = ({label, children, actions}) => html`<section class="apply" aria-label=${label}><p role="status">${children}</p><div>${actions}</div></section>`;
