// @ts-check
import { ServerNews } from "./events/ServerNews.js";
import { BoxTool } from "./input/BoxTool.js";
import { BoxZoom } from "./input/BoxZoom.js";
import { CameraMotion } from "./input/CameraMotion.js";
import { PointerGestures } from "./input/PointerGestures.js";
import { Destinations } from "./input/Destinations.js";
import { WheelZoom } from "./input/WheelZoom.js";
import { listenToKeys } from "./input/keyboard.js";
import { AddressBar } from "./input/AddressBar.js";
import { unknownLayers } from "./input/unknownLayers.js";
import { LayerStack } from "./map/LayerStack.js";
import { MapCanvas } from "./map/MapCanvas.js";
import { MapLayer } from "./map/MapLayer.js";
import { TileOverlay } from "./map/TileOverlay.js";
import { firstCamera } from "./map/mapRules.js";
import { problemOf } from "./map/problemOf.js";
import { AboutPanel } from "./panels/AboutPanel.js";
import { BoxPanel } from "./panels/BoxPanel.js";
import { CachePanel } from "./panels/CachePanel.js";
import { CameraPanel } from "./panels/CameraPanel.js";
import { ChosenTile } from "./panels/ChosenTile.js";
import { ClientsDialog } from "./panels/ClientsDialog.js";
import { Controls } from "./panels/Controls.js";
import { FlightPanel } from "./panels/FlightPanel.js";
import { Footer } from "./panels/Footer.js";
import { FullScreenButton } from "./panels/FullScreenButton.js";
import { LayerPanel } from "./panels/LayerPanel.js";
import { LoadingBar } from "./panels/LoadingBar.js";
import { Notices } from "./panels/Notices.js";
import { OutageBar } from "./panels/OutageBar.js";
import { Panel } from "./panels/Panel.js";
import { PositionButton } from "./panels/PositionButton.js";
import { SearchField } from "./panels/SearchField.js";
import { TileCard } from "./panels/TileCard.js";
import { TokenForm } from "./panels/TokenForm.js";
import * as icons from "./panels/icons.js";

/** @typedef {ReturnType<typeof import("./map/TilePlan.js").planTiles>} TilePlan */
/** @typedef {{ layer: MapLayer, plan: TilePlan }} LayerPlan */
/** @typedef {CustomEvent<{ ground: import("./map/ScreenGround.js").ScreenGround, plans: LayerPlan[] }>} FrameEvent */
/** @typedef {CustomEvent<{ layer: MapLayer, tile: import("./map/LayerTiles.js").Tile }>} TileEvent */

const byId = (id) => document.getElementById(id);

/** Returns the boxes of the visible controls, panels and messages over the map. */
function boxesOverMap() {
  const found = document.querySelectorAll(".controls, .search, .tabs, .panel section, .foot > *, .over > *");
  return [...found].map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 0);
}

/** Reports whether the window has space for the panel beside the map. */
const isWide = () => matchMedia("(min-width: 900px)").matches;

/**
 * The page: a map in the whole window, its panels, and the server's events. Each object owns the objects to its right:
 *
 *     Viewer ─┬─ MapCanvas ── WebGLSurface or FlatSurface, TileQueue
 *             ├─ LayerStack ── MapLayer ── LayerTiles
 *             ├─ CameraMotion, and the gestures that use it
 *             ├─ TileOverlay, Panel and its tabs
 *             └─ ServerNews
 */
export class Viewer {
  #server;

  /** `documents` are the entries of layers.json. */
  constructor(server, documents) {
    this.#server = server;
    this.map = new MapCanvas(byId("tiles"), { isFlat: location.search === "?flat" });
    this.motion = new CameraMotion(this.map);
    this.destinations = new Destinations(this.map, this.motion, () => this.#covered);
    this.stack = new LayerStack();
    this.overlay = new TileOverlay(byId("overlay"), this.map, boxesOverMap);
    this.notices = new Notices(byId("notices"));
    this.address = new AddressBar(this.map, this.stack);
    this.setDocuments(documents);
    this.#listen();
    this.#makePanels();
    this.news = new ServerNews(this, server);
  }

  /** The page's layer or map: the one of its address, otherwise the first map, otherwise the first layer. */
  get current() {
    const { entries } = this.stack;
    const list = [...entries.values()];
    return entries.get(this.address.id) ?? list.find((layer) => layer.isMap) ?? list[0];
  }

  /**
   * The layer or map whose animation resembles the page most: the page's own if it is shown, otherwise the highest.
   */
  get pictured() {
    const { shown } = this.stack;
    return shown.includes(this.current) ? this.current : (shown.at(-1) ?? this.current);
  }

  /** Takes the server's current documents. */
  setDocuments(documents) {
    this.stack.setDocuments(documents, (document) => new MapLayer(document, this.map.release));
    this.map.setDocument(this.current?.document ?? {});
  }

  /** Shows the start view: {camera, layers}. Null stands for the value of the map's document. */
  begin({ camera, layers }) {
    const { current } = this;
    this.home = current ? firstCamera(current.document, this.map.view, this.#covered) : this.map.camera;
    this.address.home = current ? [{ id: current.id, opacity: current.document.opacity ?? 1 }] : [];
    this.stack.setShown(layers ?? this.address.home);
    this.map.camera = camera ?? this.home;
    document.title = current ? `${current.name} · tileserver` : "tileserver";
    this.#tellUnknown([this.address.id, ...(layers ?? []).map(({ id }) => id)].filter(Boolean));
    this.address.onLayers = (ids) => this.#tellUnknown(ids);
    this.address.follow();
    this.news.start();
  }

  /** Says which layers of the page's address the server does not have, and offers similar ones. */
  #tellUnknown(ids) {
    const unknown = unknownLayers(ids, this.stack.entries);
    if (!unknown) return this.notices.close("unknown");
    const offers = unknown.near.map((layer) => ({ name: `Show ${layer.name}`, run: () => this.stack.show(layer) }));
    return this.notices.show("unknown", unknown.text, offers);
  }

  #listen() {
    const { map, motion, stack } = this;
    const view = byId("view");
    stack.addEventListener("change", () => {
      map.layers = stack.shown;
      map.invalidate();
    });
    map.addEventListener("frame", (/** @type {FrameEvent} */ { detail }) => {
      this.layerPanel.showAbsences(detail.plans);
      this.chosen.follow(detail);
    });
    map.addEventListener("tile", (/** @type {TileEvent} */ { detail }) => this.#noteProblem(detail));
    // Registers this listener before the gestures, so that drawing a box is not a drag of the map.
    this.boxTool = new BoxTool(view, map, this.overlay);
    new BoxZoom(view, map, motion, () => this.#covered);
    new PointerGestures(view, map, motion, (point) => this.chosen.show(point));
    new WheelZoom(view, map, motion);
    listenToKeys(view, map, motion, () => this.home);
    view.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.target !== view) return;
      // Otherwise the key would press the button that has the focus next.
      event.preventDefault();
      this.chosen.show(map.projection.center, true);
    });
    new Controls(
      byId("controls"), map, motion, new PositionButton(view, map, motion, this.notices).content, new FullScreenButton().content);
    new OutageBar(byId("outage"), map, stack);
    new LoadingBar(byId("loading"), map);
    new Footer({ scale: byId("scale"), attribution: byId("attribution"), announcement: byId("announcement") }, map, stack);
  }

  #makePanels() {
    const { map, motion, stack, overlay } = this;
    const token = new TokenForm(this.#server);
    const boxes = new BoxPanel(map, motion, this.boxTool, overlay, () => this.#covered);
    const flight = new FlightPanel(map, motion, this.#server, stack, () => this.pictured);
    const uses = new ClientsDialog(this.#server, map);
    document.body.append(uses.content);
    this.layerPanel = new LayerPanel(stack, {
      fit: (layer) => this.destinations.fit(layer), goTo: (layer) => this.destinations.goTo(layer), use: (layer) => uses.open(layer),
    });
    const search = new SearchField({
      filter: (text) => this.#filter(text), go: (place) => this.#goToPlace(place), places: () => this.#places(),
    });
    byId("panel").append(search.content);
    const camera = new CameraPanel(map, this.#server, stack, () => this.current, boxes.content, flight.content);
    this.cachePanel = new CachePanel(map, stack, overlay, this.#server, token, boxes);
    const about = new AboutPanel(this.#server, stack);
    this.panel = new Panel(byId("panel"), [
      { id: "layers", name: "Layers", icon: icons.layers, content: this.layerPanel.content },
      { id: "camera", name: "Camera", icon: icons.camera, content: camera.content },
      { id: "cache", name: "Cache", icon: icons.tiles, content: this.cachePanel.content },
      { id: "about", name: "About", icon: icons.about, content: about.content },
    ], (id) => {
      camera.isOpen = id === "camera";
      about.isOpen = id === "about";
      if (id !== "cache") this.card?.close();
      // Names of tiles leave the panel free.
      map.invalidate();
    });
    this.card = new TileCard(byId("card"), this.#server, { with: (action) => this.#askForToken(token, action) }, {
      clear: (tile) => {
        this.panel.open("cache");
        this.cachePanel.clear({ tile });
      },
      closed: () => {
        overlay.selected = null;
        map.invalidate();
      },
    });
    this.chosen = new ChosenTile(map, overlay, this.card, () => this.panel.current === "cache");
    if (isWide()) this.panel.open("layers");
  }

  #askForToken(token, action) {
    if (!this.#server.hasToken) this.panel.open("cache");
    token.with(action);
  }

  /**
   * Points of the view's left side that the open panel covers. On a small screen the panel is at the bottom instead.
   */
  get #covered() {
    const { right, width } = byId("panel").getBoundingClientRect();
    return byId("panel").classList.contains("open") && width < innerWidth / 2 ? right : 0;
  }

  /** Lists the layers that match a text. */
  #filter(text) {
    if (text.trim() !== "" && this.panel.current !== "layers") this.panel.open("layers");
    return this.layerPanel.filter(text);
  }

  /** @param {import("./input/placeText.js").Place} place */
  #goToPlace(place) {
    this.destinations.goToPlace(place);
    // On a small screen the panel would cover the place, and so would the keyboard.
    if (!isWide()) this.panel.open(null);
    byId("view").focus({ preventScroll: true });
  }

  /** Requests the named places of the page's map, or else of the first layer that has some. */
  async #places() {
    const { current, stack } = this;
    const named = [current, ...stack.entries.values()].find((layer) => layer?.document.places);
    return named ? this.#server.places(named.id) : [];
  }

  /** Shows why a layer's tiles are not available, until a tile arrives. */
  #noteProblem({ layer, tile }) {
    if (!tile?.answer) return;
    const problem = problemOf(layer, tile);
    if (layer.problem === problem) return;
    layer.problem = problem;
    this.layerPanel.showProblem(layer);
  }
}
