#!/usr/bin/env node
// Tests the viewer in a headless Chromium, with the actions of a user, against a running server:
//
//     web/browser/check.js http://127.0.0.1:8080/ --token TOKEN [--pictures DIRECTORY] [--axe axe.min.js] [--only mouse,box]
//         [--configuration FILE --pid PID]
//
// The server serves config/tileserver.yaml. With FILE, a copy of that file, and PID, the check changes the file and
// makes the server reload it. The environment variable CHROMIUM names the browser. Certificates are not checked. The
// script prints its findings. The status is 1 if a check fails.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { Browser } from "./Browser.js";
import { Check } from "./Check.js";
import { about, kinds, language, urls } from "./checks/about.js";
import { address } from "./checks/address.js";
import { card } from "./checks/card.js";
import { box, code, token } from "./checks/clearing.js";
import { clients } from "./checks/clients.js";
import { position, targets, zooming } from "./checks/controls.js";
import { errors } from "./checks/errors.js";
import { keyboard } from "./checks/keyboard.js";
import { layers, missing, problems } from "./checks/layers.js";
import { fingers, mouse } from "./checks/moving.js";
import { rules, screens } from "./checks/maps.js";
import { names } from "./checks/names.js";
import { reload, shared } from "./checks/news.js";
import { loading, outages } from "./checks/outages.js";
import { flight, fit, order, picture } from "./checks/panels.js";
import { absent, search } from "./checks/search.js";
import { agrees, looks } from "./checks/seen.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    token: { type: "string" }, pictures: { type: "string" }, axe: { type: "string" }, only: { type: "string" },
    configuration: { type: "string" }, pid: { type: "string" },
  },
});
process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
process.removeAllListeners("warning");

const all = {
  mouse, fingers, card, keyboard, clients, layers, problems, errors, missing, order, fit, flight, picture, rules, screens, token, code, box,
  shared, reload, about, urls, kinds, language, search, absent, address, outages, loading, zooming, position, targets, names, agrees, looks,
};
const chosen = values.only?.split(",") ?? Object.keys(all);
const browser = await Browser.start({ flags: ["--ignore-certificate-errors"] });
const check = new Check(browser, {
  base: positionals[0] ?? "http://127.0.0.1:8080/", token: values.token, pictures: values.pictures,
  axe: values.axe && readFileSync(values.axe, "utf8"), configuration: values.configuration, pid: Number(values.pid ?? 0),
});
for (const name of chosen) {
  console.log(name);
  const began = Date.now();
  try {
    await all[name](check);
  } catch (error) {
    check.expect(false, error.stack);
  }
  await check.closePages();
  console.log(`      ${((Date.now() - began) / 1000).toFixed(1)} s`);
}
await browser.stop();
process.exitCode = check.failures > 0 ? 1 : 0;
