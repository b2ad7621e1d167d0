// @ts-check
/** Points that two fingers move up or down together before they tilt the camera, and degrees that they turn before it turns. */
const [tiltStart, turnStart] = [10, 8];

/** Points that one finger may move alone before it is sure that the other rests: each is heard of by itself. */
const lonely = 12;

/**
 * What two fingers mean that were at `from` and are at `to`, each a pair of points: {kind: "tilt", angle} where both go up or
 * down side by side, else {kind: "pinch", zoom, turn, from, to}: zooms closer, degrees clockwise, the middle before and after.
 * "none" until it can be told.
 */
export function pinch(from, to) {
  const moved = from.map((point, index) => ({ x: to[index].x - point.x, y: to[index].y - point.y }));
  const ways = moved.map(({ x, y }) => Math.hypot(x, y));
  if (Math.min(...ways) < 1 && Math.max(...ways) < lonely) return { kind: "none" };
  const [before, after] = [between(from), between(to)];
  const zoom = Math.log2(Math.max(after.length, 1) / Math.max(before.length, 1));
  const turn = ((((after.angle - before.angle + 180) % 360) + 360) % 360) - 180;
  const isParallel = moved[0].y * moved[1].y > 0 && Math.abs(zoom) < 0.2 && Math.abs(turn) < turnStart;
  const isSideBySide = Math.abs(before.x) > Math.abs(before.y);
  const down = (moved[0].y + moved[1].y) / 2;
  const across = (moved[0].x + moved[1].x) / 2;
  if (isParallel && isSideBySide && Math.abs(down) > 2 * Math.abs(across)) {
    return Math.abs(down) > tiltStart ? { kind: "tilt", angle: -down / 2 } : { kind: "none" };
  }
  const turned = Math.abs(turn) > turnStart ? turn - Math.sign(turn) * turnStart : 0;
  return { kind: "pinch", zoom, turn: turned, from: middle(from), to: middle(to) };
}

function between([first, second]) {
  const [x, y] = [second.x - first.x, second.y - first.y];
  return { x, y, length: Math.hypot(x, y), angle: (Math.atan2(y, x) * 180) / Math.PI };
}

function middle([first, second]) {
  return { x: (first.x + second.x) / 2, y: (first.y + second.y) / 2 };
}
