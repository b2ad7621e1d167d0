const notice = "document.getElementById('notices')";

/** The page's address: other forms of a camera, and layers that the server does not have. */
export async function address(check) {
  const page = await check.open("world#14/47.37/8.54");
  const near = "Math.abs(viewer.map.camera.latitude - 47.37) < 1e-6 && Math.abs(viewer.map.camera.longitude - 8.54) < 1e-6";
  check.expect(await page.value(`${near} && viewer.map.camera.zoom === 14`), "zoom/latitude/longitude in the hash is a camera");
  await page.until("location.hash === '#8.54,47.37,14'");
  check.expect(true, "and the page writes its own form");
  await page.value("location.hash = '#map=13/47.37/8.54/30/20'");
  await page.until("viewer.map.camera.zoom === 13 && viewer.map.camera.bearing === 30 && location.hash === '#8.54,47.37,13@30,20'");
  check.expect(true, "also in an open page, with bearing and viewing angle");
  check.expect(await page.value(`${notice}.textContent`) === "", "layers that exist are told nothing of");

  await page.value("location.hash = '#0,20,3&layers=releif,world'");
  await page.until(`${notice}.textContent.includes('no layer "releif"')`);
  check.expect(await page.value("viewer.stack.shown.map(({ id }) => id).join()") === "world", "an unknown layer is told, the others are shown");
  await page.value(`[...${notice}.querySelectorAll('button')].find((it) => it.textContent === 'Show Relief').click()`);
  await page.until("viewer.stack.shown.some(({ id }) => id === 'relief')");
  check.expect(await page.value(`${notice}.textContent`) === "", "and the layer that is meant is shown by a click");
  check.expectQuiet(page, "address");
  await check.closePages();
  const phone = { width: 390, height: 844, scale: 2, isPhone: true };
  for (const [name, view] of [["desktop", {}], ["phone", phone]]) {
    const other = await check.open("world#0,20,3&layers=wrold,nothing-of-this-name", view);
    await other.until(`${notice}.textContent.includes('"wrold"') && ${notice}.textContent.includes('"world"')`);
    check.expect(true, `${name}: unknown layers are told when the page begins`);
    const free = await other.value(`(() => {
      const [card, cross] = ['.told', '.told [title=Close]'].map((it) => document.querySelector(it).getBoundingClientRect());
      return Math.max(card.right - cross.right, cross.top - card.top);
    })()`);
    check.expect(free <= 16, `${name}: the cross is at the upper right of the notice: ${free} points from its edges`);
    await check.picture(other, `unknown-${name}`);
    await check.expectAccessible(other, `the notice, ${name}`);
  }
}
