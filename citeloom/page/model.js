// Whether a model is connected; asked once, for every view.
// @ts-check
import * as api from "./api.js";
import {useEffect, useState} from "./vendor/preact.js";

/** @type {Promise<boolean | null> | undefined} */
let asked;

/** True with a model, false without one, null until the server has answered. @returns {boolean | null} */
export function useModel() {
  const [model, setModel] = useState(/** @type {boolean | null} */ (null));
  useEffect(() => {
    asked ??= api.get("/citeloom/ready").then(
      (ready) => ready.parts?.find((/** @type {any} */ part) => part.name === "llm")?.state === "ready",
      () => ((asked = undefined), null),
    );
    asked.then(setModel);
  }, []);
  return model;
}
