// Letters as keys: they do nothing while one types, and can be switched off.
// @ts-check
import {html, useEffect, useRef, useState} from "./vendor/preact.js";
import {W} from "./words.js";

const KEPT = "citeloom-letters";
const on = () => localStorage.getItem(KEPT) !== "off";

/** What keys do while a view is shown. @param {Record<string, () => void>} keys */
export function useKeys(keys) {
  const now = useRef(keys);
  now.current = keys;
  useEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      const place = /** @type {HTMLElement} */ (event.target);
      if (event.ctrlKey || event.metaKey || event.altKey || place.matches?.("input, select, textarea")) return;
      if (event.key.length === 1 && !on()) return;
      now.current[event.key]?.();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

/** Whether letters work as keys. @param {{children?: any}} props what they do */
export function Letters({children}) {
  const [used, setUsed] = useState(on());
  const change = (/** @type {any} */ event) => {
    localStorage.setItem(KEPT, event.target.checked ? "on" : "off");
    setUsed(event.target.checked);
  };
  return html`<label class="letters small dim"><input type="checkbox" checked=${used} onChange=${change} /> ${W.keys} ${children}</label>`;
}
