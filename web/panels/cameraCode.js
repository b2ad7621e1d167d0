// @ts-check
import { cameraText, short } from "../input/hash.js";

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

/** Returns the path of a camera's static image, with `width` × `height` points. */
export function staticPath(map, camera, { width, height, scale = 1 }) {
  const [across, down] = imageSize(width, height, scale);
  return `${map}/static/${cameraText(camera)}/${across}x${down}${scale > 1 ? `@${scale}x` : ""}.png`;
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
