import { pause } from "../Page.js";
import { crossings, greatestShift } from "../crossings.js";
import { cameraText } from "../../input/hash.js";
import { decode } from "../png.js";

/** A camera between two zooms. Clients tilt with different fields of view, so it looks straight down. */
export const turnedCamera = { latitude: 46.8, longitude: 8.2, zoom: 6.25, bearing: 30, viewingAngle: 0 };

/**
 * Returns the greatest distance in pixels between the crossings of a grid on `page`, which shows `turnedCamera` with a
 * client, and in the server's static image of the camera that the client can show. The page has 800 × 600 points.
 */
export async function turnedShift(page, document, base, library) {
  const camera = library.camera?.(turnedCamera) ?? turnedCamera;
  // The page has this background too.
  const path = `${document.id}/static/${cameraText(camera)}/800x600.png?attribution=false&background=ff00ff`;
  const drawn = decode(Buffer.from(await (await fetch(new URL(path, base))).arrayBuffer()));
  const expected = crossings(camera, 800, 600);
  const end = Date.now() + 120_000;
  for (;;) {
    const { shift, count } = greatestShift(decode(await page.screenshot()), drawn, expected);
    if ((count >= 4 && shift <= 1) || Date.now() > end) return { shift, count };
    await pause(200);
  }
}
