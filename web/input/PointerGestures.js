// @ts-check
import { Velocity, glide } from "./Velocity.js";
import { pinch } from "./pinch.js";

/** Maximum movement of a click, in points, and maximum time and distance between the two taps of a double tap. */
const [clickReach, tapTime, tapReach] = [5, 300, 40];

/**
 * Moves a map's camera by mouse, pen and fingers. A drag moves the map, with inertia. A drag with the right button or
 * Ctrl turns and tilts it. Two fingers zoom, turn and tilt it. A double click or tap zooms in; with Shift, or with two
 * fingers, it zooms out. A drag with Shift belongs to `BoxZoom`.
 *
 * Calls `onClick(point, event)` for a click that is not a drag. Ignores events whose default is already prevented.
 */
export class PointerGestures {
  #element;
  #map;
  #motion;
  #onClick;
  #pointers = new Map();
  #start = null;
  #velocity = null;
  #lastTap = null;
  #kind = "none";

  /**
   * @param {HTMLElement} element
   * @param {import("../map/MapCanvas.js").MapCanvas} map
   * @param {import("./CameraMotion.js").CameraMotion} motion
   * @param {(point: { x: number, y: number }, event: PointerEvent) => void} [onClick]
   */
  constructor(element, map, motion, onClick = () => {}) {
    this.#element = element;
    this.#map = map;
    this.#motion = motion;
    this.#onClick = onClick;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", (event) => this.#up(event, true));
    element.addEventListener("dblclick", (event) => this.#doubleClick(event));
    element.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  /** Returns the point of an event in the view. */
  point(event) {
    const box = this.#element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #down(event) {
    if (event.defaultPrevented || (event.pointerType === "mouse" && event.button > 2)) return;
    this.#motion.stop();
    this.#element.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, this.point(event));
    this.#map.isHeld = true;
    if (this.#pointers.size === 1) {
      this.#kind = event.button === 2 || event.ctrlKey ? "turn" : "click";
      const isSecond = event.pointerType === "touch" && this.#isSecondTap(event);
      if (isSecond) this.#kind = "secondTap";
    } else {
      this.#kind = "pinch";
    }
    this.#begin(event);
  }

  #begin(event) {
    this.#start = { camera: this.#map.camera, points: [...this.#pointers.values()], time: event.timeStamp, last: null };
    this.#velocity = new Velocity();
  }

  #move(event) {
    if (!this.#pointers.has(event.pointerId)) return;
    const point = this.point(event);
    const before = this.#pointers.get(event.pointerId);
    this.#pointers.set(event.pointerId, point);
    if (this.#pointers.size === 2) return this.#pinch();
    if (this.#pointers.size > 2) return undefined;
    const [start] = this.#start.points;
    const isFar = Math.hypot(point.x - start.x, point.y - start.y) > clickReach;
    if (this.#kind === "click" && isFar) this.#kind = "drag";
    if (this.#kind === "secondTap" && isFar) this.#kind = "zoom";
    if (this.#kind === "turn") this.#turn(point.x - before.x, point.y - before.y);
    if (this.#kind === "zoom") this.#zoom((point.y - before.y) / 100, start);
    if (this.#kind !== "drag") return undefined;
    this.#element.classList.add("dragged");
    this.#velocity.add(point.x, point.y, event.timeStamp);
    return this.#pull(before, point);
  }

  /** Moves the ground from one point to another. */
  #pull(from, to, changes = {}) {
    try {
      this.#map.camera = this.#map.view.changedAt(this.#map.camera, changes, to, from);
    } catch {
      // A point above the horizon shows no ground that could be moved.
    }
  }

  #turn(right, down) {
    const { camera } = this.#map;
    this.#map.camera = {
      ...camera, bearing: camera.bearing + right / 2, viewingAngle: Math.max(camera.viewingAngle - down / 2, 0),
    };
  }

  #zoom(delta, point) {
    this.#pull(point, point, { zoom: this.#map.camera.zoom + delta });
  }

  #pinch() {
    const { camera, points } = this.#start;
    const now = pinch(points, [...this.#pointers.values()]);
    if (this.#kind === "pinch" && now.kind === "tilt") this.#kind = "tilt";
    if (this.#kind === "tilt") {
      const angle = now.kind === "tilt" ? now.angle : 0;
      this.#map.camera = { ...camera, viewingAngle: Math.max(camera.viewingAngle + angle, 0) };
      return;
    }
    if (now.kind !== "pinch") return;
    this.#kind = "pinched";
    try {
      const changes = { zoom: camera.zoom + now.zoom, bearing: camera.bearing - now.turn };
      this.#map.camera = this.#map.view.changedAt(camera, changes, now.to, now.from);
    } catch {
      // Above the horizon there is no ground, as in #pull.
    }
  }

  #up(event, isCancelled = false) {
    if (!this.#pointers.delete(event.pointerId)) return;
    const point = this.point(event);
    this.#element.classList.remove("dragged");
    if (this.#pointers.size > 0) {
      const isTap = this.#kind === "pinch" && event.timeStamp - this.#start.time < tapTime;
      if (isTap) this.#motion.zoomAt(-1, point);
      this.#kind = isTap ? "none" : "drag";
      return this.#begin(event);
    }
    this.#map.isHeld = false;
    const kind = this.#kind;
    this.#kind = "none";
    if (isCancelled) return undefined;
    if (kind === "drag") return this.#glide(event.timeStamp);
    if (kind === "secondTap") return void this.#motion.zoomAt(1, point);
    if (kind !== "click") return undefined;
    if (event.pointerType === "touch") this.#lastTap = { ...point, time: event.timeStamp };
    return this.#onClick(point, event);
  }

  #isSecondTap(event) {
    const [last, point] = [this.#lastTap, this.point(event)];
    this.#lastTap = null;
    return last && event.timeStamp - last.time < tapTime && Math.hypot(point.x - last.x, point.y - last.y) < tapReach;
  }

  #doubleClick(event) {
    event.preventDefault();
    // Touches are handled by other listeners.
    if (event.pointerType === "touch" || event.sourceCapabilities?.firesTouchEvents) return;
    this.#motion.zoomAt(event.shiftKey ? -1 : 1, this.point(event));
  }

  #glide(time) {
    let velocity = this.#velocity.at(time);
    if (!velocity || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.#motion.drive((elapsed) => {
      const step = glide(velocity, elapsed);
      const { center } = this.#map.projection;
      this.#pull(center, { x: center.x + step.x, y: center.y + step.y });
      velocity = step.velocity;
      return velocity !== null;
    });
  }
}
