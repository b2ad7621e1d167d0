// @ts-check
import { aside } from "../map/mapRules.js";
import { copyButton } from "./copyButton.js";
import { button, element } from "./element.js";

/**
 * The panel's part for a box on the map. The user draws the box or takes the view. The box is fitted into the view,
 * copied, or passed to the caller of `ask`.
 */
export class BoxPanel {
  content = element("details", {}, [element("summary", { text: "Box" })]);
  #map;
  #motion;
  #tool;
  #overlay;
  #text = element("code", { tabIndex: 0, "aria-label": "Box", text: "none" });
  #actions;

  /** `covered()` returns the points of the view's left side that a panel covers. */
  constructor(map, motion, tool, overlay, covered) {
    [this.#map, this.#motion, this.#tool, this.#overlay] = [map, motion, tool, overlay];
    const fit = button("Fit into the view", () => this.#motion.flyTo(map.view.fitted(this.box, aside(covered())), { duration: 600 }));
    const forget = button("Remove", () => this.#take(null));
    const copy = copyButton(() => this.#text.textContent, "the box");
    this.#actions = element("div", { className: "actions", hidden: true }, [fit, copy, forget]);
    this.content.append(
      element("p", { className: "hint", text: "West, south, east, north in degrees." }),
      element("div", { className: "actions" }, [
        button("Draw a box", async () => this.#take(await this.#tool.draw())),
        button("Use the view", () => this.#take(this.#tool.seen)),
      ]),
      this.#text, this.#actions);
  }

  /** CoordinateBounds, or null. */
  get box() {
    return this.#overlay.box;
  }

  /** Opens this part and lets the user draw a box. */
  async ask() {
    this.#take(await this.#tool.draw());
    return this.box;
  }

  #take(box) {
    this.#overlay.box = box;
    const edges = box && [box.longitudes.west, box.south, box.longitudes.east, box.north];
    this.#text.textContent = box ? edges.map((edge) => Number(edge.toFixed(6))).join(",") : "none";
    this.#actions.hidden = box === null;
    this.#map.invalidate();
  }
}
