/** Types a text into the search field in place of its text. */
async function write(page, text) {
  await page.value("document.querySelector('.search input').focus(); document.querySelector('.search input').select()");
  await page.type(text);
}

const note = "document.querySelector('#search-note').textContent";

/** The search field: layers by name, places by coordinates, and mistakes. */
export async function search(check) {
  const page = await check.open("#0,20,3");
  await write(page, "meri");
  const found = "[...document.querySelectorAll('.catalog li')].map((it) => it.dataset.layer).join()";
  check.expect(await page.value(found) === "graticule", `a name finds layers: ${await page.value(found)}`);
  await write(page, "47°22'N 8°32'E");
  const offer = "document.querySelector('.offers button')?.textContent";
  check.expect(await page.value(offer) === "Go to 47.36667° N, 8.53333° E", `coordinates are offered: ${await page.value(offer)}`);
  check.expect((await page.value(found)).includes("graticule,"), "and filter no layers");
  await page.until("document.querySelector('.catalog img.thumbnail')");
  const pictures = page.requests.filter(({ url }) => url.endsWith("?empty=transparent")).map(({ url }) => url);
  const again = pictures.length - new Set(pictures).size;
  check.expect(again === 0, `a search loads no picture of a layer again: ${again} of ${pictures.length}`);
  await check.expectAccessible(page, "a search");
  await check.picture(page, "search");
  await page.key("Enter");
  await page.until("viewer.map.camera.zoom === 10 && Math.abs(viewer.map.camera.latitude - 47.36667) < 1e-3");
  check.expect(Math.abs(await page.value("viewer.map.camera.longitude") - 8.53333) < 1e-3, "Enter goes there");
  check.expect(await page.value("document.activeElement.id") === "view", "and the keys move the map then");
  await check.settled(page);
  await write(page, "14/47.5/8.25");
  await page.key("Enter");
  await page.until("viewer.map.camera.zoom === 14 && viewer.map.camera.latitude === 47.5 && viewer.map.camera.longitude === 8.25");
  check.expect(true, "zoom/lat/lon goes to a zoom too");
  await write(page, "6/33/22");
  check.expect(await page.value("document.querySelectorAll('.offers button').length") === 2, "whole numbers are a tile or a place");
  await page.value("document.querySelector('.offers button').click()");
  await page.until("viewer.map.camera.zoom === 6 && Math.abs(viewer.map.camera.longitude - 8.4375) < 1e-6");
  check.expect(true, "a tile is shown");
  await write(page, "123.11, 49.2");
  check.expect(await page.value(note) === "", "a mistake is not named while the user types");
  await page.key("Enter");
  check.expect(await page.value(note) === "Latitude 123.11 is above 90: is it longitude first?", `Enter names it: ${await page.value(note)}`);
  await check.picture(page, "search-problem");
  await check.expectAccessible(page, "a search with a mistake");
  await write(page, "no such layer");
  await page.key("Enter");
  check.expect(await page.value(note) === "No place and no layer has this name.", "and a name that nothing has");
  await write(page, "zuric");
  await page.until("document.querySelector('.offers button')?.textContent === 'Go to Zürich'");
  await check.picture(page, "search-place");
  await page.key("Enter");
  await page.until("Math.abs(viewer.map.camera.latitude - 47.37) < 0.05 && Math.abs(viewer.map.camera.longitude - 8.54) < 0.05");
  check.expect(true, "the name of a town goes to the town");
  const asked = page.requests.filter(({ url }) => url.includes("places.json")).length;
  check.expect(asked === 1, `the names are requested once: ${asked}`);
  check.expectQuiet(page, "search");
  await check.closePages();
  await first(check);
  await onPhone(check);
}

/** Enter as the first action of a page, before the names of places arrive. */
async function first(check) {
  const page = await check.open("#0,20,3");
  await write(page, "123.11, 49.2");
  await page.key("Enter");
  await page.until("performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/places.json'))");
  await page.value("new Promise((done) => { setTimeout(done, 300); })");
  check.expect((await page.value(note)).startsWith("Latitude 123.11"), `the note of the first search stays: ${await page.value(note)}`);
  const other = await check.open("#0,20,3");
  await write(other, "zuric");
  await other.key("Enter");
  await other.until("Math.abs(viewer.map.camera.latitude - 47.37) < 0.05 && Math.abs(viewer.map.camera.longitude - 8.54) < 0.05");
  check.expect(await other.value(note) === "", "and Enter waits for the names of places");
  await check.closePages();
}

async function onPhone(check) {
  const page = await check.open("#0,20,3", { width: 390, height: 844, scale: 2, isPhone: true });
  const box = (selector) => page.value(`JSON.parse(JSON.stringify(document.querySelector('${selector}').getBoundingClientRect()))`);
  const [field, buttons] = [await box(".search input"), await box(".controls")];
  const isFree = field.left >= 0 && field.right <= buttons.left && field.width > 250;
  check.expect(isFree, `a phone has the field above the map: ${field.left}…${field.right}`);
  await write(page, "grat");
  await page.until("document.querySelector('.catalog [data-layer=graticule]').checkVisibility()");
  check.expect(true, "a name opens the list of layers");
  await check.picture(page, "search-phone");
  await write(page, "47.37, 8.54");
  await page.key("Enter");
  await page.until("viewer.map.camera.zoom === 10 && !document.getElementById('panel').classList.contains('open')");
  check.expect(true, "a place closes the panel, which would cover it");
  await check.settled(page);
  check.expectQuiet(page, "search on a phone");
}

/** Layers that have no tiles in the view: `floors` of the server begins at zoom 15, in Vancouver. */
export async function absent(check) {
  const page = await check.open("#10,47,5&layers=demo,floors");
  const note = (layer) => `document.querySelector('.shown[data-layer=${layer}] .away')`;
  await page.until(`!${note("floors")}.hidden`);
  const text = await page.value(`${note("floors")}.firstChild.textContent`);
  check.expect(text === "Not here: the layer begins at zoom 15.", `a row says that its layer is not here: ${text}`);
  check.expect(await page.value(`${note("demo")}.hidden`), "the others do not");
  check.expect(await page.value("document.querySelector('.catalog [data-layer=floors] .away').textContent") === "Not here", "so does the list");
  await page.value("viewer.map.camera = { ...viewer.map.camera, zoom: 17 }");
  await page.until(`${note("floors")}.firstChild.textContent.includes('another area')`);
  check.expect(true, "the row follows the camera");
  await check.settled(page);
  await check.picture(page, "absent");
  await check.expectAccessible(page, "a layer that is not here");
  await page.value(`${note("floors")}.querySelector('button').focus()`);
  await page.key("Enter");
  await page.until(`${note("floors")}.hidden`);
  await check.settled(page);
  const { latitude, longitude, zoom } = await check.camera(page);
  const isThere = Math.abs(latitude - 49.26) < 0.001 && Math.abs(longitude + 123.11) < 0.002 && zoom >= 15;
  check.expect(isThere, `a button goes there: ${latitude}, ${longitude}, ${zoom}`);
  await page.value("viewer.stack.hide(viewer.stack.entries.get('floors')); viewer.map.camera = { ...viewer.map.camera, zoom: 3 }");
  await check.settled(page);
  check.expect(await page.value("document.querySelector('.catalog [data-layer=floors] .away').hidden"), "a hidden layer is missed nowhere");
  check.expectQuiet(page, "absent");
}
