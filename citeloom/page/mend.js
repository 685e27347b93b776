// The mended text: what a person gave, with the fixes that they chose put in place.
// @ts-check

/** A change of a given text: words of it, and what stands there instead. @typedef {{from: string, to: string}} Fix */

/** Where words stand in a text, with other spaces and line breaks between them. @param {string} text @param {string} words @returns {[number, number] | null} */
function place(text, words) {
  const exact = text.indexOf(words);
  if (exact >= 0) return [exact, exact + words.length];
  const pattern = words.trim().split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const found = pattern ? new RegExp(pattern).exec(text) : null;
  return found ? [found.index, found.index + found[0].length] : null;
}

/** Whether a fix can be made by itself. @param {string} text @param {Fix} fix */
export const fits = (text, {from}) => place(text, from) !== null;

/** The text with these fixes, each at the first place of its words. @param {string} text @param {Fix[]} fixes */
export function mended(text, fixes) {
  let now = text;
  for (const {from, to} of fixes) {
    const at = place(now, from);
    if (!at) continue;
    const [start, end] = at;
    const gap = to === "" && /[ \t]/.test(now[end] ?? "") ? 1 : 0;
    now = now.slice(0, start) + to + now.slice(end + gap);
  }
  return now;
}

/** A reference with its wrong details put right, or "" where they do not stand in it as they were read. @param {string} printed @param {{stated: string, right: string}[]} wrong */
export function corrected(printed, wrong) {
  const possible = wrong.every(({stated, right}) => stated && right && printed.includes(stated));
  return possible && wrong.length ? wrong.reduce((text, {stated, right}) => text.replace(stated, () => right), printed) : "";
}

/** Save a text or what a file holds. @param {string} name @param {string | Blob} content */
export function download(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(typeof content === "string" ? new Blob([content], {type: "text/plain;charset=utf-8"}) : content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
