// @ts-check
import { short } from "../input/hash.js";
import { scaleBar } from "../input/scaleBar.js";
import { showAttributions } from "./attribution.js";

/** Milliseconds at rest after which a screen reader announces the camera. */
const delay = 1000;

/**
 * The line below the map, with the scale and the attributions of the shown layers. It also announces the camera to
 * screen readers.
 */
export class Footer {
  #timer = 0;

  /** `elements` are {scale, attribution, announcement}. */
  constructor({ scale, attribution, announcement }, map, stack) {
    const show = () => {
      const { label, points } = scaleBar(map.camera);
      scale.textContent = label;
      scale.style.width = `${points.toFixed(1)}px`;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => { announcement.textContent = spoken(map.camera); }, delay);
    };
    map.addEventListener("move", show);
    show();
    stack.addEventListener("change", () => {
      showAttributions(attribution, stack.shown.map((layer) => layer.document.attribution).filter(Boolean));
    });
  }
}

/** Describes a camera in a sentence. */
export function spoken({ latitude, longitude, zoom, bearing, viewingAngle }) {
  const place = `${short(Math.abs(latitude), 2)}° ${latitude < 0 ? "south" : "north"}, `
    + `${short(Math.abs(longitude), 2)}° ${longitude < 0 ? "west" : "east"}`;
  const turned = bearing === 0 ? "" : `, turned ${short(bearing, 0)}°`;
  const tilted = viewingAngle === 0 ? "" : `, tilted ${short(viewingAngle, 0)}°`;
  return `${place}, zoom ${short(zoom, 1)}${turned}${tilted}`;
}
