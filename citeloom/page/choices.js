// What a person has said of a run: of its papers, and by columns of the comparison. The server's store keeps it.
// @ts-check
import * as api from "./api.js";
import {useEffect, useRef, useState} from "./vendor/preact.js";

/** @typedef {{drop?: boolean, must?: boolean, add?: boolean, note?: string, named?: string, record?: any}} Choice a paper that no search found is `named`, or a `record` */

/**
 * @param {string} thread
 * @returns {[Record<string, Choice>, (id: string, choice: Choice) => void, string]} the choices, what adds one, and what went wrong
 */
export function useChoices(thread) {
  const [choices, put, error] = useKept(thread, "papers", /** @type {Record<string, Choice>} */ ({}));
  return [choices, (id, choice) => put((before) => ({...before, [id]: {...before[id], ...choice}})), error];
}

/**
 * A value that the server keeps beside a run, so that it is there in every browser.
 * @template T
 * @param {string} thread
 * @param {import("./api.js").Kept} name
 * @param {T} initial
 * @returns {[T, (change: (before: T) => T) => void, string]}
 */
export function useKept(thread, name, initial) {
  const [value, setValue] = useState(initial);
  const [error, setError] = useState("");
  const now = useRef({value: initial, saved: initial, saving: false});
  const fail = (/** @type {unknown} */ caught) => setError(caught instanceof Error ? caught.message : String(caught));
  // One after the other, so that the last word is the last one kept.
  const save = async () => {
    const held = now.current;
    if (held.saving) return;
    held.saving = true;
    try {
      while (held.saved !== held.value) {
        const sent = held.value;
        await api.keep(thread, name, sent);
        held.saved = sent;
      }
      setError("");
    } catch (caught) {
      fail(caught);
    }
    held.saving = false;
  };
  useEffect(() => {
    api.kept(thread, name).then((found) => {
      if (!found || now.current.value !== initial) return;
      now.current.value = now.current.saved = found;
      setValue(found);
    }).catch(fail);
  }, [thread, name]);
  const put = (/** @type {(before: T) => T} */ change) => {
    now.current.value = change(now.current.value);
    setValue(now.current.value);
    save();
  };
  return [value, put, error];
}

/** Nothing of what a person may say of a paper but notes. */
export const UNSAID = {drop: false, must: false, add: false, named: "", record: null};

/**
 * The papers that a section is to be written of: in a person's order, or those that must be cited first.
 * @param {any[]} papers @param {Record<string, Choice>} choices @param {string[]} [order] ids
 */
export function chosen(papers, choices, order = []) {
  const kept = papers.filter((item) => {
    const {drop, must, add} = choices[item.paper.id] ?? {};
    return must || add || (item.selected && !drop);
  });
  const place = (/** @type {any} */ item) => (order.includes(item.paper.id) ? order.indexOf(item.paper.id) : order.length);
  const must = (/** @type {any} */ item) => Number(Boolean(choices[item.paper.id]?.must));
  return kept.toSorted((a, b) => (order.length ? place(a) - place(b) : must(b) - must(a)));
}

/** Papers that a person added: records, or what names them. @param {Record<string, Choice>} choices */
export const added = (choices) => Object.entries(choices).filter(([, choice]) => choice.add && (choice.named || choice.record))
  .map(([id, choice]) => ({id, title: choice.record?.title ?? choice.named ?? id, given: choice.record ?? choice.named}));
