// @ts-check
import { button } from "./element.js";

/**
 * Returns a button that copies the current result of `text()` and says so. `what` names the text for screen readers.
 */
export function copyButton(text, what) {
  const made = button("Copy", async () => {
    made.textContent = (await copy(text())) ? "Copied" : "Select and copy by hand";
    setTimeout(() => { made.textContent = "Copy"; }, 2000);
  });
  made.setAttribute("aria-label", `Copy ${what}`);
  return made;
}

/** Copies the text to the clipboard. Reports success, because a page without TLS may have no clipboard. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard is refused or missing. The user can still select the text.
    return false;
  }
}
