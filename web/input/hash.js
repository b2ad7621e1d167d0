// @ts-check
/**
 * Reads and writes the hash of the page's address, which contains the camera and the shown layers:
 *
 *     #-118.6,50.2,6@30,30&layers=demo,graticule:0.5
 *
 * The camera has the form of a static image's path: longitude, latitude and zoom, then the bearing and the viewing angle
 * if they are not 0. Layers are listed from the lowest up, with their opacity unless it is 1.
 *
 * The forms of MapLibre and OpenStreetMap are read too: `#14/47.37/8.54`, `#14/47.37/8.54/30/45`, `#map=14/47.37/8.54`.
 */

/** Returns the text of a camera, exact to a quarter of a point. */
export function cameraText({ latitude, longitude, zoom, bearing, viewingAngle }) {
  const digits = Math.min(Math.max(Math.ceil(Math.log10((256 * 2 ** zoom * 4) / 360)), 1), 9);
  const place = `${short(longitude, digits)},${short(latitude, digits)},${short(zoom, 3)}`;
  const [turned, tilted] = [short(bearing, 2), short(viewingAngle, 2)];
  if (tilted !== "0") return `${place}@${turned},${tilted}`;
  return turned === "0" ? place : `${place}@${turned}`;
}

/** Returns a number with at most `digits` decimals, without trailing zeros. */
export function short(number, digits) {
  return String(Number(number.toFixed(digits)) + 0);
}

/** Returns the camera of a text, or null if the text is not a camera. */
export function cameraOf(text) {
  const match = /^(-?[\d.]+),(-?[\d.]+),([\d.]+)(?:@(-?[\d.]+)(?:,([\d.]+))?)?$/.exec(text);
  if (!match) return null;
  const [longitude, latitude, zoom, bearing, viewingAngle] = match.slice(1).map((part) => Number(part ?? 0));
  const camera = { latitude, longitude, zoom, bearing, viewingAngle };
  return Object.values(camera).every(Number.isFinite) ? camera : null;
}

/**
 * Returns the camera of `zoom/latitude/longitude`, perhaps with `/bearing` and `/viewing angle`, or null. `map=` may
 * stand before it.
 */
export function slashCameraOf(text) {
  const match = /^(?:map=)?([\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)(?:\/(-?[\d.]+)(?:\/([\d.]+))?)?$/.exec(text);
  if (!match) return null;
  const [zoom, latitude, longitude, bearing, viewingAngle] = match.slice(1).map((part) => Number(part ?? 0));
  const camera = { latitude, longitude, zoom, bearing, viewingAngle };
  return Object.values(camera).every(Number.isFinite) && Math.abs(latitude) <= 90 && zoom <= 30 ? camera : null;
}

/**
 * Returns {camera, layers, token, code} of a hash. Missing and malformed parts are null. `layers` are {id, opacity}.
 */
export function readHash(hash) {
  const found = { camera: null, layers: null, token: null, code: null };
  for (const part of hash.replace(/^#/, "").split("&")) {
    // openstreetmap.org writes capitals, such as layers=TN. No id of this server has capitals.
    if (/^layers=[A-Z]+$/.test(part)) continue;
    if (part.startsWith("layers=")) found.layers = part.slice(7).split(",").filter(Boolean).map(shown);
    else if (part.startsWith("token=")) found.token = decoded(part.slice(6));
    else if (part.startsWith("code=")) found.code = decoded(part.slice(5));
    else found.camera = cameraOf(part) ?? slashCameraOf(part) ?? found.camera;
  }
  return found;
}

function shown(text) {
  const [id, opacity] = text.split(":");
  const number = Number(opacity ?? 1);
  return { id, opacity: number >= 0 && number <= 1 ? number : 1 };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    // A part with a wrong percent encoding is used as it is.
    return text;
  }
}

/** Returns the hash for a camera and the shown layers. Null as `layers` leaves them out. */
export function writeHash(camera, layers) {
  const text = `#${cameraText(camera)}`;
  if (!layers) return text;
  return `${text}&layers=${layersText(layers)}`;
}

/** Returns the text of layers from the lowest up, such as `world,graticule:0.5`. */
export function layersText(layers) {
  return layers.map(({ id, opacity }) => (opacity === 1 ? id : `${id}:${short(opacity, 2)}`)).join(",");
}
