// @ts-check
import { originOf, parsed } from "../map/cacheStatus.js";
import { local } from "../text/LocalText.js";
import { button, element } from "./element.js";
import { explanationOf } from "./explanation.js";
import * as icons from "./icons.js";

/** A card with the details of one tile: its response, and with the token also the server's explanation. */
export class TileCard {
  #target;
  #server;
  #token;
  #actions;
  #focusBefore = null;
  /** @type {{ layer: import("../map/MapLayer.js").MapLayer, z: number, x: number, y: number } | null} */
  #shown = null;

  /** `actions.clear(tile)` clears the tile. The card calls `actions.closed()` when it closes. */
  constructor(target, server, token, actions) {
    [this.#target, this.#server, this.#token, this.#actions] = [target, server, token, actions];
    target.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
  }

  /** The shown tile with its layer, or null. */
  get shown() {
    return this.#shown;
  }

  /** Shows a tile of a layer. `tile` is undefined if the page has not requested it yet. */
  show(layer, { z, x, y }, tile, isFocused = false) {
    this.#shown = { layer, z, x, y };
    const name = `${z}/${x}/${y}`;
    const more = element("div", { className: "explanation", "aria-live": "polite" });
    const close = button("Close", () => this.close(), { icon: icons.close });
    this.#target.replaceChildren(
      element("header", {}, [element("h2", { text: `${layer.name} ${name}` }), close]),
      list(tile ? facts(tile) : [["Status", "not requested yet"]]),
      element("div", { className: "actions" }, [
        element("a", { href: layer.url({ z, x, y }), target: "_blank", rel: "noopener", text: "Open" }),
        button("Clear this tile", () => this.#actions.clear({ z, x, y })),
        button("Explain", () => this.#token.with(() => this.#explain(layer, { z, x, y }, more))),
      ]), more);
    this.#target.hidden = false;
    if (!isFocused) return;
    this.#focusBefore = document.activeElement;
    close.focus();
  }

  close() {
    if (!this.#shown) return;
    this.#shown = null;
    // The card also closes when the user works elsewhere, and then leaves the focus there.
    if (this.#target.contains(document.activeElement)) this.#focusBefore?.focus();
    this.#focusBefore = null;
    this.#target.hidden = true;
    this.#actions.closed();
  }

  async #explain(layer, coordinate, target) {
    try {
      const answer = await this.#server.explain(layer.id, coordinate, layer.scale);
      const sentences = explanationOf(answer, { document: layer.document });
      target.replaceChildren(
        element("ul", { className: "sentences" }, sentences.map((text) => element("li", { text }))),
        element("details", {}, [element("summary", { text: "Details" }), tree(answer)]));
    } catch (error) {
      target.replaceChildren(element("p", { className: "problem", text: error.message }));
    }
  }
}

/** Returns the details of a tile's response as [name, text]. */
function facts({ answer, kind, retryAt, ...tile }) {
  if (!answer) return [["Status", "loading"]];
  const { ttl } = parsed(answer.cacheStatus);
  const wait = kind === "failed" ? Math.max(Math.ceil((retryAt - performance.now()) / 1000), 0) : null;
  return [
    ["Status", answer.status === 0 ? "no response" : `${answer.status} ${answer.tileStatus ?? ""}`],
    ["From", originOf({ answer, kind, ...tile })?.name ?? ""], ["Cache-Status", answer.cacheStatus],
    ["Age", answer.age === null || answer.age === undefined ? null : local.duration(answer.age)],
    ["Fresh for", ttl === null || Number.isNaN(ttl) ? null : ttl < 0 ? `stale for ${local.duration(-ttl)}` : local.duration(ttl)],
    ["Time", `${local.number(answer.milliseconds)} ms`], ["Problem", answer.title], ["Code", answer.code],
    ["See", answer.code && `docs/reference/http.md#${answer.code}`],
    ["Retry in", wait === null ? null : local.duration(wait)], ["Missing layers", answer.degraded],
    ["Enlarged from zoom", answer.sourceZoom], ["Enlarged by", answer.upscaled], ["Request", answer.requestId],
  ].filter(([, text]) => text !== null && text !== undefined && text !== "");
}

function list(entries) {
  return element("dl", {}, entries.flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })]));
}

/** Returns a JSON value as nested lists. */
function tree(value) {
  if (value === null) return element("span", { text: "none" });
  // The server's value for "no bound".
  if (value > Number.MAX_SAFE_INTEGER) return element("span", { text: "no limit" });
  if (typeof value !== "object") return element("span", { text: String(value) });
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return element("span", { text: value.join(", ") });
  return element("dl", {}, Object.entries(value).flatMap(([name, part]) => [
    element("dt", { text: name }), element("dd", {}, [tree(part)]),
  ]));
}
