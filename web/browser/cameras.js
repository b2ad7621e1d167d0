import { CameraFlight, curves } from "../geometry/CameraFlight.js";
import { CoordinateBounds } from "../geometry/CoordinateBounds.js";
import { MapView } from "../geometry/MapView.js";
import { Viewport } from "../geometry/Viewport.js";
import { rulesOf, cameraFrom } from "../map/mapRules.js";

/** Returns numbers in [from, to) that depend only on a seed. */
function numbers(seed) {
  let state = seed;
  return (from, to) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return from + ((to - from) * state) / 2_147_483_648;
  };
}

/**
 * Returns the maximum difference between the page's cameras and the server's, in degrees and zooms. Tests `count`
 * updates of random cameras, and some flights. `map` is a map of the server at `base`.
 */
export async function greatestDifference(base, map, count = 120) {
  const between = numbers(12_345);
  const documents = await (await fetch(new URL("layers.json", base))).json();
  const view = new MapView(rulesOf(documents.find(({ id }) => id === map)), new Viewport(800, 600));
  const size = { width: 800, height: 600 };
  const ask = async (path, body) => {
    const response = await fetch(new URL(`${map}/${path}`, base), {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...body, view: size }),
    });
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const random = () => ({
    latitude: between(-95, 95), longitude: between(-600, 600), zoom: between(-1, 23), bearing: between(-400, 400),
    viewingAngle: between(0, 80),
  });
  let worst = 0;
  for (let index = 0; index < count; index += 1) {
    const camera = random();
    const { update, ours } = updates[index % updates.length](between, view, camera);
    const { camera: theirs } = await ask("camera", { camera: named(camera), update });
    worst = Math.max(worst, apart(ours, cameraFrom(theirs)));
  }
  for (const curve of curves) {
    const [start, end] = [random(), random()];
    const update = { type: "setCamera", camera: named(end) };
    const { frames } = await ask("camera/animation", { camera: named(start), update, duration: 1, fps: 10, curve });
    const flight = new CameraFlight(start, end, view, curve);
    frames.forEach((frame, index) => {
      worst = Math.max(worst, apart(flight.cameraAt(index / 10), cameraFrom(frame.camera ?? frame)));
    });
  }
  return worst;
}

/** Returns an update in the server's form, and its result in the page's code. */
const updates = [
  (between, view, camera) => {
    const [delta, x, y] = [between(-3, 3), between(0, 800), between(0, 600)];
    return { update: { type: "zoomBy", delta, point: [x, y] }, ours: view.zoomedAt(camera, delta, { x, y }) };
  },
  (between, view, camera) => {
    const [x, y] = [between(-300, 300), between(-300, 300)];
    return { update: { type: "scrollBy", x, y }, ours: view.scrolled(camera, x, y) };
  },
  (between, view, camera) => ({ update: { type: "setCamera", camera: named(camera) }, ours: view.normalized(camera) }),
  (between, view) => {
    const [south, west, height, width] = [between(-80, 70), between(-180, 180), between(0.01, 15), between(0.01, 200)];
    const bounds = { sw: [south, west], ne: [south + height, west + width] };
    const box = CoordinateBounds.box([west, south, west + width, south + height]);
    const ours = view.fitted(box, { top: 40, left: 40, bottom: 40, right: 40 });
    return { update: { type: "fitBounds", bounds, padding: 40 }, ours };
  },
];

/** Returns a camera in the server's JSON form. */
function named({ latitude, longitude, zoom, bearing, viewingAngle }) {
  return { lat: latitude, lng: longitude, zoom, bearing, viewingAngle };
}

/** Returns the maximum difference of two cameras' numbers. Angles differ by the shorter way round. */
function apart(first, second) {
  return Object.keys(first).reduce((most, key) => {
    const difference = Math.abs(first[key] - second[key]);
    const isTurn = key === "longitude" || key === "bearing";
    return Math.max(most, isTurn ? Math.min(difference, Math.abs(difference - 360)) : difference);
  }, 0);
}
