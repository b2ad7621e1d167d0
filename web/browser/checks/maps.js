import { decode } from "../png.js";

/** The rules of a map and the background behind it: `held` of the server. */
export async function rules(check) {
  const page = await check.open("held");
  if (!await page.value("viewer.stack.entries.has('held')")) return;
  const center = await page.value("[viewer.map.projection.center.x, viewer.map.projection.center.y]");
  check.expect(center.join() === "840,400", `the padding moves the target: ${center}`);
  await page.value("viewer.map.camera = { latitude: 10, longitude: 100, zoom: 12, bearing: 0, viewingAngle: 60 }");
  const { latitude, longitude, viewingAngle } = await check.camera(page);
  check.expect([latitude, longitude, viewingAngle].join() === "45.8,10.5,30",
    `the target stays in its bounds, the tilt below its limit: ${latitude},${longitude} ${viewingAngle}`);
  await page.value("viewer.map.camera = { latitude: 47, longitude: 8, zoom: 0, bearing: 0, viewingAngle: 0 }");
  await check.settled(page);
  const { width, pixels } = decode(await page.screenshot());
  const behind = [...pixels.subarray(3 * (20 * width + 800), 3 * (20 * width + 801))];
  check.expect(behind.join() === "255,0,255", `the background is the map's: ${behind}`);
  check.expectQuiet(page, "rules");
}

/** Tiles of two pixels a point on dense screens, flat ground without WebGL, and layers that do not fade in. */
export async function screens(check) {
  const tiles = (page) => page.requests.filter(({ url }) => url.includes("?empty=204")).map(({ url }) => url);
  const dense = await check.open("world#0,20,3", { width: 800, height: 600, scale: 2 });
  const [all, twice] = [tiles(dense).length, tiles(dense).filter((url) => url.includes("@2x")).length];
  check.expect(all > 0 && all === twice, `a dense screen gets tiles for it: ${twice} of ${all}`);
  await check.closePages();
  const flat = await check.open("world?flat#0,20,3@30,40");
  const { bearing, viewingAngle } = await check.camera(flat);
  check.expect(bearing === 30 && viewingAngle === 0, "without WebGL the map turns, and cannot be tilted");
  check.expect(await flat.value("document.querySelector('button[aria-label=Tilt]').hidden"), "and offers no tilt");
  await check.settled(flat);
  check.expectQuiet(flat, "flat");
}
