import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A headless Chromium, driven by its DevTools protocol over a pipe. Owns the process and its profile.
 *
 *     const browser = await Browser.start();
 *     const page = await browser.open("http://127.0.0.1:8080/", { width: 1280, height: 800 });
 */
export class Browser {
  #process;
  #profile;
  #calls = new Map();
  #listeners = new Set();
  #number = 0;
  #rest = "";

  /** `program` is Chromium's path. `flags` are added to the flags for headless software drawing. */
  static async start({ program = process.env.CHROMIUM ?? "chromium", flags = [] } = {}) {
    const browser = new Browser();
    browser.#profile = mkdtempSync(join(tmpdir(), "viewer-"));
    browser.#process = spawn(program, [
      "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-sandbox", "--disable-dev-shm-usage",
      "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb", "--disable-background-networking",
      "--disable-component-update", "--hide-scrollbars", `--user-data-dir=${browser.#profile}`, ...flags, "about:blank",
    ], { stdio: ["ignore", "ignore", process.env.CHROMIUM_LOG ? "inherit" : "ignore", "pipe", "pipe"] });
    browser.#process.stdio[4].setEncoding("utf8");
    browser.#process.stdio[4].on("data", (text) => browser.#read(text));
    return browser;
  }

  /** Ends the process and removes its profile. */
  async stop() {
    const ended = new Promise((resolve) => { this.#process.once("exit", resolve); });
    this.call("Browser.close").catch(() => {});
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), 5000);
    await ended;
    clearTimeout(timer);
    rmSync(this.#profile, { recursive: true, force: true });
  }

  /** Calls a method of the protocol. With a session it calls the page's method. */
  call(method, parameters = {}, session = undefined) {
    this.#number += 1;
    const id = this.#number;
    this.#process.stdio[3].write(`${JSON.stringify({ id, method, params: parameters, sessionId: session })}\0`);
    return new Promise((resolve, reject) => { this.#calls.set(id, { resolve, reject, method }); });
  }

  /** Calls `listener(method, parameters, session)` for every event. */
  listen(listener) {
    this.#listeners.add(listener);
  }

  #read(text) {
    const messages = (this.#rest + text).split("\0");
    this.#rest = messages.pop();
    for (const message of messages.map((each) => JSON.parse(each))) {
      if (message.id === undefined) {
        for (const listener of this.#listeners) listener(message.method, message.params, message.sessionId);
        continue;
      }
      const { resolve, reject, method } = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      if (message.error) reject(new Error(`${method}: ${message.error.message}`));
      else resolve(message.result);
    }
  }
}
