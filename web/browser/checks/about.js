const phone = { width: 390, height: 844, scale: 2, isPhone: true };

/** Returns the number of a page's requests to a path of the server. */
function asked(page, check, path) {
  return page.requests.filter(({ url }) => url === `${check.base}${path}`).length;
}

/** The about tab: what the server is, and its numbers for users with the token. */
export async function about(check) {
  for (const [name, view] of [["desktop", {}], ["phone", phone]]) {
    const page = await check.open("world#0,20,3", view);
    // Records the timers of the next reading.
    await page.value(`globalThis.pending = new Set();
      const [begin, end] = [setTimeout, clearTimeout];
      globalThis.setTimeout = (action, time) => {
        const timer = begin(() => { pending.delete(timer); action(); }, time);
        if (time === 5000) pending.add(timer);
        return timer;
      };
      globalThis.clearTimeout = (timer) => { pending.delete(timer); end(timer); };
      viewer.panel.open('about')`);
    await page.until("document.querySelector('.about .version').textContent !== 'tileserver'");
    const links = await page.value("[...document.querySelectorAll('.about .links a')].map((it) => it.href).join()");
    const expected = ["health", "layers.json", "wmts.xml", "openapi.json"].map((path) => check.base + path).join();
    check.expect(links === expected, `${name}: the page names the server's documents: ${links}`);
    const text = "document.querySelector('.about').innerText";
    check.expect((await page.value(text)).includes("Numbers of the server need the admin token"), "and says that numbers need the token");
    check.expect(asked(page, check, "metrics") + asked(page, check, "admin/cache") === 0, "it asks for none without the token");
    await check.expectAccessible(page, `about without the token, ${name}`);
    await check.picture(page, `about-closed-${name}`);
    await page.value("document.querySelector('.about .token input').focus()");
    await page.type(check.token);
    await page.key("Enter");
    await page.until("document.querySelectorAll('.about .figures dt').length > 5 && pending.size === 1");
    check.expect(/Requests\s+\d/.test(await page.value(text)), "with the token it shows numbers");
    check.expect(/World\s+[\d.,]+\s[KM]iB in memory/.test(await page.value(text)), "and the size of each layer's tiles");
    await check.expectAccessible(page, `about, ${name}`);
    await check.picture(page, `about-${name}`);
    for (let waits = 0; asked(page, check, "metrics") < 2 && waits < 600; waits += 1) {
      await page.value("new Promise((done) => setTimeout(done, 100))");
    }
    check.expect(asked(page, check, "metrics") >= 2, `they are read again: ${asked(page, check, "metrics")} times`);
    await page.value("viewer.panel.open('layers')");
    check.expect(await page.value("pending.size === 0"), "until the tab is closed");
    check.expectQuiet(page, `about, ${name}`);
    await check.closePages();
  }
  const page = await check.open("world#0,20,3");
  await page.value("viewer.panel.open('about'); document.querySelector('.about .token input').focus()");
  await page.type("a-wrong-token");
  await page.key("Enter");
  await page.until("document.querySelector('.about .problem').textContent.includes('does not accept')");
  check.expect(await page.value("!document.querySelector('.about .token').hidden"), "a wrong token is named, and asked for again");
}

/** The URLs of a layer, to copy from its row. */
export async function urls(check) {
  const page = await check.open("world#0,20,3");
  await page.value(`Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { globalThis.copied = text; } } })`);
  const row = ".shown[data-layer=world]";
  await page.value(`document.querySelector('${row} [aria-label^="Copy a URL"]').focus()`);
  await page.key("Enter");
  await page.until(`document.querySelectorAll('${row} .urls code').length === 3`);
  const shown = await page.value(`[...document.querySelectorAll('${row} .urls code')].map((it) => it.textContent).join()`);
  const expected = ["world.json", "world/wmts.xml", "world/{z}/{x}/{y}.png"].map((path) => check.base + path).join();
  check.expect(shown === expected, `a row has the URLs of its layer: ${shown}`);
  for (const url of expected.split(",")) {
    await page.key("Tab");
    await page.key("Enter");
    await page.until(`globalThis.copied === '${url}'`);
  }
  check.expect(true, "and each is copied by keys");
  const response = await fetch(shown.split(",")[2].replace("{z}/{x}/{y}", "1/0/0"));
  check.expect(response.status === 200, `the template is that of the tiles: ${response.status}`);
  await check.expectAccessible(page, "URLs of a layer");
  await check.picture(page, "urls");
  await page.value(`document.querySelector('${row} [aria-label^="Copy a URL"]').click();
    document.querySelector('.catalog [data-layer=grid] [aria-label^="Copy a URL"]').click()`);
  check.expect(await page.value(`document.querySelector('${row} .urls').hidden`), "the list closes");
  const listed = await page.value("document.querySelectorAll('.catalog [data-layer=grid] .urls code').length");
  check.expect(listed === 3, "the list of all layers has them too");
  check.expect(await page.value("viewer.stack.shown.length") === 1, "and does not show the layer");
  check.expectQuiet(page, "URLs");
}

/** The page in a browser whose language is German: numbers for people, and numbers to copy. */
export async function language(check) {
  const page = await check.open("world#0,20,3");
  const userAgent = await page.value("navigator.userAgent");
  await page.call("Emulation.setUserAgentOverride", { userAgent, acceptLanguage: "de-DE" });
  await page.go(`${check.base}world?german#0.5,20.25,3.5&layers=world:0.5`);
  await check.settled(page);
  const text = (selector) => page.value(`document.querySelector('${selector}').textContent`);
  check.expect(/^50\s%$/.test(await text(".shown output")), `percents are those of the reader's language: ${await text(".shown output")}`);
  check.expect(/^\d\.000 km$/.test(await text("#scale")), `and so is the scale: ${await text("#scale")}`);
  await page.value("viewer.panel.open('camera')");
  check.expect(await page.value("document.querySelector('.camera input').value") === "20.25", "an input keeps the dot");
  check.expect((await text(".codes code")).includes("latitude: 20.25, longitude: 0.5, zoom: 3.5"), "and so does a text to copy");
  await page.value("viewer.panel.open('about'); document.querySelector('.about .token input').focus()");
  await page.type(check.token);
  await page.key("Enter");
  await page.until("document.querySelectorAll('.about .figures dt').length > 5");
  check.expect(/Connections\d+ of 4\.096/.test(await text(".about .figures")), `numbers of the server too: ${await text(".about .figures")}`);
  await check.picture(page, "about-german");
  check.expectQuiet(page, "language");
}

/** The kind of a layer, which the server states in layers.json. */
export async function kinds(check) {
  const page = await check.open("world#0,20,3");
  await page.value(`viewer.setDocuments([...viewer.stack.entries.values()].map(({ document }) =>
    (document.id === 'world' ? { ...document, kind: 'generator' } : { ...document, kind: undefined })))`);
  const text = (selector) => page.value(`document.querySelector('${selector}').textContent`);
  check.expect((await text(".catalog [data-layer=world] small")).startsWith("world · generator · zoom"), "a row names the kind of a layer");
  check.expect((await text(".catalog [data-layer=grid] small")).startsWith("grid · zoom"), "and nothing if the server states none");
}
