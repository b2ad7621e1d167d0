// @ts-check
import { project } from "../geometry/mercator.js";
import { ServerError } from "../server/Server.js";
import { local } from "../text/LocalText.js";
import { button, element } from "./element.js";
import * as icons from "./icons.js";
import { kindName, summaryOf } from "./kinds.js";
import { layerURLList } from "./layerURLList.js";

/**
 * Returns a row of the stack with the layer's name, its opacity, and buttons for its place and its use. `actions` are as
 * for `LayerPanel`.
 */
export function shownRow(layer, stack, actions) {
  const percent = element("output", { text: percentage(layer) });
  const slider = element("input", {
    type: "range", min: "0", max: "100", value: String(Math.round(layer.opacity * 100)), "aria-label": `Opacity of ${layer.name}`,
    oninput: () => {
      stack.setOpacity(layer, Number(slider.value) / 100);
      percent.textContent = percentage(layer);
    },
  });
  const place = () => stack.shown.indexOf(layer);
  const urls = layerURLList(layer);
  const kind = kindName(layer.document);
  const row = element("li", { className: "shown", draggable: true }, [
    element("div", { className: "line" }, [
      element("span", { className: "title" }, [
        element("strong", { text: layer.name }), kind ? element("small", { text: kind }) : null,
      ]),
      button(`Show where ${layer.name} is`, () => actions.fit(layer), { icon: icons.target }),
      button(`Raise ${layer.name}`, () => stack.move(layer, place() + 1), { icon: icons.up }),
      button(`Lower ${layer.name}`, () => stack.move(layer, place() - 1), { icon: icons.down }),
      button(`Hide ${layer.name}`, () => stack.hide(layer), { icon: icons.close }),
    ]),
    element("div", { className: "line" }, [
      slider, percent, button("Use it in …", () => actions.use(layer), { className: "small", "aria-label": `Use it in …: ${layer.name}` }),
      urls.toggle,
    ]),
    urls.list,
    element("p", { className: "away", hidden: true }, [
      element("span"), button("Go there", () => actions.goTo(layer), { className: "small", "aria-label": `Go there: ${layer.name}` }),
    ]),
    element("p", { className: "problem", text: layer.problem ?? "", hidden: !layer.problem }),
  ]);
  Object.assign(row.dataset, { layer: layer.id, name: layer.name });
  makeDraggable(row, layer, stack);
  return row;
}

function percentage(layer) {
  return local.percent(layer.opacity);
}

/** Lets the user drag the row onto another row. The layer then takes the place of the other row's layer. */
function makeDraggable(row, layer, stack) {
  row.addEventListener("dragstart", (event) => {
    // A drag that begins on the slider moves the slider, not the row.
    if (document.activeElement?.matches("input[type=range]:active")) return event.preventDefault();
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("application/x-layer", layer.id);
    return undefined;
  });
  row.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("application/x-layer")) return;
    event.preventDefault();
    row.classList.add("target");
  });
  row.addEventListener("dragleave", () => row.classList.remove("target"));
  row.addEventListener("drop", (event) => {
    row.classList.remove("target");
    const moved = stack.entries.get(event.dataTransfer.getData("application/x-layer"));
    if (!moved || moved === layer) return;
    event.preventDefault();
    stack.move(moved, stack.shown.indexOf(layer));
  });
}

/**
 * Returns a row of the list of all layers, with a small picture, the name, and whether the layer is shown. Calls
 * `onProblem` if the layer has no picture and gets a problem.
 */
export function catalogRow(layer, stack, onProblem) {
  const urls = layerURLList(layer);
  const check = element("input", {
    type: "checkbox", checked: layer.isVisible, onchange: () => (check.checked ? stack.show(layer) : stack.hide(layer)),
  });
  check.dataset.shows = layer.id;
  const row = element("li", {}, [element("label", {}, [
    thumbnail(layer, (text) => {
      if (layer.problem) return;
      [layer.problem, layer.cause] = [text, text];
      onProblem();
    }),
    element("span", { className: "names" }, [
      element("strong", { text: layer.name }),
      element("small", { text: summaryOf(layer.document) }),
      element("small", { className: "away", hidden: true }), element("small", { className: "problem", hidden: true }),
    ]),
    check,
  ]), urls.toggle, urls.list]);
  row.dataset.layer = layer.id;
  return row;
}

/**
 * Returns a picture of a tile of the layer, loaded when it becomes visible. Calls `onProblem` with the reason if the
 * tile is not available.
 */
function thumbnail(layer, onProblem) {
  const { z, x, y } = thumbnailTile(layer.document);
  const empty = element("span", { className: "thumbnail" });
  whenSeen(empty, async () => {
    const response = await fetch(`${layer.id}/${z}/${x}/${y}.png?empty=transparent`);
    if (!response.ok) return onProblem((await ServerError.of(response)).message);
    const src = URL.createObjectURL(await response.blob());
    const picture = element("img", { alt: "", width: 48, height: 48, className: "thumbnail", src });
    await picture.decode();
    URL.revokeObjectURL(src);
    return empty.replaceWith(picture);
  });
  return empty;
}

function whenSeen(target, action) {
  const observer = new IntersectionObserver(async (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    try {
      await action();
    } catch {
      // Without a response, or with content that is no image, there is no picture.
    }
  });
  observer.observe(target);
}

/** Returns the deepest tile that shows all of a layer. If there is none, returns the tile at its centre. */
export function thumbnailTile({ bounds: [west, south, east, north], minzoom }) {
  const [first, last] = [project({ latitude: north, longitude: west }), project({ latitude: south, longitude: east })];
  const width = last.x - first.x + (east < west ? 1 : 0);
  const z = Math.min(Math.max(Math.floor(-Math.log2(Math.max(width, last.y - first.y, 1e-9)) + 1e-9), minzoom, 0), 30);
  const span = 2 ** z;
  const place = (part) => Math.min(Math.max(Math.floor(part * span), 0), span - 1);
  const middle = first.x + width / 2;
  return { z, x: place(middle - Math.floor(middle)), y: place((first.y + last.y) / 2) };
}
