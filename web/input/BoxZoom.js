// @ts-check
/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ left: number, top: number, right: number, bottom: number }} Edges */

/** Minimum width and height of a box, in points. A smaller drag is a click. */
const least = 5;

/**
 * Returns the camera that shows the ground in a box of the view as large as it fits into `free`, a part of the view. The
 * bearing and the viewing angle stay. Returns null for a box that is too small, or whose middle is above the horizon.
 *
 * @param {import("../geometry/MapView.js").MapView} view
 * @param {ReturnType<import("../geometry/MapView.js").MapView["normalized"]>} camera
 * @param {Edges} box
 * @param {Edges} free
 */
export function cameraForBox(view, camera, box, free) {
  const size = ({ left, top, right, bottom }) => [right - left, bottom - top];
  const [[width, height], [across, down]] = [size(box), size(free)];
  if (!(width >= least && height >= least && across > 0 && down > 0)) return null;
  const zoom = camera.zoom + Math.log2(Math.min(across / width, down / height));
  try {
    return view.changedAt(camera, { zoom }, middle(free), middle(box));
  } catch {
    // Above the horizon there is no ground.
    return null;
  }
}

/** @param {Edges} edges */
function middle({ left, top, right, bottom }) {
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
}

/** Zooms to a box that the user draws with the mouse and Shift. Escape ends the drawing. */
export class BoxZoom {
  #element;
  #map;
  #motion;
  #covered;
  #frame;
  /** @type {Point | null} */
  #start = null;

  /**
   * `covered()` returns the points of the view's left side that a panel covers.
   *
   * @param {HTMLElement} element
   * @param {import("../map/MapCanvas.js").MapCanvas} map
   * @param {import("./CameraMotion.js").CameraMotion} motion
   * @param {() => number} covered
   */
  constructor(element, map, motion, covered) {
    [this.#element, this.#map, this.#motion, this.#covered] = [element, map, motion, covered];
    this.#frame = document.createElement("div");
    this.#frame.className = "rubber";
    this.#frame.hidden = true;
    element.append(this.#frame);
    // Runs before the gestures, which ignore an event whose default is prevented.
    element.addEventListener("pointerdown", (event) => this.#down(event), { capture: true });
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", () => this.#end());
    element.addEventListener("keydown", ({ key }) => key === "Escape" && this.#end());
  }

  #down(event) {
    const isMeant = event.shiftKey && !event.ctrlKey && event.button === 0 && event.pointerType !== "touch";
    if (!isMeant || event.defaultPrevented) return;
    event.preventDefault();
    this.#motion.stop();
    this.#element.setPointerCapture(event.pointerId);
    // A prevented event gives no focus, and without it Escape would not be heard.
    this.#element.focus({ preventScroll: true });
    this.#start = this.#point(event);
  }

  #move(event) {
    if (!this.#start) return;
    const { left, top, right, bottom } = this.#box(event);
    this.#frame.hidden = false;
    this.#element.classList.add("boxing");
    const [width, height] = [right - left, bottom - top];
    Object.entries({ left, top, width, height }).forEach(([name, value]) => { this.#frame.style[name] = `${value}px`; });
  }

  #up(event) {
    if (!this.#start) return;
    const { view, camera } = this.#map;
    const { width, height, padding } = view.viewport;
    const free = {
      left: Math.max(this.#covered(), padding.left), top: padding.top, right: width - padding.right, bottom: height - padding.bottom,
    };
    const end = cameraForBox(view, camera, this.#box(event), free);
    this.#end();
    if (end) this.#motion.flyTo(end, { duration: 500, curve: "easeInOut" });
  }

  #end() {
    if (!this.#start) return;
    this.#start = null;
    this.#frame.hidden = true;
    this.#element.classList.remove("boxing");
  }

  #box(event) {
    const [start, end] = [/** @type {Point} */ (this.#start), this.#point(event)];
    return {
      left: Math.min(start.x, end.x), top: Math.min(start.y, end.y), right: Math.max(start.x, end.x), bottom: Math.max(start.y, end.y),
    };
  }

  #point(event) {
    const box = this.#element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
