// @ts-check
import { hasTile, tileAt } from "../map/tileAt.js";

/** @typedef {import("../Viewer.js").FrameEvent} FrameEvent */

/** The tile whose card is open: opens the card for a point of the view, and closes it when the view has lost the tile. */
export class ChosenTile {
  #map;
  #overlay;
  #card;
  #isWanted;
  /** @type {FrameEvent["detail"] | null} */
  #plans = null;

  /** `isWanted()` says whether users want cards now: users without the tab Cache click the map for other reasons. */
  constructor(map, overlay, card, isWanted) {
    [this.#map, this.#overlay, this.#card, this.#isWanted] = [map, overlay, card, isWanted];
  }

  /** Shows the card of the chosen layer's tile at a point of the view. */
  show(point, isFocused = false) {
    if (!this.#isWanted()) return undefined;
    const { layer } = this.#overlay;
    const plan = this.#plans?.plans.find((each) => each.layer === layer)?.plan;
    const coordinate = plan && tileAt(this.#plans.ground, plan, point);
    if (!coordinate) return this.#card.close();
    this.#overlay.selected = coordinate;
    this.#card.show(layer, coordinate, layer.tiles.get(coordinate), isFocused);
    return this.#map.invalidate();
  }

  /** Closes the card when a frame does not show its tile any more, or when the user has chosen another layer. */
  follow(plans) {
    this.#plans = plans;
    const { shown } = this.#card;
    if (!shown) return;
    const plan = plans.plans.find(({ layer }) => layer === shown.layer)?.plan;
    if (shown.layer !== this.#overlay.layer || !hasTile(plan, shown)) this.#card.close();
  }
}
