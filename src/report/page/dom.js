/*
 * Making elements.  A string becomes a text node, never markup: nothing in the page turns a
 * name into anything else.
 */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | null | undefined | false} Child */

/** @param {Element} element @param {Child[]} children */
function append(element, children) {
    for (const child of children) if (child) element.append(child);
}

/** @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Record<string, string>} attributes @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]} */
export function el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const name in attributes) element.setAttribute(name, attributes[name] ?? "");
    append(element, children);
    return element;
}

/** @param {string} tag @param {Record<string, string | number>} attributes @param {...Child} children
 * @returns {SVGElement} */
export function svg(tag, attributes = {}, ...children) {
    const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
    for (const name in attributes) element.setAttribute(name, String(attributes[name]));
    append(element, children);
    return element;
}

/** The element of the page's frame with that id. @param {string} id @returns {HTMLElement} */
export function by_id(id) {
    const found = document.getElementById(id);
    if (!found) throw new Error(`the page has no #${id}`);
    return found;
}

/** A path, or operators, that may go on in another line behind each sign between its parts.
 * @param {string} text @returns {Child[]} */
export const breakable = (text) => text.split(/(?<=[/+,])/).flatMap((part) => [part, el("wbr")]);

/** @param {import("./types").Chip} chip */
export function chip(chip) {
    const attributes = { class: `chip ${chip.look}` };
    return el("span", chip.title ? { ...attributes, title: chip.title } : attributes, chip.text, chip.rest ? el("span", { class: "rest" }, ` ${chip.rest}`) : null);
}
