// What a person has said of the papers of a run, kept in this browser.
// @ts-check
import {useState} from "./vendor/preact.js";

/** @typedef {{drop?: boolean, must?: boolean, add?: boolean, note?: string}} Choice */

/**
 * @param {string} thread
 * @returns {[Record<string, Choice>, (id: string, choice: Choice) => void]}
 */
export function useChoices(thread) {
  const [choices, put] = useKept(`citeloom-papers-${thread}`, /** @type {Record<string, Choice>} */ ({}));
  return [choices, (id, choice) => put({...choices, [id]: {...choices[id], ...choice}})];
}

/**
 * A value that this browser keeps.
 * @template T
 * @param {string} name
 * @param {T} initial
 * @returns {[T, (value: T) => void]}
 */
export function useKept(name, initial) {
  const [value, setValue] = useState(() => /** @type {T} */ (JSON.parse(localStorage.getItem(name) ?? "null") ?? initial));
  const put = (/** @type {T} */ next) => {
    setValue(next);
    localStorage.setItem(name, JSON.stringify(next));
  };
  return [value, put];
}

/** The papers that a section is to be written of, those that must be cited first. @param {any[]} papers @param {Record<string, Choice>} choices */
export function chosen(papers, choices) {
  const kept = papers.filter((item) => {
    const {drop, must, add} = choices[item.paper.id] ?? {};
    return must || add || (item.selected && !drop);
  });
  return kept.toSorted((a, b) => Number(Boolean(choices[b.paper.id]?.must)) - Number(Boolean(choices[a.paper.id]?.must)));
}
