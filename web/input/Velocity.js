// @ts-check
/**
 * Milliseconds at the end of a movement from which its speed is measured, and the time constant of inertia in
 * milliseconds.
 */
const [memory, slowing] = [80, 325];

/** Measures the speed of a pointer, in points a millisecond. */
export class Velocity {
  #places = [];

  /** Notes the pointer's position at `time` in milliseconds. */
  add(x, y, time) {
    this.#places.push({ x, y, time });
    while (this.#places[0].time < time - memory) this.#places.shift();
  }

  /** Returns the speed {x, y} at `time`, or null if the pointer rests. */
  at(time) {
    const places = this.#places.filter((place) => place.time >= time - memory);
    if (places.length < 2) return null;
    const [first, last] = [places[0], places.at(-1)];
    const span = Math.max(last.time - first.time, 1);
    const [x, y] = [(last.x - first.x) / span, (last.y - first.y) / span];
    return Math.hypot(x, y) > 0.1 ? { x, y } : null;
  }
}

/**
 * Returns how far inertia continues a movement of `velocity` within `elapsed` milliseconds, and the velocity then,
 * which is null at rest.
 */
export function glide(velocity, elapsed) {
  const rest = Math.exp(-elapsed / slowing);
  const way = slowing * (1 - rest);
  const next = { x: velocity.x * rest, y: velocity.y * rest };
  return {
    x: velocity.x * way, y: velocity.y * way, velocity: Math.hypot(next.x, next.y) > 0.01 ? next : null,
  };
}
