/** Returns how often a page has requested tiles since its `count`th request. */
function asked(page, count, part) {
  return page.requests.slice(count).filter(({ url }) => url.includes(part) && url.includes("?empty=204")).length;
}

/** The token in the address, the functions that it opens, and the clear of one tile. */
export async function token(check) {
  const page = await check.open(`#0,20,3&token=${encodeURIComponent(check.token)}`);
  check.expect(!(await page.value("location.href")).includes("token"), "the token is taken out of the address");
  await page.value("viewer.panel.open('cache')");
  await page.click(800, 400);
  await page.until("!document.getElementById('card').hidden");
  const press = (text) =>
    page.value(`[...document.querySelectorAll('#card button')].find((it) => it.textContent.startsWith('${text}')).click()`);
  await press("Explain");
  await page.until("document.querySelector('.explanation dl') !== null");
  const sentences = await page.value("[...document.querySelectorAll('.explanation li')].map((it) => it.textContent)");
  check.expect(/^The memory cache holds this tile: PNG, .* (fresh for another|stale for)\s?/.test(sentences[0]), `the card explains a tile: ${sentences[0]}`);
  check.expect(await page.value("!document.querySelector('.explanation details').open"), "and has all of the answer under Details");
  await check.expectAccessible(page, "an explained tile");
  await check.picture(page, "tile");
  await check.settled(page);
  const count = page.requests.length;
  await press("Clear");
  await page.until("document.querySelector('.log li') !== null");
  await check.settled(page);
  const reloaded = asked(page, count, ".png");
  check.expect(reloaded === 1, `a tile that is cleared is asked for again, and no other: ${reloaded}`);
  await page.value("[...document.querySelectorAll('.cache .check')].find((it) => it.textContent.includes('stale')).querySelector('input').click()");
  await press("Clear");
  await page.until("/marked as stale/.test(document.querySelector('.cache [role=status]').textContent)");
  check.expect(true, "and one that is marked as stale");
  check.expectQuiet(page, "token");
}

/** A code in the address opens the same functions, once. */
export async function code(check) {
  const answer = await fetch(new URL("admin/code", check.base), { method: "POST", headers: { Authorization: `Bearer ${check.token}` } });
  const { code } = await answer.json();
  for (const isFirst of [true, false]) {
    const page = await check.open(`#0,20,3&code=${code}`);
    check.expect(!(await page.value("location.href")).includes("code"), "the code is taken out of the address");
    const hasToken = await page.value("[...document.querySelectorAll('.token')].every((it) => it.hidden)");
    check.expect(hasToken, "the page asks for no token by itself");
    await page.value("viewer.panel.open('cache')");
    await page.click(800, 400);
    await page.until("!document.getElementById('card').hidden");
    await page.value(`[...document.querySelectorAll('#card button')].find((it) => it.textContent.startsWith('Explain')).click()`);
    await page.until(isFirst ? "document.querySelector('.explanation dl') !== null" : "!document.querySelector('.token').hidden");
    check.expect(true, isFirst ? "a code opens what the token opens" : "a spent code opens nothing");
    if (isFirst) check.expectQuiet(page, "code");
  }
}

/** A box that one page clears is loaded again by another page, and nothing else is. */
export async function box(check) {
  const [first, second] = [await check.open("world#-123,49,8"), await check.open("world#-123,49,8")];
  await first.value(`viewer.panel.open('cache');
    [...document.querySelectorAll('.cache .check')].filter((it) => !it.textContent.includes('stale'))
      .forEach((it) => it.querySelector('input').click())`);
  const count = second.requests.length;
  await first.front();
  await first.value("[...document.querySelectorAll('.cache button')].find((it) => it.textContent.startsWith('Tiles in')).click()");
  await first.drag([700, 400], [760, 440]);
  await first.until("!document.querySelector('.token').hidden");
  await first.value(`(() => { document.querySelector('.token input').value = ${JSON.stringify(check.token)};
    document.querySelector('.token').requestSubmit(); })()`);
  await first.until("document.querySelector('.cache > .hint[role=status]').textContent.includes('cleared')");
  await second.front();
  await second.until("document.querySelector('.log li') !== null");
  await check.settled(second);
  const affected = await first.value(`(() => {
    const { box } = viewer.overlay;
    const x = (longitude) => Math.floor((longitude + 180) / 360 * 256);
    const y = (latitude) => Math.floor((0.5 - Math.asinh(Math.tan(latitude * Math.PI / 180)) / (2 * Math.PI)) * 256);
    return (x(box.longitudes.east) - x(box.longitudes.west) + 1) * (y(box.south) - y(box.north) + 1); })()`);
  const reloaded = asked(second, count, "/world/8/");
  check.expect(reloaded === affected, `a second page loads the ${affected} tiles of the box again: ${reloaded}`);
  await first.front();
  await check.settled(first);
  await check.picture(first, "cache");
  check.expectQuiet(first, "clearing");
  check.expectQuiet(second, "a page that listens");
}
