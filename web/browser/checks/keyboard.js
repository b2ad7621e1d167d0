const focused = `(() => { const it = document.activeElement;
  return it.getAttribute('aria-label') || it.labels?.[0]?.textContent || it.textContent || it.id || it.tagName; })()`;

/** Presses Tab until the focused element has this name, or its name begins so. Fails after all elements. */
async function tabTo(page, name, { modifiers = 0 } = {}) {
  for (let presses = 0; presses < 120; presses += 1) {
    if ((await page.value(focused)).startsWith(name)) return;
    await page.key("Tab", { modifiers });
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** A whole visit without a mouse: moves, shows a layer, reads about a tile, types a camera, clears a layer. */
export async function keyboard(check) {
  const page = await check.open("world#0,20,3");
  await tabTo(page, "Map");
  await page.key("ArrowRight");
  await page.until("viewer.map.camera.longitude > 1");
  await page.key("+");
  await page.until("viewer.map.camera.zoom > 3.9");
  await page.key("ArrowRight", { modifiers: 8 });
  await page.until("viewer.map.camera.bearing > 10");
  await page.key("ArrowUp", { modifiers: 8 });
  await page.until("viewer.map.camera.viewingAngle > 4");
  await page.key("n");
  await page.until("viewer.map.camera.bearing === 0 && viewer.map.camera.viewingAngle === 0");
  check.expect(true, "arrows, plus, Shift and N move the camera");
  await page.key("Enter");
  check.expect(await page.value("document.getElementById('card').hidden"), "Enter on the map tells nothing while another tab is open");
  await tabTo(page, "Layers");
  await page.key("ArrowRight");
  await page.key("ArrowRight");
  await page.key("Enter");
  await tabTo(page, "Map", { modifiers: 8 });
  await page.key("Enter");
  await page.until("!document.getElementById('card').hidden");
  await page.key("Escape");
  await page.until("document.getElementById('card').hidden && document.activeElement.id === 'view'");
  check.expect(true, "Enter tells about the tile in the middle, Escape gives the focus back");

  await tabTo(page, "Cache");
  await page.key("ArrowLeft");
  await page.key("ArrowLeft");
  await page.key("Enter");
  await tabTo(page, "Search places", { modifiers: 8 });
  await page.type("meri");
  await tabTo(page, "Meridians");
  await page.key(" ");
  await page.until("viewer.stack.shown.at(-1).id === 'graticule'");
  await tabTo(page, "Lower Meridians", { modifiers: 8 });
  await page.key("Enter");
  await page.until("viewer.stack.shown[0].id === 'graticule'");
  check.expect(await page.value(focused) === "Lower Meridians and parallels", "a layer is searched, shown and lowered, and the focus stays");
  await tabTo(page, "Hide Meridians");
  await page.key("Enter");
  await page.until("viewer.stack.shown.length === 1");
  check.expect(true, "and hidden");

  await tabTo(page, "Layers", { modifiers: 8 });
  await page.key("ArrowRight");
  await page.key("Enter");
  await tabTo(page, "Zoom");
  await page.value("document.activeElement.select()");
  await page.type("5");
  await page.key("Enter");
  await page.until("viewer.map.camera.zoom === 5");
  check.expect(true, "a camera is typed");

  await tabTo(page, "Camera", { modifiers: 8 });
  await page.key("ArrowRight");
  await page.key("Enter");
  await tabTo(page, "All tiles of the layer");
  await page.key("Enter");
  await page.until("document.activeElement.type === 'password'");
  await page.type(check.token);
  await page.key("Enter");
  await page.until("document.querySelector('.cache > .hint[role=status]').textContent.includes('cleared')");
  check.expect(true, "a layer is cleared, the token typed once");
  await check.settled(page);
  check.expectQuiet(page, "keyboard");
}
