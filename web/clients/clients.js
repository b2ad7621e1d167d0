// @ts-check
import { ClientLayer } from "./ClientLayer.js";
import { isLoopback } from "./addresses.js";
import { apple } from "./apple.js";
import { dashboards } from "./dashboards.js";
import { desktop } from "./desktop.js";
import { google } from "./google.js";
import { native } from "./native.js";
import { scenes } from "./scenes.js";
import { web } from "./web.js";

/**
 * A program that can use a layer. `snippet(layer)` returns the text to copy for a ClientLayer. `language` is the name of
 * the text's language in Markdown. `fails(layer)` describes the usual failures (Markdown). `runs` names the check of this
 * project that runs the snippet, or is undefined. `tried` names the versions with which the snippet was tried by hand, or
 * is undefined. `phones` is undefined for programs that run on no phone. Otherwise it lists the systems that forbid the
 * program plain HTTP: none for Home Assistant, and none for Dart, whose own HTTP client does not ask the system
 * (flutter/flutter#106678).
 *
 * @typedef {{ id: string, name: string, language: string, phones?: string[], fails: (layer: ClientLayer) => string,
 *   runs?: string, tried?: string, snippet: (layer: ClientLayer) => string }} Client
 */

/**
 * All programs, by group.
 *
 * @type {{ name: string, clients: Client[] }[]}
 */
export const groups = [
  { name: "Google's and Apple's maps", clients: [...apple, ...google] },
  { name: "In a browser", clients: [...web, ...scenes] },
  { name: "In a dashboard", clients: dashboards },
  { name: "In an app", clients: native },
  { name: "At a desk", clients: desktop },
];

export const clients = groups.flatMap((group) => group.clients);

/**
 * Returns the text for a client and an entry of layers.json. `base` is the server's URL for clients, `camera` the
 * camera of the user's page, or null. Throws a TypeError if `base` is no URL.
 *
 * @param {string} id
 * @param {string} base
 * @param {import("./startView.js").Camera | null} camera
 */
export function snippetFor(id, document, base, camera = null) {
  return clients.find((client) => client.id === id).snippet(new ClientLayer(document, base, camera));
}

/**
 * Returns the server's URL for clients, as far as a page knows it. It comes from the layer's document, which contains
 * `publicURL`. If the document names this machine, or has no TLS although the page has, the URL is the page's own. This
 * happens behind a proxy that is not trusted.
 */
export function likelyBase(document, page) {
  const suffix = `/${document.id}.json`;
  if (!document.tilejson?.endsWith(suffix)) return page;
  const told = document.tilejson.slice(0, -suffix.length + 1);
  const [there, here] = [new URL(told), new URL(page)];
  if (there.protocol === "http:" && here.protocol === "https:") return page;
  return isLoopback(there) ? page : told;
}
