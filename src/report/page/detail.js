/* The panel with the details of the selection. The subject provides the details. */
import { breakable, chip, copy_button, el } from "./dom.js";
import { record_markdown } from "./markdown.js";
import { has_content } from "./records.js";
import { safe } from "./words.js";

/** @typedef {import("./types").Chosen} Chosen */
/** @typedef {import("./types").Pieces} Pieces */
/** @typedef {import("./types").Section} Section */

/** Maximum length of code that stays in one line. */
const SHORT = 32;
/** Maximum length of a text that stays in one line, such as a figure with its unit. */
const FIGURE = 14;

/** @param {Pieces} pieces @param {(chosen: Chosen) => string} link @returns {HTMLElement[]} */
export function put_pieces(pieces, link) {
    return pieces.map((piece) => {
        if (typeof piece === "string") return el("span", { class: piece.length < FIGURE ? "whole" : "" }, ...breakable(piece));
        if ("pieces" in piece) return el("span", { class: piece.look }, ...put_pieces(piece.pieces, link));
        if (piece.chosen) return el("a", { href: link(piece.chosen), class: piece.look ?? "" }, ...breakable(piece.text));
        if (piece.look === "code") return el("code", { class: piece.text.length < SHORT ? "whole" : "" }, ...breakable(piece.text));
        return el("span", { class: piece.look ?? "" }, ...breakable(piece.text));
    });
}

/** Breaks the lines of a command only between its words, or between the parts of a path.
 * @param {string} text */
const words_of = (text) => text.split(/(\s+)/).map((word) => (word.length < SHORT ? el("span", { class: "whole" }, word) : el("span", {}, ...breakable(word))));

/** @param {string} text */
export function code_block(text) {
    return el("div", { class: "code" }, el("pre", { tabindex: "0" }, el("code", {}, ...words_of(text))), copy_button("Copy", () => text));
}

/** @param {string[]} head @param {Pieces[][]} rows @param {(chosen: Chosen) => string} link */
export function table(head, rows, link) {
    const heads = el("tr", {}, ...head.map((title) => el("th", { scope: "col" }, title)));
    const lines = rows.map((row) => el("tr", {}, ...row.map((cell) => el("td", {}, ...put_pieces(cell, link)))));
    const whole = el("table", {}, el("thead", {}, heads), el("tbody", {}, ...lines));
    return el("div", { class: "table", tabindex: "0", role: "group", "aria-label": head.join(", ") }, whole);
}

/** @param {Section} section @param {(chosen: Chosen) => string} link */
function put_section(section, link) {
    const out = el("section", {}, el("h3", {}, section.title));
    if ("pairs" in section)
        out.append(el("dl", {}, ...section.pairs.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, ...put_pieces(value, link))])));
    else if ("head" in section) out.append(table(section.head, section.rows, link));
    else if ("lines" in section)
        out.append(el(section.ordered ? "ol" : "ul", {}, ...section.lines.map((line) => el("li", {}, ...put_pieces(line, link)))));
    else if ("forms" in section)
        out.append(...section.forms.map(({ form, code, note }, i) => el("details", { open: !i }, el("summary", {}, form), code && code_block(code), note && el("p", { class: "faint" }, note))));
    else out.append(code_block(section.code));
    return out;
}

/** @param {HTMLElement} panel @param {import("./types").Story | null} record @param {string} command the page's command, shown if the record has none @param {(chosen: Chosen) => string} link @param {string} closed a link to the state without the record */
export function put_record(panel, record, command, link, closed) {
    panel.hidden = !record;
    if (!record) return panel.replaceChildren();
    const sections = [...record.sections, { title: "In a terminal", code: safe(record.command ?? command) }].filter(has_content);
    panel.replaceChildren(
        el("p", { class: "record-kind" }, el("span", {}, record.kind), copy_button("Copy as Markdown", () => record_markdown({ ...record, sections })), el("a", { href: closed, class: "close", "aria-label": "Close the details" }, "×")),
        el("h2", { id: "record-title", tabindex: "0" }, ...breakable(record.title)),
        el("p", { class: "chips" }, ...(record.chips ?? []).map(chip)),
        ...sections.map((s) => put_section(s, link))
    );
    panel.scrollTop = 0;
}
