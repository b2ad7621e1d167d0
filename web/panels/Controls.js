// @ts-check
import { northUp } from "../input/keyboard.js";
import { button } from "./element.js";
import * as icons from "./icons.js";

/** The buttons beside the map: zoom in, zoom out, north up, tilt, and others. */
export class Controls {
  #compass;
  #tilt;
  #map;

  /**
   * @param {HTMLElement} target
   * @param {import("../map/MapCanvas.js").MapCanvas} map
   * @param {import("../input/CameraMotion.js").CameraMotion} motion
   * @param {HTMLElement[]} others
   */
  constructor(target, map, motion, ...others) {
    this.#map = map;
    const zoom = (delta) => motion.zoomAt(delta, map.projection.center);
    this.#compass = button("North up", () => motion.flyTo(northUp(motion.goal)), { icon: icons.compass });
    this.#compass.classList.add("compass");
    this.#tilt = button("Tilt", () => motion.flyTo({ ...motion.goal, viewingAngle: this.#nextAngle() }), { icon: icons.tilt });
    this.#tilt.hidden = !map.canTilt;
    target.append(
      button("Closer", () => zoom(1), { icon: icons.plus }), button("Farther", () => zoom(-1), { icon: icons.minus }),
      this.#compass, this.#tilt, ...others);
    map.addEventListener("move", () => this.#show());
    this.#show();
  }

  #nextAngle() {
    const limit = this.#map.view.rules.viewingAngleLimit.angleAt(this.#map.camera.zoom);
    return this.#map.camera.viewingAngle > 0 ? 0 : Math.min(limit, 50);
  }

  #show() {
    const { bearing, viewingAngle } = this.#map.camera;
    const needle = /** @type {SVGElement} */ (this.#compass.firstElementChild);
    needle.style.transform = `rotate(${-bearing}deg)`;
    this.#compass.classList.toggle("turned", bearing !== 0 || viewingAngle !== 0);
    this.#tilt.setAttribute("aria-pressed", String(viewingAngle > 0));
  }
}
