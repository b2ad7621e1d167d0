// @ts-check
/** Milliseconds before the end of a movement that tell how fast it is, and in which inertia loses most of its speed. */
const [memory, slowing] = [80, 325];

/** How fast a pointer moves, in points a millisecond. */
export class Velocity {
  #places = [];

  /** Notes where the pointer is at `time` in milliseconds. */
  add(x, y, time) {
    this.#places.push({ x, y, time });
    while (this.#places[0].time < time - memory) this.#places.shift();
  }

  /** {x, y} at `time`: null where the pointer rests. */
  at(time) {
    const places = this.#places.filter((place) => place.time >= time - memory);
    if (places.length < 2) return null;
    const [first, last] = [places[0], places.at(-1)];
    const span = Math.max(last.time - first.time, 1);
    const [x, y] = [(last.x - first.x) / span, (last.y - first.y) / span];
    return Math.hypot(x, y) > 0.1 ? { x, y } : null;
  }
}

/** How far a movement of `velocity` goes on in `elapsed` milliseconds, and how fast it is then: null once it is at rest. */
export function glide(velocity, elapsed) {
  const rest = Math.exp(-elapsed / slowing);
  const way = slowing * (1 - rest);
  const next = { x: velocity.x * rest, y: velocity.y * rest };
  return {
    x: velocity.x * way, y: velocity.y * way, velocity: Math.hypot(next.x, next.y) > 0.01 ? next : null,
  };
}
