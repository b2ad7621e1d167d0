// @ts-check
/**
 * Points that two fingers must move up or down together before they tilt the camera, and degrees that they must turn
 * before they turn it.
 */
const [tiltStart, turnStart] = [10, 8];

/**
 * Points that one finger may move before the other finger counts as resting. The browser reports each finger by itself.
 */
const lonely = 12;

/**
 * Returns the meaning of two fingers that move from `from` to `to`, each a pair of points. Fingers that move up or down
 * side by side give {kind: "tilt", angle}. Other movements give {kind: "pinch", zoom, turn, from, to}: zooms closer,
 * degrees clockwise, and the middle before and after. "none" means that the movement is still too short.
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
