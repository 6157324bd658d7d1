/* The view of the rules: their measured amounts and budgets, and their findings. */
import { linked } from "./advice.js";
import { put_pieces, table } from "./detail.js";
import { el } from "./dom.js";
import { has_content, table_of } from "./records.js";
import { key_of } from "./state.js";
import { count, noun } from "./words.js";

/** @typedef {import("./types").RuleRow} RuleRow */

const SHOWN = 200;
/** The columns of rules without findings. */
const QUIET = { rule: { kind: "name" }, level: { kind: "text" }, state: { kind: "text" }, measured: { kind: "text" }, budget: { kind: "text" }, note: { kind: "text", title: "reason" } };

/** A message, followed by the objects of `where` that the message does not name.
 * @param {import("./types").Pieces} message @param {import("./types").Pieces} where */
function located(message, where) {
    const named = new Set(message.flatMap((p) => (typeof p === "object" && "chosen" in p && p.chosen ? [key_of(p.chosen)] : [])));
    const rest = where.filter((p) => typeof p === "object" && !("chosen" in p && p.chosen && named.has(key_of(p.chosen))));
    return [...message, ...rest.flatMap((p) => [" ", p])];
}

/** @param {import("./types").Subject} subject @param {RuleRow} rule @param {(chosen: import("./types").Chosen) => string} link */
function put_rule(subject, rule, link) {
    const bad = rule.state === "failed" || rule.state === "error" || rule.state === "warning";
    const summary = el(
        "summary",
        {},
        el("span", { class: `state ${bad ? "alarm" : rule.state === "ok" ? "good" : "plain"}` }, rule.state),
        el("span", { class: "rule" }, rule.rule),
        el("span", { class: "number" }, rule.budget ? `${rule.measured}, allowed ${rule.budget}` : ""),
        el("span", { class: "number" }, rule.findings.length ? noun(rule.findings.length, "finding") : "")
    );
    const findings = rule.findings.slice(0, SHOWN).map((f) => el("li", {}, el("span", { class: `severity ${f.severity}` }, f.severity), " ", ...put_pieces(located(linked(subject, f.message), f.where), link), f.todo ? el("p", { class: "fix" }, ...put_pieces(linked(subject, f.todo), link)) : null));
    const more = rule.findings.length - findings.length;
    const texts = [["why", rule.why], ["fix", rule.fix]].filter(([, text]) => text);
    const advice = texts.flatMap(([name = "", text = ""]) => [el("dt", {}, name), el("dd", {}, ...put_pieces(linked(subject, text), link))]);
    const body = el("div", { class: "rule-body" }, rule.note ? el("p", { class: "faint" }, rule.note) : null, advice.length ? el("dl", { class: "advice" }, ...advice) : null, el("ul", {}, ...findings), more > 0 ? el("p", { class: "faint" }, `and ${count(more)} more: filter the rows by this rule to see them`) : null);
    return el("details", { class: `card ${bad ? "bad" : ""}`, open: bad && rule.findings.length <= 20 }, summary, body);
}

/** @param {HTMLElement} panel @param {import("./types").Subject} subject @param {(chosen: import("./types").Chosen) => string} link */
export function put_rules(panel, subject, link) {
    const { rules, rules_title: title } = subject;
    const quiet = table_of("Without findings", "", rules.filter((r) => !r.findings.length), QUIET);
    panel.replaceChildren(
        el("h2", {}, title),
        ...rules.filter((r) => r.findings.length).map((r) => put_rule(subject, r, link)),
        ...(has_content(quiet) ? [el("h3", {}, quiet.title), table(quiet.head, quiet.rows, link)] : []),
        rules.length ? "" : el("p", { class: "faint" }, "No rule has findings.")
    );
}
