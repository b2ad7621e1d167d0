// @ts-check
import { cameraToward } from "../map/absence.js";
import { firstCamera } from "../map/mapRules.js";

/** Lowest zoom at which the page shows a place without a zoom. */
const placeZoom = 10;

const flight = /** @type {const} */ ({ duration: 900, curve: "easeInOut" });

/** Flights of the camera to a layer or to a place. */
export class Destinations {
  #map;
  #motion;
  #covered;

  /** `covered()` returns the points of the view's left side that a panel covers. */
  constructor(map, motion, covered) {
    [this.#map, this.#motion, this.#covered] = [map, motion, covered];
  }

  /** Shows all of a layer. */
  fit({ document }) {
    const bounds = document.bounds ?? [-180, -85, 180, 85];
    const end = firstCamera({ bounds, minzoom: document.minzoom }, this.#map.view, this.#covered());
    this.#motion.flyTo({ ...end, zoom: Math.max(end.zoom, document.minzoom ?? 0) }, flight);
  }

  /** Moves to a place with tiles of a layer. */
  goTo(layer) {
    const { camera, view, scale } = this.#map;
    this.#motion.flyTo(cameraToward(layer, camera, view, { scale, covered: this.#covered() }), flight);
  }

  /**
   * Shows a place. Keeps the bearing and the viewing angle, unless the place has its own.
   *
   * @param {import("./placeText.js").Place} place
   */
  goToPlace({ latitude, longitude, zoom, ...turned }) {
    const { camera } = this.#map;
    const { bearing = camera.bearing, viewingAngle = camera.viewingAngle } = turned;
    this.#motion.flyTo({ latitude, longitude, zoom: zoom ?? Math.max(camera.zoom, placeZoom), bearing, viewingAngle }, flight);
  }
}
