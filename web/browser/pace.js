#!/usr/bin/env node
// Measures the frames of a moving camera in a headless Chromium without a graphics card:
//
//     web/browser/pace.js http://127.0.0.1:8080/ [--seconds 3]
//
// The numbers come from the browser's trace: the time between frames, and the longest tasks of the page. They differ on
// a machine with other work.

import { parseArgs } from "node:util";

import { Browser } from "./Browser.js";
import { Page, pause } from "./Page.js";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seconds: { type: "string", default: "3" } } });
const base = positionals[0] ?? "http://127.0.0.1:8080/";

/** The movements: a name, the start, and the change in each frame. */
const moves = [
  ["pan", "#-120,49,6", "longitude: camera.longitude + 0.02"],
  ["pan between zooms", "#-120,49,6.4", "longitude: camera.longitude + 0.02"],
  ["zoom", "#-120,49,5", "zoom: camera.zoom + 0.02"],
  ["turned", "#-120,49,6@30", "longitude: camera.longitude + 0.02"],
  ["tilted", "#-120,49,6@30,30", "longitude: camera.longitude + 0.02"],
  ["begins to turn", "#-120,49,6", "bearing: camera.bearing + 0.5"],
  ["begins to tilt", "#-120,49,6", "viewingAngle: Math.min(camera.viewingAngle + 0.3, 40)"],
];

const browser = await Browser.start({ flags: ["--disable-gpu"] });
try {
  for (const [name, place, change] of moves) {
    const page = await Page.open(browser, new URL(place, base).href);
    await page.until("window.viewer && viewer.map.isComplete", 60);
    await pause(500);
    const events = await page.trace("devtools.timeline,toplevel,blink.user_timing", () => page.value(`(async () => {
      const end = performance.now() + ${Number(values.seconds) * 1000};
      while (performance.now() < end) {
        const { camera } = viewer.map;
        viewer.map.camera = { ...camera, ${change} };
        await new Promise(requestAnimationFrame);
        performance.mark("frame");
      }
    })()`));
    const marks = events.filter((event) => event.name === "frame").map(({ ts }) => ts / 1000).sort((a, b) => a - b);
    const intervals = marks.slice(1).map((time, index) => time - marks[index]).sort((a, b) => a - b);
    const tasks = events.filter((event) => /^(ThreadControllerImpl::RunTask|RunTask)$/.test(event.name) && event.dur)
      .map(({ dur }) => dur / 1000).sort((a, b) => a - b);
    const at = (part) => intervals[Math.min(Math.floor(intervals.length * part), intervals.length - 1)]?.toFixed(1);
    const over = intervals.filter((time) => time > 50).length;
    console.log(`${name}: ${intervals.length} frames, median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms, `
      + `${over} over 50 ms; longest task ${tasks.at(-1)?.toFixed(1) ?? "–"} ms`);
    await page.close();
  }
} finally {
  await browser.stop();
}
