/** The shown layers and their texts. */
export async function layers(check) {
  const page = await check.open("");
  const before = await page.value("viewer.stack.shown.map((layer) => layer.id).join()");
  check.expect(before === "demo", `the first map is shown: ${before}`);
  const cut = await page.value(`[...document.querySelectorAll('.tabs span')].filter((it) => it.scrollWidth > it.clientWidth)
    .map((it) => it.textContent).join()`);
  check.expect(cut === "", `no name of a tab is cut ${cut}`);
  await page.value("document.querySelector('input[data-shows=grid]').click()");
  await check.settled(page);
  check.expect(await page.value("viewer.stack.shown.at(-1).id") === "grid", "a layer is shown above");
  await page.until("location.hash.includes('layers=demo,grid')");
  await check.picture(page, "desktop");
  await page.value("viewer.stack.hide(viewer.stack.entries.get('grid'))");
  check.expect(await page.value("viewer.stack.shown.length") === 1, "and hidden");
  await page.value(`(() => { const it = document.querySelector('.search input');
    it.value = 'mand'; it.dispatchEvent(new Event('input')); })()`);
  check.expect(await page.value("document.querySelectorAll('.catalog li').length") === 1, "a search finds one layer");
  check.expectQuiet(page, "layers");
}

/** A layer without its upstream: `down` of the server. */
export async function problems(check) {
  const page = await check.open("world#0,20,3");
  if (!await page.value("viewer.stack.entries.has('down')")) return;
  await page.until("document.querySelector('.catalog [data-layer=down] .problem:not([hidden])')?.textContent.length > 0");
  check.expect(true, "the list says of a layer that its tiles cannot be had");
  await page.value("document.querySelector('input[data-shows=down]').click()");
  await page.until("document.querySelector('.stack [data-layer=down] .problem')?.textContent.includes('cannot be reached')");
  check.expect(true, "and with the layer shown why");
  check.expect(await page.value("document.querySelector('.catalog [data-layer=down] .problem').hidden"), "but not twice");
  await check.picture(page, "problem");
  check.expectQuiet(page, "problems");
}

/** Addresses of unknown layers. */
export async function missing(check) {
  const page = await check.openAnything("nothing-of-this-name");
  await page.until("document.querySelector('h1')");
  const text = await page.value("document.body.innerText");
  check.expect(text.includes("Page not found"), "an unknown address is a page that says so");
  check.expect(await page.value("document.querySelector('a').href") === check.base, "and leads to the map");
  check.expect(page.requests.every(({ url, status }) => status === 200 || url.endsWith("nothing-of-this-name")), "with its style");
  await check.picture(page, "missing");
  await check.expectAccessible(page, "the page of an unknown address");
}
