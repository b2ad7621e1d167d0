/** The text to copy, and the choices above it. */
const seen = `(() => {
  const dialog = document.querySelector('dialog.clients');
  const [choice, address, text] = ['select', 'input', '.listing'].map((name) => dialog.querySelector(name));
  return { open: dialog.open, title: dialog.querySelector('h2').textContent, choice: choice.value, address: address.value,
    text: text.checkVisibility() ? text.textContent : null, problem: dialog.querySelector('.problem').textContent,
    hints: [...dialog.querySelectorAll('.hints p')].map((hint) => hint.textContent) }; })()`;

/** Chooses a program like a user. */
const choose = (id) => `(() => { const choice = document.querySelector('dialog.clients select');
  choice.value = '${id}';
  choice.dispatchEvent(new Event('change')); })()`;

/** Types an address like a user. */
async function write(page, text) {
  await page.value("document.querySelector('dialog.clients input').select()");
  await page.type(text);
}

const focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent";

/** The text opens what the page shows. */
async function camera(check, page) {
  await page.value("viewer.map.camera = { latitude: 47.4, longitude: 8.5, zoom: 11.25, bearing: 30, viewingAngle: 20 }");
  await page.value(choose("maplibre"));
  const { text } = await page.value(seen);
  const shown = await check.camera(page);
  const tilt = shown.viewingAngle > 0 ? `\n  pitch: ${shown.viewingAngle},` : "";
  const isThere = text.includes(`center: [8.5, 47.4],\n  zoom: 10.25,\n  bearing: 30,${tilt}\n`);
  check.expect(isThere, `the text begins at the page's camera: ${text.split("\n", 6).join(" ")}`);
}

/** The dialog tells what a phone needs before it can open the address. */
async function hints(check, page) {
  const hintsOf = async (id, address) => {
    await page.value(choose(id));
    await write(page, address);
    return (await page.value(seen)).hints;
  };
  const [own, ...others] = await hintsOf("gms-swift", "http://127.0.0.1:8080/");
  check.expect(own?.includes("A phone cannot open this address") && others.length === 0, `a phone cannot open the computer's own address: ${own}`);
  await check.picture(page, "clients-hint");
  await check.expectAccessible(page, "the dialog with a hint");
  const plain = await hintsOf("react-native-maps", "http://192.168.1.20:8080/");
  const isForBoth = plain.length === 2 && plain[0].includes("NSAllowsLocalNetworking") && plain[1].includes("Android");
  check.expect(isForBoth, `and the systems of phones block plain HTTP: ${plain.join(" | ")}`);
  const none = [...await hintsOf("gms-swift", "https://192.168.1.20:8443/"), ...await hintsOf("leaflet", "http://127.0.0.1:8080/")];
  check.expect(none.length === 0, `nothing is said where nothing is wrong ${none.join(" | ")}`);
  await write(page, check.base);
}

/** The text for programs: opened, chosen, copied and closed by keys, and remembered for the next time. */
export async function clients(check) {
  const page = await check.open("grid#0,20,3");
  await page.value("document.querySelector('.shown[data-layer=grid] button.small').focus()");
  await page.key("Enter");
  await page.until("document.querySelector('dialog.clients').open");
  const first = await page.value(seen);
  check.expect(first.title === "Use Tile grid in …" && first.choice === "gms-swift", `a layer can be used in programs: ${first.title}`);
  const isThere = first.text.includes(`"${check.base}grid/\\(zoom)/\\(x)/\\(y)@2x.png?empty=`);
  check.expect(isThere && first.address === check.base, "by the server's address");
  await check.picture(page, "clients");
  await check.expectAccessible(page, "the dialog of programs");

  for (const key of "Leaf") await page.key(key);
  await page.until("document.querySelector('dialog.clients select').value === 'leaflet'");
  const leaflet = await page.value(seen);
  const isLeaflet = leaflet.text.includes(`${check.base}grid/{z}/{x}/{y}{r}.png?empty=transparent`);
  check.expect(isLeaflet, "another is chosen by its name, where the focus is at first");

  await camera(check, page);
  await hints(check, page);
  await page.value(choose("leaflet"));

  await page.value("document.querySelector('dialog.clients input').focus()");
  await write(page, "https://public.example/t");
  check.expect((await page.value(seen)).text.includes('"https://public.example/t/grid/{z}'), "and another address typed");
  await write(page, "public.example");
  const wrong = await page.value(seen);
  check.expect(wrong.text === null && wrong.problem.includes("https://"), "what is none is told so");
  await write(page, "https://public.example/t");

  await page.value(`Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { globalThis.copied = text; } } })`);
  for (let presses = 0; presses < 9 && await page.value(focused) !== "Copy this text"; presses += 1) await page.key("Tab");
  await page.key("Enter");
  await page.until("globalThis.copied");
  check.expect(await page.value("copied") === (await page.value(seen)).text, "what is seen is copied");
  let left = 0;
  for (let presses = 0; presses < 9; presses += 1) {
    await page.key("Tab");
    // Between the last and the first element the browser's own controls have the focus. Then no element of the page has
    // it.
    const isInside = "document.querySelector('dialog.clients').contains(document.activeElement) || document.activeElement === document.body";
    if (!await page.value(isInside)) left += 1;
  }
  check.expect(left === 0, "Tab stays in the dialog");
  await page.key("Escape");
  await page.until("!document.querySelector('dialog.clients').open");
  const after = await page.value(focused);
  check.expect(after === "Use it in …: Tile grid", `Escape closes it, and the focus is where it was: ${after}`);

  await page.value("location.reload()");
  await page.until("window.viewer && !globalThis.copied");
  await check.settled(page);
  await page.value("document.querySelector('.shown[data-layer=grid] button.small').click()");
  check.expect((await page.value(seen)).choice === "leaflet", "the choice is remembered");
  await page.value("localStorage.clear(); document.querySelector('dialog.clients header button').click()");
  check.expect(await page.value("document.querySelector('dialog.clients').open") === false, "a button closes it");
  await page.resize({ width: 390, height: 844, scale: 2, isPhone: true });
  await page.value("document.querySelector('.shown[data-layer=grid] button.small').click()");
  const { right, bottom } = await page.value("JSON.parse(JSON.stringify(document.querySelector('dialog.clients').getBoundingClientRect()))");
  check.expect(right <= 390 && bottom <= 844, `it fits a phone: ${right}, ${bottom}`);
  await check.picture(page, "clients-phone");
  check.expectQuiet(page, "clients");
}
