// @ts-check
import { markOf, positionProblem, zoomFor } from "../map/position.js";
import { button } from "./element.js";
import * as icons from "./icons.js";

/** Milliseconds after which the device gives up, and the greatest age of a position. */
const options = { enableHighAccuracy: true, timeout: 15_000, maximumAge: 30_000 };

const namespace = "http://www.w3.org/2000/svg";

/** Makes an element of a drawing. */
const shape = (name, className = "") => {
  const made = document.createElementNS(namespace, name);
  if (className) made.setAttribute("class", className);
  return made;
};

/**
 * The button "Where am I". While it is pressed, a dot on the map shows where the device is, in a circle with the
 * accuracy. The first position moves the camera. The button is hidden in a browser that knows no positions.
 */
export class PositionButton {
  content = button("Where am I", () => (this.#watch === null ? this.#start() : this.#stop()), {
    icon: icons.position, "aria-pressed": "false",
  });
  #map;
  #motion;
  #notices;
  #geolocation;
  #watch = null;
  /** @type {import("../map/position.js").Position | null} */
  #position = null;
  #drawing = shape("svg", "position");
  #circle = shape("path", "accuracy");
  #dot = shape("circle", "dot");

  /**
   * @param {HTMLElement} target
   * @param {import("../map/MapCanvas.js").MapCanvas} map
   * @param {import("../input/CameraMotion.js").CameraMotion} motion
   * @param {import("./Notices.js").Notices} notices
   */
  constructor(target, map, motion, notices, geolocation = navigator.geolocation) {
    [this.#map, this.#motion, this.#notices, this.#geolocation] = [map, motion, notices, geolocation];
    this.content.hidden = !geolocation;
    this.#drawing.setAttribute("aria-hidden", "true");
    this.#dot.setAttribute("r", "7");
    this.#drawing.append(this.#circle, this.#dot);
    target.append(this.#drawing);
    map.addEventListener("frame", (/** @type {import("../Viewer.js").FrameEvent} */ { detail }) => this.#draw(detail.ground.projection));
    this.#stop();
  }

  #start() {
    this.#notices.close("position");
    this.#show("true");
    this.#watch = this.#geolocation.watchPosition(({ coords }) => this.#take(coords), (error) => this.#fail(error), options);
  }

  #stop() {
    if (this.#watch !== null) this.#geolocation.clearWatch(this.#watch);
    this.#watch = null;
    this.#position = null;
    this.#show("false");
    this.#map.invalidate();
  }

  #show(isPressed) {
    this.content.setAttribute("aria-pressed", isPressed);
    this.content.classList.toggle("waiting", isPressed === "true" && this.#position === null);
  }

  #take({ latitude, longitude, accuracy }) {
    const isFirst = this.#position === null;
    this.#position = { latitude, longitude, accuracy };
    this.#show("true");
    this.#map.invalidate();
    if (isFirst) this.#go();
  }

  #go() {
    const { view } = this.#map;
    const { width, height } = view.viewport;
    const zoom = zoomFor(this.#position, Math.min(width, height));
    const { latitude, longitude } = this.#position;
    const end = view.normalized({ ...this.#map.camera, latitude, longitude, zoom });
    // The rules of a map may keep the camera away.
    const isThere = Math.hypot(end.latitude - latitude, end.longitude - longitude) < 1e-3;
    if (!isThere) this.#notices.show("position", "You are outside of the part of the world that this map shows.");
    else this.#motion.flyTo(end, { duration: 900, curve: "easeInOut" });
  }

  #fail({ code }) {
    // A device that has told a position may not know the next one. The dot then stays where it is.
    if (this.#position !== null && code !== 1) return;
    this.#stop();
    this.#notices.show("position", positionProblem(code, isSecureContext));
  }

  /** @param {import("../geometry/Projection.js").Projection} projection */
  #draw(projection) {
    const { dot, circle } = this.#position ? markOf(this.#position, projection) : { dot: null, circle: null };
    this.#drawing.toggleAttribute("hidden", dot === null);
    if (!dot) return;
    this.#dot.setAttribute("cx", dot.x.toFixed(2));
    this.#dot.setAttribute("cy", dot.y.toFixed(2));
    this.#circle.setAttribute("d", circle ? `M${circle.map(({ x, y }) => `${x.toFixed(2)},${y.toFixed(2)}`).join("L")}Z` : "");
  }
}
