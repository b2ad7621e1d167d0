// @ts-check
/** Allowed addresses of links in an attribution. */
const safe = /^https?:\/\//i;

/**
 * Returns the parts of an attribution: [{text, href}], where `href` is null for text without a link. The attribution
 * may be HTML by an unknown author, and nothing else of the HTML remains. `nodes` are the child nodes of its parsed
 * body.
 */
export function attributionParts(nodes) {
  const parts = [];
  for (const node of nodes) {
    if (node.nodeType === 3) {
      parts.push({ text: node.textContent, href: null });
    } else if (node.nodeType === 1 && !/^(script|style|template|title)$/i.test(node.nodeName)) {
      const href = /^a$/i.test(node.nodeName) ? (node.getAttribute("href") ?? "") : "";
      if (safe.test(href)) parts.push({ text: node.textContent, href });
      else parts.push(...attributionParts(node.childNodes));
    }
  }
  return parts.filter((part) => part.text.trim() !== "");
}

/** Shows attributions in an element, each only once. */
export function showAttributions(target, texts) {
  const found = new Map();
  for (const text of texts) {
    // A parser makes nodes. It runs no script and loads nothing.
    const { body } = new DOMParser().parseFromString(text, "text/html");
    const parts = attributionParts(body.childNodes);
    found.set(parts.map((part) => part.text).join(""), parts);
  }
  const lists = [...found.values()].map((parts) => {
    const item = document.createElement("span");
    item.append(...parts.map(({ text, href }) => (href ? link(text, href) : text)));
    return item;
  });
  target.replaceChildren(...lists);
  target.hidden = lists.length === 0;
}

function link(text, href) {
  const made = document.createElement("a");
  Object.assign(made, { textContent: text, href, target: "_blank", rel: "noopener noreferrer" });
  return made;
}
