const bar = "document.getElementById('outage')";

/** A map that fails says so on the map, and takes it back when tiles arrive. */
export async function outages(check) {
  const views = { desktop: {}, phone: { width: 390, height: 844, scale: 2, isPhone: true }, dark: { dark: true } };
  for (const [name, view] of Object.entries(views)) {
    const page = await check.open("world#0,20,3", view);
    check.expect(await page.value(`${bar}.offsetHeight`) === 0, `${name}: a map that works says nothing`);
    await page.call("Network.setBlockedURLs", { urls: ["*empty=204*"] });
    await page.value("viewer.map.camera = { ...viewer.map.camera, zoom: 5 }");
    await page.until(`/^The server has not answered since .+\\.$/.test(${bar}.querySelector('[role=status]').textContent)`);
    check.expect(true, `${name}: a server that is away is named`);
    await page.until(`/^Trying again in \\d+ s\\.$/.test(${bar}.querySelector('.hint').textContent)`);
    check.expect(await page.value(`!${bar}.querySelector('[role=status]').textContent.includes('Trying')`), "the count is outside of the status");
    await uncovered(check, page, name);
    await check.picture(page, `outage-${name}`);
    await check.expectAccessible(page, `an outage, ${name}`);
    await page.call("Network.setBlockedURLs", { urls: [] });
    await page.value(`[...${bar}.querySelectorAll('button')].find((it) => it.textContent === 'Try now').click()`);
    await page.until(`${bar}.offsetHeight === 0 && viewer.map.isComplete`);
    check.expect(true, `${name}: and the bar goes when tiles arrive`);
    await check.closePages();
  }
  const page = await check.open("#0,20,3&layers=world,down");
  await page.until(`${bar}.textContent.startsWith('Out of order has been unavailable since ')`);
  check.expect(true, "a layer that is away is named");
  await page.value("viewer.stack.hide(viewer.stack.entries.get('down'))");
  await page.until(`${bar}.offsetHeight === 0`);
  check.expect(true, "and not any more once it is hidden");
  await check.closePages();
}

/** The bar must lie in the window, and on no button. */
async function uncovered(check, page, name) {
  const covered = await page.value(`(() => {
    const box = ${bar}.getBoundingClientRect();
    if (box.left < 0 || box.right > innerWidth || box.top < 0 || box.height === 0) return ['the window is too small'];
    return [...document.querySelectorAll('.controls button, .tabs button, .search input')].filter((it) => {
      const other = it.getBoundingClientRect();
      return other.left < box.right && other.right > box.left && other.top < box.bottom && other.bottom > box.top;
    }).map((it) => it.textContent || it.title);
  })()`);
  check.expect(covered.length === 0, `${name}: the bar covers no control ${covered.join(", ")}`);
}

/** A bar at the upper edge shows that tiles are on their way, unless they come at once. */
export async function loading(check) {
  const page = await check.open("world#0,20,3");
  const isShown = "!document.getElementById('loading').hidden";
  await page.call("Network.emulateNetworkConditions", { offline: false, latency: 4000, downloadThroughput: -1, uploadThroughput: -1 });
  await page.value("viewer.map.camera = { ...viewer.map.camera, zoom: 6 }");
  await page.until(isShown);
  check.expect(true, "a bar shows that tiles are on their way");
  await check.picture(page, "loading");
  await page.prefer("prefers-reduced-motion", "reduce");
  const animation = await page.value("getComputedStyle(document.getElementById('loading'), '::before').animationName");
  check.expect(animation === "none", "the bar does not move for a user who prefers reduced motion");
  await page.call("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
  await page.until(`!(${isShown}) && viewer.map.isComplete`);
  check.expect(true, "and goes with the last tile");
}
