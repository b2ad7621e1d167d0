import { writeFileSync } from "node:fs";

/** A page of a Browser: its picture, its messages and its requests. */
export class Page {
  /** All messages of the console, errors of scripts and violations of the policy, as text. */
  messages = [];
  /**
   * {url, method, status, fields, protocol, failure} of each request, in order. `failure` is set if the browser kept the
   * response from the page.
   */
  requests = [];
  #browser;
  #session;
  #isLoaded = false;

  /** Opens `address` in a view of `width` × `height` points with `scale` pixels each. */
  static async open(browser, address, view = {}) {
    const page = new Page();
    page.#browser = browser;
    const { targetId } = await browser.call("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await browser.call("Target.attachToTarget", { targetId, flatten: true });
    page.#session = sessionId;
    browser.listen((method, parameters, session) => session === sessionId && page.#hear(method, parameters));
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.call(`${domain}.enable`);
    await page.resize(view);
    if (view.dark) await page.prefer("prefers-color-scheme", "dark");
    await page.go(address);
    return page;
  }

  call(method, parameters) {
    return this.#browser.call(method, parameters, this.#session);
  }

  async resize({ width = 1280, height = 800, scale = 1, isPhone = false }) {
    await this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: isPhone });
    if (isPhone) await this.call("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 2 });
  }

  prefer(name, value) {
    return this.call("Emulation.setEmulatedMedia", { features: [{ name, value }] });
  }

  async go(address) {
    this.#isLoaded = false;
    await this.call("Page.navigate", { url: address });
    while (!this.#isLoaded) await pause(20);
  }

  /** Brings the page to the front, because other pages draw nothing. */
  front() {
    return this.call("Page.bringToFront");
  }

  /** Returns the value of an expression in the page. The expression may be a promise. */
  async value(expression) {
    const answer = await this.call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? expression);
    return answer.result.value;
  }

  /** Waits until an expression is true. The wait measures nothing, because the machine may be busy. */
  async until(expression, seconds = 120) {
    const end = Date.now() + seconds * 1000;
    while (!await this.value(`Boolean(${expression})`)) {
      if (Date.now() > end) throw new Error(`${expression} is not true after ${seconds} s`);
      await pause(50);
    }
  }

  /** Saves the visible page as a PNG, or as a WebP by the path's suffix. Returns the bytes. */
  async screenshot(path) {
    const format = path?.endsWith(".webp") ? { format: "webp", quality: 85 } : { format: "png" };
    const { data } = await this.call("Page.captureScreenshot", format);
    const bytes = Buffer.from(data, "base64");
    if (path) writeFileSync(path, bytes);
    return bytes;
  }

  /** Returns the events of the browser's trace during `work`: {name, ts, dur} in microseconds, as in Chromium. */
  async trace(categories, work) {
    const events = [];
    const ended = new Promise((resolve) => {
      this.#browser.listen((method, parameters) => {
        if (method === "Tracing.dataCollected") events.push(...parameters.value);
        if (method === "Tracing.tracingComplete") resolve();
      });
    });
    const traceConfig = { includedCategories: categories.split(",") };
    await this.#browser.call("Tracing.start", { transferMode: "ReportEvents", traceConfig });
    await work();
    await this.#browser.call("Tracing.end");
    await ended;
    return events;
  }

  close() {
    return this.call("Page.close");
  }

  mouse(type, x, y, more = {}) {
    return this.call("Input.dispatchMouseEvent", { type, x, y, button: "none", ...more });
  }

  async drag(from, to, { button = "left", steps = 12, modifiers = 0 } = {}) {
    await this.mouse("mousePressed", ...from, { button, clickCount: 1, modifiers });
    for (let step = 1; step <= steps; step += 1) {
      const [x, y] = from.map((start, index) => start + ((to[index] - start) * step) / steps);
      await this.mouse("mouseMoved", x, y, { button, modifiers });
    }
    await this.mouse("mouseReleased", ...to, { button, clickCount: 1, modifiers });
  }

  /** Drags the element at one point to another point and drops it there. */
  async dragAndDrop(from, [x, y]) {
    await this.call("Input.setInterceptDrags", { enabled: true });
    const begun = new Promise((resolve) => {
      this.#browser.listen((method, { data }, session) => method === "Input.dragIntercepted" && session === this.#session && resolve(data));
    });
    await this.mouse("mousePressed", ...from, { button: "left", clickCount: 1 });
    await this.mouse("mouseMoved", from[0], from[1] + 15, { button: "left", buttons: 1 });
    await this.mouse("mouseMoved", from[0], from[1] + 30, { button: "left", buttons: 1 });
    const data = await begun;
    for (const type of ["dragEnter", "dragOver", "drop"]) await this.call("Input.dispatchDragEvent", { type, x, y, data });
    await this.mouse("mouseReleased", x, y, { button: "left", clickCount: 1 });
  }

  /** Moves fingers between points. Each list has a finger's [x, y]. */
  async fingers(from, to, steps = 8) {
    const touch = (type, points) => this.call("Input.dispatchTouchEvent", {
      type, touchPoints: points.map(([x, y], id) => ({ x, y, id })),
    });
    await touch("touchStart", from);
    for (let step = 1; step <= steps; step += 1) {
      await touch("touchMove", from.map(([x, y], finger) =>
        [x + ((to[finger][0] - x) * step) / steps, y + ((to[finger][1] - y) * step) / steps]));
    }
    await touch("touchEnd", []);
  }

  /** Sends two taps within 200 ms, independent of the time at which the browser handles them. */
  async doubleTap(x, y) {
    const began = Date.now() / 1000;
    const taps = [["touchStart", 0], ["touchEnd", 0.05], ["touchStart", 0.15], ["touchEnd", 0.2]];
    for (const [type, after] of taps) {
      const touchPoints = type === "touchStart" ? [{ x, y, id: 0 }] : [];
      await this.call("Input.dispatchTouchEvent", { type, touchPoints, timestamp: began + after });
    }
  }

  async click(x, y, clickCount = 1) {
    for (let count = 1; count <= clickCount; count += 1) {
      await this.mouse("mousePressed", x, y, { button: "left", clickCount: count });
      await this.mouse("mouseReleased", x, y, { button: "left", clickCount: count });
    }
  }

  async key(key, { modifiers = 0, code = key, text = undefined } = {}) {
    const numbers = { Tab: 9, Enter: 13, Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, " ": 32 };
    const event = { key, code, modifiers, windowsVirtualKeyCode: numbers[key] ?? key.toUpperCase().charCodeAt(0) };
    const typed = text ?? (key.length === 1 ? key : key === "Enter" ? "\r" : undefined);
    await this.call("Input.dispatchKeyEvent", { type: typed ? "keyDown" : "rawKeyDown", text: typed, ...event });
    await this.call("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  /** Types a text into the element with the focus. */
  type(text) {
    return this.call("Input.insertText", { text });
  }

  #hear(method, parameters) {
    if (method === "Page.loadEventFired") this.#isLoaded = true;
    if (method === "Runtime.consoleAPICalled") {
      this.messages.push(parameters.args.map((arg) => arg.value ?? arg.description).join(" "));
    }
    if (method === "Runtime.exceptionThrown") {
      this.messages.push(parameters.exceptionDetails.exception?.description ?? parameters.exceptionDetails.text);
    }
    if (method === "Log.entryAdded") this.messages.push(`${parameters.entry.text} ${parameters.entry.url ?? ""}`);
    if (method === "Network.requestWillBeSent") {
      this.requests.push({ id: parameters.requestId, url: parameters.request.url, method: parameters.request.method });
    }
    if (method === "Network.responseReceived") {
      const request = this.requests.find((each) => each.id === parameters.requestId);
      if (request) {
        const { status, headers: fields, protocol } = parameters.response;
        Object.assign(request, { status, fields, protocol });
      }
    }
    if (method === "Network.loadingFailed") {
      const request = this.requests.find((each) => each.id === parameters.requestId);
      if (request) request.failure = parameters.errorText;
    }
  }
}

export function pause(milliseconds) {
  return new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}
