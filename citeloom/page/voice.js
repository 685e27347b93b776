// Questions by voice and answers read aloud, on the server's own machine, where it has what that takes.
// @ts-check
import * as api from "./api.js";
import {useLoaded} from "./parts.js";
import {Icon} from "./shapes.js";
import {html, useRef, useState} from "./vendor/preact.js";
import {W} from "./words.js";

/** Whether the server hears and speaks. @returns {{hears: boolean, speaks: boolean}} */
export function useSpeech() {
  const [found] = useLoaded(() => api.get("/citeloom/speech").catch(() => null), []);
  return found ?? {hears: false, speaks: false};
}

/** A button that takes down what is said until it is pressed again. @param {{take: (text: string) => void, fail: (text: string) => void}} props */
export function Listen({take, fail}) {
  const [state, setState] = useState(/** @type {"" | "listening" | "reading"} */ (""));
  const recorder = useRef(/** @type {MediaRecorder | null} */ (null));
  const told = (/** @type {unknown} */ caught) => {
    setState("");
    fail(caught instanceof Error ? caught.message : String(caught));
  };
  const begin = async () => {
    fail("");
    try {
      const stream = await navigator.mediaDevices.getUserMedia({audio: true});
      const parts = /** @type {Blob[]} */ ([]);
      const made = recorder.current = new MediaRecorder(stream);
      made.ondataavailable = (event) => parts.push(event.data);
      made.onstop = async () => {
        for (const track of stream.getTracks()) track.stop();
        setState("reading");
        try {
          take(await api.heard(new Blob(parts)));
          setState("");
        } catch (caught) {
          told(caught);
        }
      };
      made.start();
      setState("listening");
    } catch (caught) {
      told(caught);
    }
  };
  return html`<button type="button" disabled=${state === "reading"} aria-pressed=${state === "listening"}
    onClick=${() => (state === "listening" ? recorder.current?.stop() : begin())}><${Icon} name="microphone" kind=${state === "listening" ? "hears" : ""} />
    ${state === "listening" ? W.voice.stop : state === "reading" ? W.voice.reading : W.voice.listen}</button>`;
}

/** A button that reads a text aloud. @param {{text: string, fail: (text: string) => void}} props */
export function Speak({text, fail}) {
  const [busy, setBusy] = useState(false);
  const speak = async () => {
    setBusy(true);
    try {
      await new Audio(await api.spoken(text)).play();
    } catch (caught) {
      fail(caught instanceof Error ? caught.message : String(caught));
    }
    setBusy(false);
  };
  return html`<button type="button" class="quiet tiny" disabled=${busy} onClick=${speak}><${Icon} name="sound" />${W.voice.speak}</button>`;
}
