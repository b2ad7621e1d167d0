// @ts-check
import { zoomed } from "./CameraMotion.js";

/** Points of a line and of a page, for mice that report lines or pages. */
const [linePoints, pagePoints] = [20, 400];
/** Points for one zoom of a wheel and of a trackpad, and the milliseconds of smoothing. */
const [zoomPoints, pinchPoints, smoothing] = [300, 100, 60];

/**
 * Returns the number of zooms for a wheel event. A pinch on a trackpad arrives as wheel events with Ctrl, in small
 * steps.
 */
export function wheelZoom({ deltaY, deltaMode, ctrlKey }) {
  const points = deltaY * [1, linePoints, pagePoints][deltaMode];
  const zoom = -points / (ctrlKey ? pinchPoints : zoomPoints);
  return Math.min(Math.max(zoom, -1), 1);
}

/** Zooms a map smoothly with the wheel, at the pointer. */
export class WheelZoom {
  #map;
  #motion;
  #left = 0;

  constructor(element, map, motion) {
    this.#map = map;
    this.#motion = motion;
    element.addEventListener("wheel", (event) => this.#turn(event, element), { passive: false });
  }

  #turn(event, element) {
    event.preventDefault();
    const box = element.getBoundingClientRect();
    const point = { x: event.clientX - box.left, y: event.clientY - box.top };
    this.#left += wheelZoom(event);
    this.#motion.drive((elapsed) => {
      const part = this.#left * (1 - Math.exp(-elapsed / smoothing));
      const step = Math.abs(this.#left) < 0.002 ? this.#left : part;
      this.#left -= step;
      this.#map.camera = zoomed(this.#map.view, this.#map.camera, step, point);
      return this.#left !== 0;
    });
  }
}
