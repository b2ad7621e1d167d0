// @ts-check
import { isServerFailure, outagesOf, outageText, retryText } from "../map/outage.js";
import { button, element } from "./element.js";

/** Milliseconds for which an outage must last before the bar says so, and milliseconds between counts. */
const [delay, pace] = [400, 1000];

/**
 * The bar on the map that says which tiles are away, since when, and when the page tries again. It is empty and unseen
 * without an outage.
 *
 * Only the sentence is a status. A screen reader would announce each second of a count in the status.
 */
export class OutageBar {
  #map;
  #stack;
  /** @type {import("../map/outage.js").Outage[]} */
  #outages = [];
  #sentence = element("p", { role: "status" });
  #count = element("span", { className: "hint" });
  #more = element("p", { className: "line", hidden: true }, [this.#count, button("Try now", () => this.#retry(), { className: "small" })]);
  #target;
  #timer = 0;

  /**
   * @param {HTMLElement} target
   * @param {import("../map/MapCanvas.js").MapCanvas} map
   * @param {import("../map/LayerStack.js").LayerStack} stack
   */
  constructor(target, map, stack) {
    [this.#target, this.#map, this.#stack] = [target, map, stack];
    target.append(this.#sentence, this.#more);
    map.addEventListener("frame", (/** @type {import("../Viewer.js").FrameEvent} */ { detail }) => this.#take(detail.plans));
    map.addEventListener("tile", (/** @type {import("../Viewer.js").TileEvent} */ { detail }) => this.#hear(detail.tile?.answer));
    for (const name of ["online", "offline"]) addEventListener(name, () => this.#retry());
    this.#show();
  }

  #take(plans) {
    this.#outages = outagesOf(plans, this.#outages, Date.now());
    const isKnown = this.#timer !== 0;
    if (this.#outages.length === 0) {
      clearTimeout(this.#timer);
      this.#timer = 0;
      this.#show();
    } else if (!isKnown) {
      this.#timer = setTimeout(() => this.#tick(), delay);
    } else if (!this.#more.hidden) {
      this.#show();
    }
  }

  #tick() {
    this.#show();
    this.#timer = setTimeout(() => this.#tick(), pace);
  }

  /** Requests the tiles again that failed with the server's connection as soon as the server answers. */
  #hear(answer) {
    if (!answer || isServerFailure(answer) || !this.#outages.some(({ lack }) => lack === "server")) return;
    this.#retry((tile) => isServerFailure(tile.answer));
  }

  #retry(isMeant = (tile) => tile.failures > 0) {
    for (const layer of this.#stack.entries.values()) layer.tiles.retry(isMeant);
    this.#map.invalidate();
  }

  #show() {
    const text = outageText(this.#outages, { isOnline: navigator.onLine });
    // A text that stays the same must not be announced again.
    if (this.#sentence.textContent !== text) this.#sentence.textContent = text;
    this.#target.classList.toggle("shown", text !== "");
    this.#count.textContent = retryText(this.#map.retryAt, performance.now());
    this.#more.hidden = this.#count.textContent === "";
  }
}
