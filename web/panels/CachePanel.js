// @ts-check
import { origins } from "../map/cacheStatus.js";
import { local } from "../text/LocalText.js";
import { button, element, field } from "./element.js";

/** The cache tab: the origins of tiles, their grid, and clears. */
export class CachePanel {
  content = element("div", { className: "cache" });
  #stack;
  #overlay;
  #map;
  #choice = element("select", { onchange: () => this.#choose() });
  #soft = element("input", { type: "checkbox" });
  #note = element("p", { className: "hint", role: "status" });
  #log = element("ol", { className: "log" });
  #server;
  #token;

  /** `boxes` is the BoxPanel, `token` the TokenForm. */
  constructor(map, stack, overlay, server, token, boxes) {
    this.boxes = boxes;
    [this.#map, this.#stack, this.#overlay, this.#server, this.#token] = [map, stack, overlay, server, token];
    this.content.append(
      field("Layer", this.#choice),
      this.#toggle("Grid with z/x/y", "hasGrid"), this.#toggle("Origin of tiles", "hasOrigins"), legend(),
      element("p", { className: "hint", text: "Click the map for details of a tile, or press Enter on it for the tile in the middle." }),
      element("h3", { text: "Clear" }),
      element("div", { className: "actions" }, [
        button("All tiles of the layer", () => this.clear({})), button("Tiles in a box …", () => this.#clearBox()),
      ]),
      element("label", { className: "check" }, [this.#soft, element("span", { text: "Mark as stale only" })]),
      token.content, this.#note, element("h3", { text: "Events" }), this.#log);
    stack.addEventListener("change", () => this.#showChoice());
    this.#showChoice();
  }

  /** Clears `part` of the chosen layer. `part` is as in `Server.clear`. */
  clear(part) {
    const layer = this.#overlay.layer;
    if (!layer) return;
    this.#token.with(async () => {
      this.#note.textContent = "The server clears …";
      try {
        const isSoft = this.#soft.checked;
        const { entries } = await this.#server.clear(layer.id, { ...part, isSoft });
        const tiles = `${local.number(entries)} ${entries === 1 ? "tile" : "tiles"} of ${layer.name}`;
        this.#note.textContent = `${tiles} ${isSoft ? "marked as stale" : "cleared"}.`;
      } catch (error) {
        this.#note.textContent = error.message;
      }
    });
  }

  /** Notes an event of the server, and the number of this page's tiles that it affects. */
  note(text) {
    this.#log.prepend(element("li", { text: `${local.moment(Date.now())} ${text}` }));
    while (this.#log.children.length > 20) this.#log.lastChild.remove();
  }

  async #clearBox() {
    this.#note.textContent = this.boxes.box ? "" : "Drag a box on the map. Without a mouse, use Camera, Box.";
    const box = this.boxes.box ?? (await this.boxes.ask());
    this.#note.textContent = "";
    if (box) this.clear({ box });
  }

  #toggle(text, property) {
    const check = element("input", {
      type: "checkbox", onchange: () => {
        this.#overlay[property] = check.checked;
        this.#map.invalidate();
      },
    });
    return element("label", { className: "check" }, [check, element("span", { text })]);
  }

  /** Shows the shown layers, from the top down. The choice stays while its layer exists. */
  #showChoice() {
    const shown = [...this.#stack.shown].reverse();
    if (!shown.includes(this.#overlay.layer)) this.#overlay.layer = shown[0] ?? null;
    this.#choice.replaceChildren(...shown.map((layer) => element("option", { value: layer.id, text: layer.name })));
    this.#choice.value = this.#overlay.layer?.id ?? "";
    this.#map.invalidate();
  }

  #choose() {
    this.#overlay.layer = this.#stack.entries.get(this.#choice.value) ?? null;
    this.#map.invalidate();
  }
}

function legend() {
  return element("ul", { className: "legend" }, origins.map(({ name, color }) => {
    const swatch = element("span", { className: "swatch" });
    swatch.style.backgroundColor = color;
    return element("li", {}, [swatch, element("span", { text: name })]);
  }));
}
