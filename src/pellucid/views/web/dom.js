/**
 * The only place where elements are made: text goes in as text, never as markup.
 */

const SECTIONS = ["text", "about", "road", "tokens", "overview", "answers", "stage"];

/**
 * Make room for a view of one text or of two.
 * @param {"one" | "two"} texts
 */
export function emptied(texts) {
  for (const id of SECTIONS) part(id).replaceChildren();
  document.body.classList.toggle("comparing", texts === "two");
}

/**
 * An element with attributes, listeners ("onclick") and children; strings become text nodes.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/**
 * A title, and beside it what can be done with what it stands above.
 * @param {...(Node | string)} children
 */
export function titled(...children) {
  return element("div", { class: "title" }, ...children);
}

/**
 * A part of a drawing.
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 */
export function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, `${value}`);
  made.append(...children);
  return made;
}

/**
 * The element of this id, which is part of the page.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function part(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}
