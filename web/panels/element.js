// @ts-check
/** @typedef {(event: Event) => void} Listener */
/** @typedef {string | number | boolean | null | undefined | Listener} Property */
/** @typedef {{ text?: string, [name: string]: Property }} Properties */

/**
 * Makes an element with children. `text` is its text. Names `on…` are listeners, names with a dash and `role` are
 * attributes, and all other names are properties. Nothing is ever read as HTML.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Properties} options
 * @param {(Node | string | null)[]} [children]
 */
export function element(name, { text, ...properties } = {}, children = []) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), /** @type {Listener} */ (value));
    else if (key.includes("-") || key === "role" || key === "for") made.setAttribute(key, String(value));
    else made[key] = value;
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/**
 * Makes a button with a text, or with a picture from icons.js. For the picture, `text` is the name for screen readers.
 *
 * @param {string} text
 * @param {Listener} onclick
 * @param {Properties & { icon?: string }} options
 */
export function button(text, onclick, { icon: picture, ...more } = {}) {
  const made = element("button", { type: "button", onclick, ...more });
  if (picture) {
    made.append(icon(picture));
    made.setAttribute("aria-label", text);
    made.title = text;
  } else {
    made.textContent = text;
  }
  return made;
}

const namespace = "http://www.w3.org/2000/svg";

/** Returns a drawing of 24 × 24 from the path data of its lines. */
export function icon(lines) {
  const drawing = document.createElementNS(namespace, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  drawing.classList.add("icon");
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", lines);
  drawing.append(path);
  return drawing;
}

/** Returns a field with its label. */
export function field(label, input, className = "field") {
  return element("label", { className }, [element("span", { text: label }), input]);
}
