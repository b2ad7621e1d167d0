// @ts-check
import { copyButton } from "./copyButton.js";
import { button, element } from "./element.js";
import * as icons from "./icons.js";
import { layerURLs } from "./kinds.js";

/**
 * Returns a button and a list, closed at first, with the URLs of a layer's documents and tiles to copy. The list is made
 * when the user opens it.
 */
export function layerURLList(layer) {
  const list = element("ul", { className: "urls", hidden: true });
  const toggle = button(`Copy a URL of ${layer.name}`, () => {
    if (list.hidden) list.replaceChildren(...layerURLs(layer.document, new URL(".", document.baseURI).href).map((each) => item(layer, each)));
    list.hidden = !list.hidden;
    toggle.setAttribute("aria-expanded", String(!list.hidden));
  }, { icon: icons.link, "aria-expanded": "false" });
  return { toggle, list };
}

function item(layer, { name, url }) {
  return element("li", { className: "code" }, [
    element("div", { className: "line" }, [element("strong", { text: name }), copyButton(() => url, `the URL ${name} of ${layer.name}`)]),
    element("code", { text: url }),
  ]);
}
