// @ts-check
import { cameraText, layersText, short } from "../input/hash.js";
import { local } from "../text/LocalText.js";

/** @typedef {{ id: string, name: string, opacity: number, document: { opacity?: number } }} Layer */

/** Maximum number of layers of a static image. */
export const mostLayers = 16;

/** Functions that write a camera as code or as a request, by the name in the panel. */
export const cameraCodes = {
  Swift: (camera) => {
    const { latitude, longitude, zoom, bearing, angle } = numbers(camera);
    return `let camera = GMSCameraPosition(latitude: ${latitude}, longitude: ${longitude}, zoom: ${zoom}`
      + (isPlain(camera) ? ")" : `, bearing: ${bearing}, viewingAngle: ${angle})`);
  },
  "Objective-C": (camera) => {
    const { latitude, longitude, zoom, bearing, angle } = numbers(camera);
    return `GMSCameraPosition *camera = [GMSCameraPosition cameraWithLatitude:${latitude} longitude:${longitude} zoom:${zoom}`
      + (isPlain(camera) ? "];" : ` bearing:${bearing} viewingAngle:${angle}];`);
  },
  JSON: (camera) => JSON.stringify(cameraJSON(camera)),
};

/** Returns a camera in the server's JSON form. */
export function cameraJSON(camera) {
  const { latitude, longitude, zoom, bearing, angle } = numbers(camera);
  return {
    lat: Number(latitude), lng: Number(longitude), zoom: Number(zoom), bearing: Number(bearing), viewingAngle: Number(angle),
  };
}

/**
 * Returns the path of a camera's static image, with `width` × `height` points. `map` gives the rules of the camera.
 * `layers` are the image's layers from the lowest up, or null for the map itself.
 */
export function staticPath(map, camera, { width, height, scale = 1 }, layers = null) {
  const [across, down] = imageSize(width, height, scale);
  const query = layers ? `?layers=${layersText(layers)}` : "";
  return `${map}/static/${cameraText(camera)}/${across}x${down}${scale > 1 ? `@${scale}x` : ""}.png${query}`;
}

/**
 * Returns the layers of a static image of what the page shows, for `staticPath`: null if the page shows only its own map
 * or layer with its own opacity. `shown` are the shown layers from the lowest up, and `own` is the page's own.
 *
 * @param {Layer[]} shown
 * @param {Layer} own
 */
export function pictureLayers(shown, own) {
  const visible = shown.filter(({ opacity }) => opacity > 0);
  const isOwn = visible.length === 1 && visible[0] === own && own.opacity === (own.document.opacity ?? 1);
  return isOwn ? null : visible.slice(0, mostLayers).map(({ id, opacity }) => ({ id, opacity }));
}

/**
 * Says in a sentence what a static image of the page shows.
 *
 * @param {Layer[]} shown
 */
export function pictureText(shown, text = local) {
  const visible = shown.filter(({ opacity }) => opacity > 0);
  if (visible.length === 0) return "No layer is shown, so there is no image.";
  const names = visible.slice(0, mostLayers).map(({ name, opacity }) => (opacity === 1 ? name : `${name} (${text.percent(opacity)})`));
  const [lowest, ...above] = names;
  const omitted = visible.length - names.length;
  const rest = omitted === 0 ? "" : ` An image has at most ${mostLayers} layers, so the highest ${text.number(omitted)} are missing.`;
  return `The image shows ${lowest}${above.length > 0 ? `, and above it ${above.join(", ")}` : ""}.${rest}`;
}

/**
 * Returns whole points of an image with the same shape that is within the limits: 4,096 pixels a side, 8,388,608 pixels
 * in all.
 */
export function imageSize(width, height, scale) {
  const pixels = width * height * scale * scale;
  const shrinking = Math.min(1, 4096 / scale / Math.max(width, height), Math.sqrt(8_388_608 / pixels));
  return [width, height].map((side) => Math.max(1, Math.floor(side * shrinking)));
}

function isPlain({ bearing, viewingAngle }) {
  return bearing === 0 && viewingAngle === 0;
}

function numbers({ latitude, longitude, zoom, bearing, viewingAngle }) {
  return {
    latitude: short(latitude, 6), longitude: short(longitude, 6), zoom: short(zoom, 3), bearing: short(bearing, 2),
    angle: short(viewingAngle, 2),
  };
}
