// @ts-check
/** The addresses that a link of an attribution may lead to. */
const safe = /^https?:\/\//i;

/**
 * The parts of an attribution, which may be HTML of whoever made the tiles: [{text, href}], where `href` is null for text that is
 * no link. Nothing else of the HTML is left. `nodes` are the child nodes of its parsed body.
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

/** Shows attributions in an element, each once. */
export function showAttributions(target, texts) {
  const found = new Map();
  for (const text of texts) {
    // A parser makes nodes; it runs nothing and fetches nothing.
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
