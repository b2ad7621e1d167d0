import { mkdirSync } from "node:fs";

import { Page } from "./Page.js";

/** The state that the checks of the page share: the browser, the server, and the found faults. */
export class Check {
  failures = 0;
  #browser;
  #pages = [];

  /**
   * `base` is the page's address, and `token` the server's token. `pictures` is a directory, or undefined. `axe` is the
   * text of axe.min.js. `configuration` is the path of the server's own file. `pid` is the server's process, which
   * reloads this file at SIGHUP.
   */
  constructor(browser, { base, token, pictures, axe, configuration, pid }) {
    this.#browser = browser;
    Object.assign(this, { base, token, pictures, axe, configuration, pid });
    if (pictures) mkdirSync(pictures, { recursive: true });
  }

  expect(isRight, text) {
    console.log(`${isRight ? "  ok " : "FAIL "} ${text}`);
    if (!isRight) this.failures += 1;
  }

  /** Opens a page at a path below the base, and waits until it shows all of its map. */
  async open(path, view) {
    const page = await Page.open(this.#browser, new URL(path, this.base).href, view);
    this.#pages.push(page);
    await this.settled(page);
    return page;
  }

  /** Returns the number of shared workers in the browser. */
  async workers() {
    const { targetInfos } = await this.#browser.call("Target.getTargets");
    return targetInfos.filter(({ type }) => type === "shared_worker").length;
  }

  /** Opens a page at any address. */
  async openAnything(path) {
    const page = await Page.open(this.#browser, new URL(path, this.base).href);
    this.#pages.push(page);
    return page;
  }

  /** Waits until a page shows all of its map for some frames. */
  async settled(page) {
    await page.until("window.viewer && viewer.map.isComplete");
    await page.value("new Promise((done) => { let left = 8; const next = () => (left-- ? requestAnimationFrame(next) : done()); next(); })");
    await page.until("viewer.map.isComplete");
  }

  /** Closes all pages, because they would use the processor. */
  async closePages() {
    for (const page of this.#pages.splice(0)) await page.close();
  }

  /** Saves the visible page as a PNG, or in the format of the name's suffix. */
  async picture(page, name) {
    if (this.pictures) await page.screenshot(`${this.pictures}/${name.includes(".") ? name : `${name}.png`}`);
  }

  camera(page) {
    return page.value("JSON.parse(JSON.stringify(viewer.map.camera))");
  }

  /**
   * Checks that the console is empty, and that no request goes to another host or fails. Tiles of failing layers are
   * excluded.
   */
  expectQuiet(page, name) {
    const isExpected = (text) => ["down", "pictured"].some((layer) => text.includes(`${this.base}${layer}/`));
    const messages = page.messages.filter((text) => !isExpected(text));
    const elsewhere = page.requests.filter(({ url }) => /^https?:/.test(url) && !url.startsWith(this.base)).map(({ url }) => url);
    const failed = page.requests.filter(({ url, status }) => status >= 400 && !isExpected(url)).map(({ url }) => url);
    const found = [...messages, ...elsewhere.map((url) => `asks ${url}`), ...failed.map((url) => `fails: ${url}`)];
    this.expect(found.length === 0, `${name}: nothing in the console, no request elsewhere, none that fails ${found.slice(0, 4).join(" | ")}`);
  }

  /** Checks the page with axe-core. Does nothing without axe-core. */
  async expectAccessible(page, name) {
    if (!this.axe) return;
    await page.value(`${this.axe}; 1`);
    const found = await page.value(`axe.run(document).then((result) => result.violations.map((it) =>
      it.id + ': ' + it.nodes.map((node) => node.target).join(' ')))`);
    this.expect(found.length === 0, `axe finds nothing in ${name} ${found.join("; ")}`);
  }
}
