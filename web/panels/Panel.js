// @ts-check
import { element, icon } from "./element.js";

/** The panel beside the map. It has tabs, of which at most one is open. A click on the open tab closes it. */
export class Panel {
  #target;
  #tabs;
  #open = null;

  /**
   * `onOpen(id)` is called with the tab that is open, or null.
   *
   * @param {HTMLElement} target
   * @param {{ id: string, name: string, icon: string, content: HTMLElement }[]} sections
   * @param {(id: string | null) => void} [onOpen]
   */
  constructor(target, sections, onOpen = () => {}) {
    this.#target = target;
    this.onOpen = onOpen;
    this.#tabs = sections.map((section) => this.#tab(section));
    const buttons = this.#tabs.map((tab) => tab.button);
    const list = element("div", { className: "tabs", role: "tablist", "aria-label": "Panels" }, buttons);
    list.addEventListener("keydown", (event) => this.#step(event));
    target.append(list, ...this.#tabs.map((tab) => tab.section));
    this.open(null);
  }

  #tab({ id, name, icon: picture, content }) {
    const tab = element("button", {
      type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `section-${id}`,
      onclick: () => this.open(this.#open === id ? null : id),
    }, [icon(picture), element("span", { text: name })]);
    const section = element("section", {
      id: `section-${id}`, role: "tabpanel", "aria-labelledby": `tab-${id}`,
    }, [element("h2", { className: "unseen", text: name }), content]);
    return { id, button: tab, section };
  }

  /** The id of the open tab, or null. */
  get current() {
    return this.#open;
  }

  /** Opens a tab. Null as `id` closes the panel. */
  open(id) {
    this.#open = id;
    this.#tabs.forEach((tab, index) => {
      const isOpen = tab.id === id;
      tab.section.hidden = !isOpen;
      tab.button.setAttribute("aria-selected", String(isOpen));
      tab.button.tabIndex = isOpen || (id === null && index === 0) ? 0 : -1;
    });
    this.#target.classList.toggle("open", id !== null);
    this.onOpen(id);
  }

  #step(event) {
    const change = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!change) return;
    event.preventDefault();
    const buttons = this.#tabs.map((tab) => tab.button);
    const at = buttons.findIndex((button) => button === document.activeElement);
    buttons[(at + change + buttons.length) % buttons.length].focus();
  }
}
