// A long list of which only what is seen is drawn; rows may be of any height.
// @ts-check
import {html, useEffect, useRef, useState} from "./vendor/preact.js";

/** Lists up to here are drawn whole. */
const WHOLE = 60;

/**
 * @param {{items: any[], id: (item: any) => string, height: number, draw: (item: any, place: number) => any, label: string, kind?: string}} props `height` is that of a row not seen yet
 */
export function Long({items, id, height, draw, label, kind = "long"}) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const heights = useRef(/** @type {Map<string, number>} */ (new Map()));
  const [[from, to], setSeen] = useState(/** @type {number[]} */ ([0, 20]));
  const whole = items.length <= WHOLE;
  const of = (/** @type {any} */ item) => heights.current.get(id(item)) ?? height;
  useEffect(() => {
    const look = () => {
      if (whole || !place.current) return;
      const top = place.current.getBoundingClientRect().top;
      let [at, first, last] = [top, -1, items.length];
      for (let row = 0; row < items.length; row += 1) {
        const below = at + of(items[row]);
        if (first < 0 && below > -innerHeight) first = row;
        if (at > 2 * innerHeight) {
          last = row;
          break;
        }
        at = below;
      }
      const seen = [first < 0 ? Math.max(0, items.length - 20) : first, last];
      setSeen((/** @type {number[]} */ now) => (now[0] === seen[0] && now[1] === seen[1] ? now : seen));
    };
    look();
    addEventListener("scroll", look, {passive: true});
    addEventListener("resize", look);
    return () => (removeEventListener("scroll", look), removeEventListener("resize", look));
  }, [items]);
  const [first, last] = whole ? [0, items.length] : [Math.min(from, items.length), Math.min(to, items.length)];
  useEffect(() => {
    [...(place.current?.children ?? [])].forEach((row, at) => {
      if (items[first + at]) heights.current.set(id(items[first + at]), /** @type {HTMLElement} */ (row).offsetHeight);
    });
  });
  const room = (/** @type {any[]} */ some) => `${some.reduce((sum, item) => sum + of(item), 0)}px`;
  return html`<ol class=${kind} ref=${place} aria-label=${label} style=${whole ? {} : {paddingBlockStart: room(items.slice(0, first)), paddingBlockEnd: room(items.slice(last))}}>
    ${items.slice(first, last).map((item, at) => draw(item, first + at))}</ol>`;
}
