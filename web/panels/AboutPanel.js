// @ts-check
import { Metrics, readMetrics } from "../server/metrics.js";
import { layerSizes, requestRate, serverNumbers } from "../server/serverNumbers.js";
import { button, element } from "./element.js";
import { numberRows, sizeRows, upstreamRow } from "./numberRows.js";
import { TokenForm } from "./TokenForm.js";

/** Milliseconds between two readings of the numbers. */
const pause = 5000;

/** Documents of the server, relative to the page. */
const links = [
  ["health", "Server health"], ["layers.json", "Layers and maps"], ["wmts.xml", "WMTS capabilities"], ["openapi.json", "OpenAPI"],
];

/** The about tab: the server's name and version, its documents, and its numbers for holders of the admin token. */
export class AboutPanel {
  content = element("div", { className: "about" });
  #server;
  #stack;
  #token;
  #isOpen = false;
  #timer = 0;
  #isReading = false;
  #earlier = null;
  /** True after the server has shown its numbers without a token. */
  #isPublic = false;
  #version = element("p", { className: "version", text: "tileserver" });
  #hint = element("p", { className: "hint", text: "Numbers of the server need the admin token." });
  #public = element("p", { className: "hint" }, [
    "If metrics.public is set, the server needs no token. ",
    button("Ask without a token", () => this.#read(), { className: "small" }),
  ]);
  #problem = element("p", { className: "problem", role: "status" });
  #numbers = element("dl", { className: "figures" });
  #upstreamsHead = element("h3", { text: "Sources", hidden: true });
  #upstreams = element("dl", { className: "figures" });
  #layersHead = element("h3", { text: "Tiles in the cache", hidden: true });
  #layers = element("dl", { className: "figures" });

  constructor(server, stack) {
    [this.#server, this.#stack] = [server, stack];
    this.#token = new TokenForm(server);
    this.content.append(
      this.#version,
      element("p", { className: "hint", text: "A server of raster map tiles. Its documentation is in the folder docs of the source code." }),
      element("ul", { className: "links" }, links.map(([path, name]) => element("li", {}, [
        element("a", { href: server.address(path), target: "_blank", rel: "noopener", text: name }),
        element("small", { text: ` ${path}` }),
      ]))),
      element("h3", { text: "Numbers" }), this.#hint, this.#token.content, this.#public, this.#problem, this.#numbers,
      this.#upstreamsHead, this.#upstreams, this.#layersHead, this.#layers);
    document.addEventListener("visibilitychange", () => this.#begin());
  }

  /** The numbers are read only while the tab is open and the page is visible. */
  set isOpen(isOpen) {
    if (this.#isOpen === isOpen) return;
    this.#isOpen = isOpen;
    if (isOpen) this.#showVersion();
    this.#begin();
  }

  #begin() {
    clearTimeout(this.#timer);
    if (!this.#isOpen || document.hidden) return;
    this.#showAccess();
    // A request without the token would be logged as a denied one, so the page sends it only when the user asks.
    if (this.#isPublic) this.#read();
    else this.#token.with(() => this.#read(), { isFocused: false });
  }

  #showAccess() {
    this.#hint.hidden = this.#public.hidden = this.#server.hasToken || this.#isPublic;
    if (this.#isPublic) this.#token.content.hidden = true;
  }

  async #showVersion() {
    try {
      const { name, version } = await this.#server.version();
      this.#version.textContent = `${name} ${version}`;
    } catch (error) {
      this.#problem.textContent = error.message;
    }
  }

  async #read() {
    if (this.#isReading) return;
    this.#isReading = true;
    clearTimeout(this.#timer);
    const hadToken = this.#server.hasToken;
    try {
      this.#show(serverNumbers(new Metrics(readMetrics(await this.#server.metrics()))));
      this.#isPublic = !hadToken;
      if (hadToken) this.#showLayers(layerSizes(await this.#server.cache()));
      this.#problem.textContent = "";
    } catch (error) {
      this.#fail(error, hadToken);
    } finally {
      this.#isReading = false;
    }
    this.#showAccess();
    if ((this.#server.hasToken || this.#isPublic) && this.#isOpen && !document.hidden) this.#timer = setTimeout(() => this.#read(), pause);
  }

  #fail(error, hadToken) {
    if (error.status === 401) {
      this.#forget();
      this.#problem.textContent = hadToken ? "The server does not accept this token." : "The server needs the token for its numbers.";
      this.#token.with(() => this.#read(), { isFocused: false });
    } else {
      this.#problem.textContent = error.status ? error.message : "The server does not answer.";
    }
  }

  #forget() {
    this.#earlier = null;
    this.#isPublic = false;
    for (const list of [this.#numbers, this.#upstreams, this.#layers]) list.replaceChildren();
    this.#upstreamsHead.hidden = this.#layersHead.hidden = true;
  }

  /** @param {ReturnType<typeof serverNumbers>} numbers */
  #show(numbers) {
    const reading = { requests: numbers.requests, at: performance.now() };
    const rate = requestRate(this.#earlier, reading);
    this.#earlier = reading;
    fill(this.#numbers, numberRows(numbers, rate));
    fill(this.#upstreams, numbers.upstreams.map((each) => upstreamRow(each)));
    this.#upstreamsHead.hidden = numbers.upstreams.length === 0;
  }

  #showLayers(sizes) {
    fill(this.#layers, sizeRows(sizes, (id) => this.#stack.entries.get(id)?.name ?? id));
    this.#layersHead.hidden = sizes.length === 0;
  }
}

/** Fills a list with [name, text]. Keeps its elements if the names are the same, so that a selection stays. */
function fill(list, rows) {
  const names = [...list.querySelectorAll("dt")].map((each) => each.textContent);
  if (names.join("\n") !== rows.map(([name]) => name).join("\n")) {
    list.replaceChildren(...rows.flatMap(([name]) => [element("dt", { text: name }), element("dd")]));
  }
  list.querySelectorAll("dd").forEach((each, index) => {
    if (each.textContent !== rows[index][1]) each.textContent = rows[index][1];
  });
}
