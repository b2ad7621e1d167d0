import { readFileSync, writeFileSync } from "node:fs";

/** Layers that a reload of the configuration adds, changes and removes, in an open page. */
export async function reload(check) {
  const { configuration, pid } = check;
  if (!configuration || !pid) return;
  const before = readFileSync(configuration, "utf8");
  const take = (text) => {
    writeFileSync(configuration, text);
    process.kill(pid, "SIGHUP");
  };
  const page = await check.open("world#0,20,3&layers=world,relief");
  try {
    take(before.replace("\nlayers:\n", "\nlayers:\n  fresh: { name: Fresh, generator: solid }\n"));
    await page.until("document.querySelector('.catalog [data-layer=fresh]')");
    check.expect(true, "a layer that is added is listed");
    await check.settled(page);
    const count = page.requests.length;
    take(before.replace("name: Relief", "name: Hills").replace("seed: 11", "seed: 12"));
    await page.until("document.querySelector('.shown[data-layer=relief] strong').textContent === 'Hills'");
    await check.settled(page);
    const asked = page.requests.slice(count).filter(({ url }) => url.includes("?empty=204")).map(({ url }) => url);
    const changed = asked.filter((url) => url.includes("/relief/")).length;
    check.expect(changed > 0 && changed === asked.length, `one that is changed has its new name, and its ${changed} tiles alone are new`);
    check.expect(await page.value("document.querySelector('.catalog [data-layer=fresh]') === null"), "one that is removed is gone");
  } finally {
    take(before);
  }
  await page.until("document.querySelector('.shown[data-layer=relief] strong').textContent === 'Relief'");
  check.expectQuiet(page, "reload");
}

/** Pages of one browser share an event stream. */
export async function shared(check) {
  const pages = [];
  for (let count = 0; count < 3; count += 1) pages.push(await check.open("world#0,20,3"));
  const own = pages.flatMap(({ requests }) => requests).filter(({ url }) => url.endsWith("/events")).length;
  const workers = await check.workers();
  check.expect(own === 0 && workers === 1, `3 pages have ${own} streams of their own and ${workers} worker`);
  const address = new URL("admin/cache/world/3/4/3", check.base);
  await fetch(address, { method: "DELETE", headers: { Authorization: `Bearer ${check.token}` } });
  for (const page of pages) {
    await page.front();
    await page.until("document.querySelector('.log li') !== null");
  }
  check.expect(true, "and all of them hear of a clear");
}
