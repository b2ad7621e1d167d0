/** Presses the button of a panel whose text begins with this text. */
function press(page, text) {
  return page.value(`[...document.querySelectorAll('.panel button')].find((it) => it.textContent.startsWith('${text}')).click()`);
}

/** A flight between two cameras is played, and saved as an animated PNG. */
export async function flight(check) {
  const page = await check.open("world#0,20,3");
  // Keeps the file here instead of in a directory of downloads.
  await page.value(`URL.createObjectURL = (blob) => { globalThis.saved = blob; return "blob:none"; };
    HTMLAnchorElement.prototype.click = () => {};
    viewer.panel.open('camera'); document.querySelectorAll('.camera details').forEach((it) => { it.open = true; })`);
  await press(page, "From here");
  await page.value("viewer.map.camera = { latitude: 40, longitude: 10, zoom: 4, bearing: 30, viewingAngle: 20 }");
  await press(page, "To here");
  await page.value("document.querySelector('.camera details input[type=number]').value = 0.5");
  await page.value("globalThis.zooms = []; viewer.map.addEventListener('move', () => { zooms.push(viewer.map.camera.zoom); })");
  await press(page, "Play");
  await page.until("zooms.at(-1) === 4 && viewer.map.camera.bearing === 30");
  check.expect(await page.value("zooms[0] === 3"), "a flight is played from its beginning to its end");
  await press(page, "Save as APNG");
  await page.until("globalThis.saved");
  const frames = await page.value("saved.arrayBuffer().then((bytes) => new TextDecoder('latin1').decode(bytes).split('fcTL').length - 1)");
  check.expect(frames === 11, `and saved, 20 frames a second: ${frames}`);
  await check.settled(page);
  await check.picture(page, "flight");
  check.expectQuiet(page, "flight");
}

/** A drawn box is fitted into the part of the view beside the panel. */
export async function fit(check) {
  const page = await check.open("world#0,20,3");
  await page.value("viewer.panel.open('camera'); document.querySelector('.camera details').open = true");
  await press(page, "Draw a box");
  await page.drag([600, 300], [800, 450]);
  await page.until("viewer.overlay.box");
  await press(page, "Fit into");
  await page.until("viewer.map.camera.zoom > 4 && viewer.map.isComplete");
  const [west, north, east, south, covered] = await page.value(`(() => {
    const { box, box: { longitudes } } = viewer.overlay;
    const { projection } = viewer.map;
    const corner = (latitude, longitude) => projection.pointFor({ latitude, longitude });
    const [first, last] = [corner(box.north, longitudes.west), corner(box.south, longitudes.west + longitudes.width)];
    return [first.x, first.y, last.x, last.y, document.getElementById('panel').getBoundingClientRect().right]; })()`);
  const isSeen = west > covered && north > 0 && east < 1280 && south < 800;
  const isLarge = east - west > 600 || south - north > 600;
  check.expect(isSeen && isLarge, `a box is fitted beside the panel: ${[west, north, east, south].map(Math.round).join()}`);
  await check.picture(page, "fitted");
  check.expectQuiet(page, "fit");
}

/** The zIndex of layers gives their place, and the user drags a layer to another place. */
export async function order(check) {
  const page = await check.open("world#0,20,3");
  const shown = () => page.value("viewer.stack.shown.map(({ id }) => id).join()");
  for (const id of ["grid", "relief", "graticule"]) await page.value(`document.querySelector('input[data-shows=${id}]').click()`);
  check.expect(await shown() === "world,relief,graticule,grid", `layers stand by their zIndex: ${await shown()}`);
  const place = (id) => page.value(`(() => {
    const { left, top, height } = document.querySelector('.shown[data-layer=${id}] strong').getBoundingClientRect();
    return [left + 10, top + height / 2]; })()`);
  await page.dragAndDrop(await place("grid"), await place("world"));
  await page.until("viewer.stack.shown[0].id === 'grid'");
  check.expect(await shown() === "grid,world,relief,graticule", `a layer is dragged to another's place: ${await shown()}`);
  await check.settled(page);
  check.expectQuiet(page, "order");
}

/** The address of the static image, and the texts about it. */
export async function picture(check) {
  const page = await check.open("#0,20,3");
  await page.value("viewer.panel.open('camera')");
  const address = () => page.value("[...document.querySelectorAll('.codes code')].at(-1).textContent");
  const text = () => page.value("document.querySelector('.camera').innerText");
  check.expect(/\/demo\/static\/0,20,3\/[^?]*\.png$/.test(await address()), `the page's map alone has its own image: ${await address()}`);
  check.expect((await text()).includes("The image shows World by night."), "and the panel names it");
  await page.value("viewer.stack.show(viewer.stack.entries.get('grid')); viewer.stack.setOpacity(viewer.stack.entries.get('grid'), 0.5)");
  check.expect((await address()).endsWith(".png?layers=demo,grid:0.5"), `other layers are in its address: ${await address()}`);
  check.expect(/The image shows World by night, and above it Tile grid \(50\s?%\)\./.test(await text()), "and in the text");
  await page.value("document.querySelectorAll('.camera details').forEach((it) => { it.open = true; })");
  check.expect((await text()).includes("The animation shows only World by night."), "the animation names its one map");
  await page.value("viewer.stack.setShown([])");
  check.expect((await text()).includes("No layer is shown, so there is no image."), "without a layer there is no image");
  const preview = "[...document.querySelectorAll('.camera button')].find((it) => it.textContent.startsWith('Preview'))";
  check.expect(await page.value(`${preview}.disabled`), "and no preview");
  await check.settled(page);
  check.expectQuiet(page, "picture");
}
