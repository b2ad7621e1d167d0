#!/usr/bin/env node
// Drives the viewer in a headless Chromium as a user would, against a running server:
//
//     web/browser/check.js http://127.0.0.1:8080/ --token TOKEN [--pictures DIRECTORY] [--axe axe.min.js]
//
// The server serves config/tileserver.yaml. CHROMIUM names the browser. Says what it has seen, and ends with status 1 where anything
// is not as it should be.

import { mkdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { Browser } from "./Browser.js";
import { Page, pause } from "./Page.js";
import { greatestDifference } from "./cameras.js";
import { decode, difference } from "./png.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { token: { type: "string" }, pictures: { type: "string" }, axe: { type: "string" }, only: { type: "string" } },
});
const base = positionals[0] ?? "http://127.0.0.1:8080/";
if (values.pictures) mkdirSync(values.pictures, { recursive: true });

let failures = 0;

function expect(isRight, text) {
  console.log(`${isRight ? "  ok " : "FAIL "} ${text}`);
  if (!isRight) failures += 1;
}

async function settled(page) {
  await page.until("window.viewer && viewer.map.isComplete", 60);
  await pause(400);
  await page.until("viewer.map.isComplete", 60);
}

async function open(path, view) {
  const page = await Page.open(browser, new URL(path, base).href, view);
  await settled(page);
  return page;
}

async function picture(page, name) {
  if (values.pictures) await page.screenshot(`${values.pictures}/${name}.png`);
}

const camera = (page) => page.value("JSON.parse(JSON.stringify(viewer.map.camera))");

/** Nothing in the console, no request to another host, none that failed. */
function expectQuiet(page, name) {
  expect(page.messages.length === 0, `${name}: nothing in the console ${page.messages.slice(0, 3).join(" | ")}`);
  const elsewhere = page.requests.filter(({ url }) => /^https?:/.test(url) && !url.startsWith(base));
  expect(elsewhere.length === 0, `${name}: no request elsewhere ${elsewhere.map(({ url }) => url).slice(0, 3)}`);
  const failed = page.requests.filter(({ status }) => status >= 400);
  expect(failed.length === 0, `${name}: no request fails ${failed.map(({ url }) => url).slice(0, 3)}`);
}

const checks = {
  async moves() {
    const page = await open("#-118.6,50.2,6");
    const start = await camera(page);
    await page.drag([700, 400], [500, 300]);
    await pause(600);
    const dragged = await camera(page);
    expect(dragged.longitude > start.longitude && dragged.latitude < start.latitude, "a drag moves the map");
    await page.mouse("mouseWheel", 700, 400, { deltaX: 0, deltaY: -300 });
    await page.until(`viewer.map.camera.zoom > ${dragged.zoom + 0.5}`);
    expect(true, "the wheel zooms");
    await page.drag([700, 400], [800, 320], { button: "right" });
    const turned = await camera(page);
    expect(turned.bearing !== 0 && turned.viewingAngle > 0, "the right button turns and tilts");
    await settled(page);
    await page.until("location.hash.includes('@')");
    expect(true, "the address holds the camera");
    await page.click(700, 400, 2);
    await page.until(`viewer.map.camera.zoom > ${turned.zoom + 0.9}`);
    expect(true, "a double click zooms in");
    await settled(page);
    expectQuiet(page, "moving");
  },

  async keys() {
    const page = await open("world#0,20,3");
    await page.value("document.getElementById('view').focus()");
    await page.key("ArrowRight");
    await page.until("viewer.map.camera.longitude > 1");
    await page.key("+");
    await page.until("viewer.map.camera.zoom > 3.9");
    await page.key("ArrowRight", { modifiers: 8 });
    await page.until("viewer.map.camera.bearing > 10");
    await page.key("n");
    await page.until("viewer.map.camera.bearing === 0");
    expect(true, "arrows, plus, Shift and N move the camera");
    await page.key("Enter");
    await page.until("!document.getElementById('card').hidden");
    await page.key("Escape");
    await page.until("document.getElementById('card').hidden && document.activeElement.id === 'view'");
    expect(true, "Enter tells about the tile in the middle, Escape gives the focus back");
    // Once around by Tab: every control has a name, and the focus comes back.
    const names = new Set();
    for (let presses = 0; presses < 60; presses += 1) {
      await page.key("Tab");
      names.add(await page.value(`(() => { const it = document.activeElement; return it.getAttribute('aria-label') || it.textContent
        || it.labels?.[0]?.textContent || it.id || it.tagName; })()`));
    }
    expect(names.has("Closer") && [...names].some((name) => name.includes("Layers")), `Tab reaches the controls (${names.size})`);
    expectQuiet(page, "keys");
  },

  async fingers() {
    const page = await open("world#0,20,4", { width: 390, height: 844, scale: 2, isPhone: true });
    const start = await camera(page);
    await page.fingers([[200, 400]], [[100, 400]]);
    await pause(800);
    expect((await camera(page)).longitude > start.longitude + 1, "a finger drags the map");
    await page.fingers([[150, 400], [250, 400]], [[100, 400], [300, 400]]);
    await page.until("viewer.map.camera.zoom > 4.8");
    expect(await page.value("viewer.map.camera.bearing") === 0, "two fingers zoom, and do not turn unless they are turned");
    await page.fingers([[150, 400], [250, 400]], [[200, 350], [200, 450]]);
    await page.until("viewer.map.camera.bearing !== 0");
    await page.fingers([[150, 500], [250, 500]], [[150, 440], [250, 440]]);
    await page.until("viewer.map.camera.viewingAngle > 15");
    expect(true, "two fingers turn, and tilt side by side");
    const { zoom } = await camera(page);
    await page.fingers([[200, 300]], [[200, 300]], 0);
    await page.fingers([[200, 300]], [[200, 300]], 0);
    await page.until(`viewer.map.camera.zoom > ${zoom + 0.9}`);
    expect(true, "a double tap zooms in");
    await settled(page);
    expectQuiet(page, "fingers");
  },

  async token() {
    const page = await open(`#0,20,3&token=${encodeURIComponent(values.token)}`);
    expect(!(await page.value("location.href")).includes("token"), "the token is taken out of the address");
    await page.click(800, 400);
    await page.until("!document.getElementById('card').hidden");
    await page.value("[...document.querySelectorAll('#card button')].find((it) => it.textContent === 'Explain').click()");
    await page.until("document.querySelector('.explanation dl') !== null");
    expect(true, "with the token the card tells all of a tile");
    await settled(page);
    const count = page.requests.length;
    await page.value("[...document.querySelectorAll('#card button')].find((it) => it.textContent.startsWith('Clear')).click()");
    await page.until("document.querySelector('.log li') !== null");
    await settled(page);
    const reloaded = page.requests.slice(count).filter(({ url }) => /\/\d+\/\d+\/\d+\.png\?empty=204/.test(url));
    expect(reloaded.length === 1, `a tile that is cleared is asked for again, and no other: ${reloaded.length}`);
    expectQuiet(page, "token");
  },

  async layers() {
    const page = await open("");
    const before = await page.value("viewer.stack.shown.map((layer) => layer.id).join()");
    expect(before === "demo", `the first map is shown: ${before}`);
    await page.value("document.querySelector('input[data-shows=grid]').click()");
    await settled(page);
    expect(await page.value("viewer.stack.shown.at(-1).id") === "grid", "a layer is shown above");
    await page.until("location.hash.includes('layers=demo,grid')");
    await picture(page, "desktop");
    await page.value("viewer.stack.hide(viewer.stack.entries.get('grid'))");
    expect(await page.value("viewer.stack.shown.length") === 1, "and hidden");
    await page.value("(() => { const it = document.querySelector('input[type=search]'); it.value = 'mand'; it.dispatchEvent(new Event('input')); })()");
    expect(await page.value("document.querySelectorAll('.catalog li').length") === 1, "a search finds one layer");
    expectQuiet(page, "layers");
  },

  async clears() {
    const [first, second] = [await open("world#-123,49,8"), await open("world#-123,49,8")];
    await first.value(`viewer.panel.open('cache'); document.querySelectorAll('.cache .check input').forEach((box) => box.id || box.click())`);
    await first.value(`(() => { const soft = [...document.querySelectorAll('.cache .check input')].at(-1); if (soft.checked) soft.click(); })()`);
    const count = second.requests.length;
    await first.value(`[...document.querySelectorAll('.cache button')].find((it) => it.textContent.startsWith('Tiles in')).click()`);
    await first.drag([700, 400], [760, 440]);
    await first.until("!document.querySelector('.token').hidden");
    await first.value(`(() => { document.querySelector('.token input').value = ${JSON.stringify(values.token)};
      document.querySelector('.token').requestSubmit(); })()`);
    await first.until("document.querySelector('.cache > .hint[role=status]').textContent.includes('cleared')");
    await second.until(`document.querySelector('.log li') !== null`);
    await settled(second);
    const reloaded = second.requests.slice(count).filter(({ url }) => url.includes("/world/8/"));
    const affected = await second.value(`(() => {
      const box = ${JSON.stringify(await first.value("({ ...viewer.overlay.box, west: viewer.overlay.box.longitudes.west, east: viewer.overlay.box.longitudes.east })"))};
      const span = 2 ** 8; const x = (lng) => Math.floor((lng + 180) / 360 * span);
      const y = (lat) => Math.floor((0.5 - Math.asinh(Math.tan(lat * Math.PI / 180)) / (2 * Math.PI)) * span);
      return (x(box.east) - x(box.west) + 1) * (y(box.south) - y(box.north) + 1); })()`);
    expect(reloaded.length === affected, `a second page reloads the ${affected} tiles of the box: ${reloaded.length}`);
    await first.front();
    await settled(first);
    await picture(first, "cache");
    expectQuiet(first, "clearing");
    expectQuiet(second, "a page that listens");
  },

  async agrees() {
    const apart = await greatestDifference(base, "demo");
    expect(apart < 1e-9, `updates and flights lead where the server's do: ${apart} apart at most`);
    for (const [map, text] of [["world", "-118.6,50.2,6@30,30"], ["relief", "20,40,9@200,30"], ["grid", "151.2086,-33.8683,16@30,65"]]) {
      const page = await open(`${map}#${text}`, { width: 800, height: 600 });
      await page.value("viewer.panel.open(null); for (const it of document.body.querySelectorAll('aside, .controls, .foot')) it.hidden = true");
      const seen = decode(await page.screenshot());
      const response = await fetch(new URL(`${map}/static/${text}/800x600.png?attribution=false`, base));
      const drawn = decode(Buffer.from(await response.arrayBuffer()));
      const { mean, most } = difference(seen, drawn);
      expect(mean <= 2, `${map} ${text} is the static image: ${mean.toFixed(3)} levels in the mean, ${most} at most`);
    }
  },

  async pictures() {
    await picture(await open("#-123.6,49.2,8@40,30"), "tilted");
    await picture(await open("#-118.6,50.2,6@30,30", { width: 390, height: 844, scale: 2, isPhone: true }), "phone");
    const phone = await open("", { width: 390, height: 844, scale: 2, isPhone: true });
    await phone.value("viewer.panel.open('layers')");
    await settled(phone);
    await picture(phone, "phone-layers");
    const dark = await open("mandelbrot#0,0,3", { dark: true });
    await dark.value("viewer.panel.open('camera')");
    await settled(dark);
    await picture(dark, "dark");
    expectQuiet(dark, "dark");
  },

  async accessible() {
    if (!values.axe) return;
    const script = readFileSync(values.axe, "utf8");
    for (const view of [{}, { dark: true }, { width: 390, height: 844, isPhone: true }]) {
      const page = await open("", view);
      for (const tab of ["layers", "camera", "cache"]) {
        await page.value(`viewer.panel.open('${tab}')`);
        await pause(300);
        await page.value(script + "; 1");
        const found = await page.value("axe.run(document).then((result) => result.violations.map((it) => it.id + ': ' + it.nodes.map((node) => node.target).join(' ')))");
        expect(found.length === 0, `axe finds nothing in ${tab} ${JSON.stringify(view)} ${found.join("; ")}`);
      }
    }
  },
};

const browser = await Browser.start();
try {
  for (const [name, check] of Object.entries(checks)) {
    if (values.only && !values.only.split(",").includes(name)) continue;
    console.log(name);
    await check();
  }
} catch (error) {
  expect(false, error.stack);
} finally {
  await browser.stop();
}
process.exitCode = failures > 0 ? 1 : 0;
