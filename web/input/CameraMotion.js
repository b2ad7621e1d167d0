// @ts-check
import { CameraFlight, progress } from "../geometry/CameraFlight.js";

/** Reports whether the user prefers reduced motion. */
function isStill() {
  return globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;
}

/** Moves a map's camera over time. Only one motion runs at a time. A new one begins at the current camera. */
export class CameraMotion {
  #map;
  #frame = 0;
  #goal = null;
  #done = null;

  /** `map` has a settable `camera`, and `view`, a MapView. */
  constructor(map) {
    this.#map = map;
  }

  /** The camera at the end of the current motion. */
  get goal() {
    return this.#goal ?? this.#map.camera;
  }

  /** Stops the motion at the current camera. */
  stop() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#goal = null;
    this.#done?.(false);
    this.#done = null;
  }

  /**
   * Flies to a camera in `duration` milliseconds. Resolves to whether the camera has arrived: another motion or a
   * gesture may stop it.
   */
  flyTo(end, { duration = 300, curve = "easeOut", isPlayed = false } = {}) {
    const flight = new CameraFlight(this.#map.camera, end, this.#map.view, curve);
    return this.#run(isStill() && !isPlayed ? 0 : duration, flight.end, (time) => flight.cameraAt(time));
  }

  /** Zooms by `delta` at a point of the view, in addition to the current motion. */
  zoomAt(delta, point, duration = 300) {
    const { view, camera } = this.#map;
    const left = this.goal.zoom + delta - camera.zoom;
    const step = (part) => zoomed(view, camera, left * part, point);
    return this.#run(isStill() ? 0 : duration, step(1), (time) => step(progress("easeOut", time)));
  }

  /** Calls `step(milliseconds since the last frame)` in each frame until it returns false. */
  drive(step) {
    this.stop();
    this.#repeat(step);
  }

  #repeat(step) {
    let last = performance.now();
    const frame = (now) => {
      const elapsed = Math.max(now - last, 0);
      last = now;
      this.#frame = step(elapsed) ? requestAnimationFrame(frame) : 0;
    };
    this.#frame = requestAnimationFrame(frame);
  }

  #run(duration, goal, cameraAt) {
    this.stop();
    if (duration === 0) {
      this.#map.camera = goal;
      return Promise.resolve(true);
    }
    this.#goal = goal;
    return new Promise((resolve) => {
      this.#done = resolve;
      let spent = 0;
      this.#repeat((elapsed) => {
        spent += elapsed;
        this.#map.camera = spent >= duration ? goal : cameraAt(spent / duration);
        if (spent < duration) return true;
        this.#goal = null;
        this.#done = null;
        resolve(true);
        return false;
      });
    });
  }
}

/**
 * Returns the camera `delta` zooms closer whose ground at a point stays there. If the point shows no ground, only the
 * zoom changes.
 */
export function zoomed(view, camera, delta, point) {
  try {
    return view.zoomedAt(camera, delta, point);
  } catch {
    // A point above the horizon shows no ground, so nothing can stay there.
    return view.zoomed(camera, camera.zoom + delta);
  }
}
