const phone = { width: 390, height: 844, scale: 2, isPhone: true };
const press = (name) => `document.querySelector('.controls button[aria-label="${name}"]').click()`;

/** Shift and a drag zoom to a box, beside the open panel. The button North up does what the key N does. */
export async function zooming(check) {
  const page = await check.open("world#0,20,3");
  const drag = (modifiers) => page.drag([700, 300], [800, 380], { modifiers });
  const place = await page.value("viewer.map.projection.coordinateAt({ x: 750, y: 340 })");
  await page.mouse("mousePressed", 700, 300, { button: "left", clickCount: 1, modifiers: 8 });
  await page.mouse("mouseMoved", 800, 380, { button: "left", modifiers: 8 });
  await page.until("document.querySelector('.rubber').offsetWidth === 100");
  await check.picture(page, "rubber");
  await page.key("Escape");
  await page.until("document.querySelector('.rubber').hidden");
  await page.mouse("mouseReleased", 800, 380, { button: "left", clickCount: 1, modifiers: 8 });
  check.expect(await page.value("viewer.map.camera.zoom") === 3, "Escape ends a box");
  await drag(8);
  await page.until("viewer.map.camera.zoom > 6");
  await check.settled(page);
  const seen = await page.value("viewer.map.projection.coordinateAt({ x: (352 + 1280) / 2, y: 400 })");
  const apart = Math.hypot(seen.latitude - place.latitude, seen.longitude - place.longitude);
  check.expect(apart < 0.05, `Shift and a drag zoom to the box, in the middle beside the panel: ${apart.toFixed(3)}° apart`);
  await page.value("viewer.map.camera = { ...viewer.map.camera, bearing: 40, viewingAngle: 30 }");
  await page.value(press("North up"));
  await page.until("viewer.map.camera.bearing === 0 && viewer.map.camera.viewingAngle === 0");
  check.expect(true, "North up turns the map and looks straight down");
  await page.value("viewer.boxTool.draw().then((box) => { window.drawn = box; }); 1");
  await drag(0);
  await page.until("window.drawn?.north > window.drawn?.south");
  check.expect(true, "the tool for boxes draws as before");
  check.expectQuiet(page, "zooming");
}

/** The dot for the device's position, and why there is none. */
export async function position(check) {
  const page = await check.open("world#0,20,3");
  const notice = "document.getElementById('notices').textContent";
  const isPressed = "document.querySelector('[aria-label=\"Where am I\"]').getAttribute('aria-pressed') === 'true'";
  await page.call("Browser.setPermission", { permission: { name: "geolocation" }, setting: "denied" });
  await page.value(press("Where am I"));
  await page.until(`${notice}.includes('Allow it') && !(${isPressed})`);
  check.expect(true, "a refused position is explained");
  await check.expectAccessible(page, "the notice of a position");
  await page.call("Browser.setPermission", { permission: { name: "geolocation" }, setting: "granted" });
  await page.call("Emulation.setGeolocationOverride", { latitude: 47.37, longitude: 8.54, accuracy: 20_000 });
  await page.value(press("Where am I"));
  await page.until("document.querySelector('.position .accuracy').getBBox().width > 100");
  check.expect(await page.value(`${notice} === '' && ${isPressed}`), "a position is shown, and the notice is gone");
  await page.until("viewer.map.camera.zoom > 7");
  await check.settled(page);
  for (const camera of ["viewer.map.camera", "{ latitude: 47.2, longitude: 8.2, zoom: 8.3, bearing: 30, viewingAngle: 45 }"]) {
    await page.value(`viewer.map.camera = ${camera}; 1`);
    await check.settled(page);
    const apart = await page.value(`(() => {
      const dot = document.querySelector('.position .dot');
      const point = viewer.map.projection.pointFor({ latitude: 47.37, longitude: 8.54 });
      return Math.hypot(dot.getAttribute('cx') - point.x, dot.getAttribute('cy') - point.y);
    })()`);
    check.expect(apart < 0.1, `the dot stays at its place under a moved camera: ${apart.toFixed(3)} points apart`);
  }
  await check.picture(page, "position");
  await page.value(press("Where am I"));
  await page.until("getComputedStyle(document.querySelector('.position')).display === 'none'");
  check.expect(await page.value(`!(${isPressed})`), "a second press takes the dot away");
  check.expectQuiet(page, "position");
  await check.closePages();
  const held = await check.open("held");
  // Chromium gives no second page an emulated position.
  await held.value(`navigator.geolocation.watchPosition = (take) => {
    take({ coords: { latitude: -33, longitude: 151, accuracy: 20 } });
    return 1;
  }; 1`);
  await held.value(press("Where am I"));
  await held.until(`${notice}.includes('outside')`);
  check.expect(true, "a position outside of a map is told");
  await held.call("Browser.setPermission", { permission: { name: "geolocation" }, setting: "prompt" });
}

/** The button for the full screen, and the sizes of all buttons for fingers. */
export async function targets(check) {
  const page = await check.open("world#0,20,3");
  const button = "[...document.querySelectorAll('.controls button')].find((it) => it.title === 'Full screen')";
  check.expect(await page.value(`${button}.hidden !== document.fullscreenEnabled`), "full screen is offered if the browser can");
  const at = await page.value(`(() => { const box = ${button}.getBoundingClientRect(); return [box.x + 20, box.y + 20]; })()`);
  await page.click(...at);
  await page.until(`document.fullscreenElement && ${button}.getAttribute('aria-pressed') === 'true'`);
  await page.click(...at);
  await page.until(`!document.fullscreenElement && ${button}.getAttribute('aria-pressed') === 'false'`);
  check.expect(true, "and entered and left by its button");
  await check.closePages();

  const small = await check.open("demo#0,20,3&layers=demo,grid,wrold", phone);
  check.expect(await small.value("matchMedia('(pointer: coarse)').matches"), "the phone is used with fingers");
  await expectLargeTargets(check, small, "the map");
  for (const tab of ["layers", "camera", "cache", "about"]) {
    await small.value(`viewer.panel.open('${tab}'); document.querySelectorAll('details').forEach((it) => { it.open = true; })`);
    await check.settled(small);
    await expectLargeTargets(check, small, tab);
    await check.picture(small, `fingers-${tab}`);
  }
  await small.value("document.querySelector('#notices [aria-label=Close]').click(); viewer.panel.open('cache')");
  await small.fingers([[150, 200]], [[150, 200]], 1);
  await small.until("!document.getElementById('card').hidden");
  await expectLargeTargets(check, small, "the card of a tile");
  await small.value("[...document.querySelectorAll('.shown button')].find((it) => it.textContent === 'Use it in …').click()");
  await small.until("document.querySelector('dialog[open] button')");
  await expectLargeTargets(check, small, "the dialog");
  await check.picture(small, "fingers-dialog");
}

/** Each visible button must be at least 44 × 44 points, and no part of the page may be wider than the window. */
async function expectLargeTargets(check, page, name) {
  const wrong = await page.value(`[...document.querySelectorAll('button, .actions a, select, summary, .check')].filter((it) => {
    const { width, height } = it.getBoundingClientRect();
    return width > 0 && (height < 43.9 || (width < 43.9));
  }).map((it) => (it.title || it.textContent) + ' ' + it.offsetWidth + '×' + it.offsetHeight)`);
  const wide = await page.value(`[...document.querySelectorAll('.panel section, .card, .controls, .tabs, .over, dialog[open]')].filter((it) => {
    const { left, right, width } = it.getBoundingClientRect();
    return width > 0 && (left < 0 || right > innerWidth + 0.5 || it.scrollWidth > it.clientWidth + 1);
  }).map((it) => it.id || it.className)`);
  check.expect(wrong.length === 0, `buttons for fingers in ${name} ${wrong.slice(0, 6).join(", ")}`);
  check.expect(wide.length === 0, `and nothing is wider than the window ${wide.join(", ")}`);
}
