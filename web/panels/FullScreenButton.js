// @ts-check
import { button } from "./element.js";
import * as icons from "./icons.js";

/** A button that shows the page in the full screen. It is hidden in a browser that cannot, such as that of an iPhone. */
export class FullScreenButton {
  content = button("Full screen", () => this.#toggle(), { icon: icons.fit, "aria-pressed": "false" });

  constructor() {
    this.content.hidden = !document.fullscreenEnabled;
    document.addEventListener("fullscreenchange", () => {
      this.content.setAttribute("aria-pressed", String(document.fullscreenElement !== null));
    });
  }

  async #toggle() {
    try {
      await (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
    } catch {
      // The user or the browser has refused.
    }
  }
}
