// @ts-check
import { inMarkup, oneLine } from "./quoted.js";

/** Matches a comment, an element whose content is no text, or a tag with its attributes. */
const markup = /<!--[^]*?(?:-->|$)|<(script|style|template|title)\b[^]*?(?:<\/\1[^>]*>|$)|<(\/?)([a-z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/gi;
const reference = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi;
const names = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", copy: "©", reg: "®", trade: "™", ndash: "–", mdash: "—", hellip: "…",
};

/**
 * Returns an attribution as {text, html}: plain text, and HTML with only text and links to http and https. The
 * attribution may come from an unknown author, and goes into programs that read it as HTML.
 */
export function attributionText(source) {
  const parts = [];
  let [place, href] = [0, null];
  const take = (end) => {
    const text = decoded(source.slice(place, end)).replace(/[\s\p{Cc}]+/gu, " ");
    if (text !== "") parts.push({ text, href });
  };
  for (const match of source.matchAll(markup)) {
    take(match.index);
    place = match.index + match[0].length;
    const [, , closes, name, attributes] = match;
    if (name?.toLowerCase() === "a") href = closes ? null : linkOf(attributes);
  }
  take(source.length);
  return {
    text: oneLine(parts.map(({ text }) => text).join("")),
    html: oneLine(parts.map(({ text, href: link }) => (link ? `<a href="${inMarkup(link)}">${inMarkup(text)}</a>` : inMarkup(text))).join("")),
  };
}

function linkOf(attributes) {
  const [, double, single, bare] = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes) ?? [];
  const link = decoded(double ?? single ?? bare ?? "").trim();
  return /^https?:\/\//i.test(link) ? link : null;
}

/** Returns a text with its usual character references replaced. Unknown references stay unchanged. */
function decoded(text) {
  return text.replace(reference, (found, decimal, hexadecimal, name) => {
    if (name) return names[name.toLowerCase()] ?? found;
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : found;
  });
}
