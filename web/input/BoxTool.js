// @ts-check
import { CoordinateBounds } from "../geometry/CoordinateBounds.js";

/** Minimum width or height of a box, in points. A smaller drag draws no box. */
const least = 4;

/** Lets the user draw a box on the map: the next drag draws a box instead of moving the map. */
export class BoxTool {
  #map;
  #overlay;
  #element;
  #onDone = null;
  #start = null;

  constructor(target, map, overlay) {
    [this.#element, this.#map, this.#overlay] = [target, map, overlay];
    // Runs before the listeners of the gestures.
    target.addEventListener("pointerdown", (event) => this.#down(event), { capture: true });
    target.addEventListener("pointermove", (event) => this.#move(event), { capture: true });
    target.addEventListener("pointerup", (event) => this.#up(event), { capture: true });
    target.addEventListener("pointercancel", () => this.#finish(null), { capture: true });
    target.addEventListener("keydown", (event) => event.key === "Escape" && this.#finish(null));
  }

  /** Waits for a box. Resolves to CoordinateBounds, or to null if the user has drawn none. */
  draw() {
    this.#finish(null);
    this.#element.classList.add("boxing");
    return new Promise((resolve) => { this.#onDone = resolve; });
  }

  /** The view as a box, or null if its far side shows no ground. */
  get seen() {
    try {
      const { nearLeft, nearRight, farLeft, farRight } = this.#map.projection.visibleRegion;
      return [nearRight, farLeft, farRight].reduce(
        (box, place) => box.including(CoordinateBounds.around(place, place)), CoordinateBounds.around(nearLeft, nearLeft));
    } catch {
      // Above the horizon.
      return null;
    }
  }

  #down(event) {
    if (!this.#onDone || event.button !== 0) return;
    event.preventDefault();
    this.#element.setPointerCapture(event.pointerId);
    this.#start = this.#point(event);
  }

  #move(event) {
    if (!this.#start) return;
    this.#overlay.box = this.#box(this.#point(event)) ?? this.#overlay.box;
    this.#map.invalidate();
  }

  #up(event) {
    if (!this.#start) return;
    const end = this.#point(event);
    const isMeant = Math.abs(end.x - this.#start.x) > least && Math.abs(end.y - this.#start.y) > least;
    this.#finish(isMeant ? this.#box(end) : null);
  }

  #finish(box) {
    this.#element.classList.remove("boxing");
    this.#start = null;
    this.#onDone?.(box);
    this.#onDone = null;
  }

  #box(end) {
    try {
      const { projection } = this.#map;
      return CoordinateBounds.around(projection.coordinateAt(this.#start), projection.coordinateAt(end));
    } catch {
      // Above the horizon.
      return null;
    }
  }

  #point(event) {
    const box = this.#element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
