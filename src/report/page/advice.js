/*
 * The first card of the page. The card shows three parts: the advice, with the largest
 * savings first; the verdict and the command that accepts the changes; and the rest of
 * the summary.
 */
import { code_block, put_pieces } from "./detail.js";
import { copy_button, el } from "./dom.js";
import { summary_markdown } from "./markdown.js";
import { noun, safe } from "./words.js";

/** @typedef {import("./types").Pieces} Pieces */
/** @typedef {import("./types").Subject} Subject */
/** A subject, or another object with a method find(). This method finds the layer or
 * node that a name stands for, if the page shows it.
 * @typedef {{find(chosen: import("./types").Chosen): unknown}} Finder */

/** Maximum number of rules whose fixes the card shows: see todo_of(). */
const MOST_RULES = 4;
/** Matches code in backquotes, commands, a rule of lint, "layer 12", and words that may be
 * names. */
const WORDS = /`[^`]+`|\blint [a-z]+\/[a-z-]+|\bfusiondiff [a-z]+(?: --[a-z-]+)*|\blayer \d+\b|[^\s,;()`]+/g;

/** Links a layer or a name that the page shows. An ordinary word of a sentence is never taken for
 * a name.
 * @param {Finder} subject @param {string} word @returns {import("./types").Piece} */
function piece(subject, word) {
    const [, layer] = word.match(/^layer (\d+)$/) ?? [];
    const [, code = word] = word.match(/^`(.*)`$/s) ?? [];
    const is_code = code !== word || /^(fusiondiff|lint) /.test(word);
    const may_be_named = is_code || (/[\d_/.:]/.test(word) && !/^[\d.:]+$/.test(word));
    const chosen = layer ? { kind: "layer", id: layer } : { kind: "node", id: code };
    if ((layer || may_be_named) && subject.find(chosen)) return { text: safe(code), chosen, ...(!layer && { look: "code" }) };
    return is_code ? { text: safe(code), look: "code" } : safe(word);
}

/** Returns a sentence in which the names of nodes and layers are links.
 * @param {Finder} subject @param {string} text @returns {Pieces} */
export function linked(subject, text) {
    /** @type {Pieces} */
    const pieces = [];
    let from = 0;
    for (const match of text.matchAll(WORDS)) {
        const made = piece(subject, match[0]);
        if (typeof made === "string") continue;
        pieces.push(safe(text.slice(from, match.index)), made);
        from = match.index + match[0].length;
    }
    return [...pieces, safe(text.slice(from))].filter((p) => p !== "");
}

/** Returns a finding with the names in its message as links.
 * @param {Finder} subject @param {{severity: string, rule: string, message: string}} finding @returns {Pieces} */
export const finding_pieces = (subject, { severity, rule, message }) => [{ text: severity, look: severity }, " ", { text: rule, look: "code" }, " ", ...linked(subject, message)];

/** Capitalizes the first letter of a sentence, unless the sentence begins with an
 * identifier. @param {string} text */
const capital = (text) => (/^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text);

/** Returns a line of the summary without the parts that only a terminal needs: the command at
 * its end, and names of options. @param {string} text */
const on_page = (text) => text.replace(/; `?fusiondiff [^;`]*`?$/, "").replace(/no --profile was given/, "no profile was given");

/** Returns what to do: the advice of the summary. If the summary has no advice, returns
 * the fixes of the worst rules. If `all_fixes` is set, returns both.
 * @param {Subject} subject @returns {Pieces[]} */
export function todo_of(subject) {
    const own = subject.brief.filter(({ topic }) => topic === "to do").map(({ text }) => linked(subject, capital(on_page(text))));
    if (own.length && !subject.all_fixes) return own;
    if (subject.nothing) return [];
    const rules = subject.rules.filter((r) => r.fix && r.findings.some((f) => f.severity !== "info"));
    return [...own, ...rules.slice(0, MOST_RULES).map((r) => /** @type {Pieces} */ ([{ text: r.rule, look: "code" }, ` (${noun(r.findings.length, "finding")}): `, ...linked(subject, r.fix ?? "")]))];
}

/** Keeps a number and its unit in one line. @param {string} text */
const glued = (text) => text.replace(/(\d) (?=%|ms\b|[kMGT]?B\b)/g, "$1\u00a0");

/** @param {HTMLElement} panel @param {Subject} subject @param {string} command @param {(chosen: import("./types").Chosen) => string} link */
export function put_advice(panel, subject, command, link) {
    const todo = todo_of(subject);
    const facts = subject.brief.filter(({ topic }) => topic !== "to do");
    if (!subject.rules_title && !facts.length) return;
    const found = subject.rules.reduce((n, r) => n + r.findings.length, 0);
    const nothing = subject.nothing ?? (found ? `No advice is known for ${noun(found, "finding")}.` : "No rule found anything to change.");
    /* On a phone, this card is closed at first, so that the rows are visible without scrolling. */
    const phone = innerWidth <= 600;
    const title = el("h2", {}, "What to do", phone && todo.length ? ` (${todo.length})` : null);
    const card = el(
        phone ? "details" : "section",
        { class: "todo" },
        phone ? el("summary", {}, title) : title,
        todo.length ? el("ol", { class: todo.length > 1 ? "" : "single" }, ...todo.map((line) => el("li", {}, ...put_pieces(line, link)))) : el("p", { class: "faint" }, nothing),
        subject.verdict && subject.accept ? el("div", { class: "accept" }, el("span", { class: `verdict ${subject.verdict.look}` }, subject.verdict.text), el("span", {}, "To accept what changed:"), code_block(subject.accept)) : null,
        copy_button("Copy as Markdown", () => summary_markdown(subject, todo, command), "What to do, counts and findings, for a review")
    );
    const more = el("details", { class: "facts", open: !phone }, el("summary", {}, "Summary"), el("dl", {}, ...facts.flatMap(({ topic, text }) => [el("dt", {}, topic), el("dd", {}, ...put_pieces(linked(subject, glued(on_page(text))), link))])));
    panel.replaceChildren(card, ...(facts.length ? [more] : []));
}
