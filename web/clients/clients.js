// @ts-check
import { ClientLayer } from "./ClientLayer.js";
import { apple } from "./apple.js";
import { desktop } from "./desktop.js";
import { google } from "./google.js";
import { native } from "./native.js";
import { web } from "./web.js";

/**
 * The programs that a layer can be used in, by group: {id, name, language, fails, runs, snippet}. `snippet(layer)` is the text to copy for a
 * ClientLayer, `language` what Markdown calls it, `fails` how it usually goes wrong (Markdown), `runs` what of this project runs the
 * snippet, undefined where nothing does.
 */
export const groups = [
  { name: "Google's and Apple's maps", clients: [...apple, ...google] },
  { name: "In a browser", clients: web },
  { name: "In an app", clients: native },
  { name: "At a desk", clients: desktop },
];

export const clients = groups.flatMap((group) => group.clients);

/** The text for a client and an entry of layers.json; `base` is where clients find the server. Throws a TypeError where that is no URL. */
export function snippetFor(id, document, base) {
  return clients.find((client) => client.id === id).snippet(new ClientLayer(document, base));
}

/**
 * Where clients find the server, as far as a page can know: what the layer's document says, since `publicURL` stands there; the page's own
 * address where the document names this machine, or no TLS, and the page has another: a proxy that is not trusted says so.
 */
export function likelyBase(document, page) {
  const suffix = `/${document.id}.json`;
  if (!document.tilejson?.endsWith(suffix)) return page;
  const told = document.tilejson.slice(0, -suffix.length + 1);
  const [there, here] = [new URL(told), new URL(page)];
  const isLocal = (url) => /^(localhost|127\..*|\[::1\])$/.test(url.hostname);
  if (isLocal(there) && !isLocal(here)) return page;
  if (there.protocol === "http:" && here.protocol === "https:") return page;
  return isLocal(there) && isLocal(here) ? page : told;
}
