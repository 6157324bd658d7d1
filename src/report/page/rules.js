/* Rules with what they measured and may measure, and the findings of each. */
import { put_pieces } from "./detail.js";
import { el } from "./dom.js";
import { count, noun } from "./words.js";

/** @typedef {import("./types").RuleRow} RuleRow */

const SHOWN = 200;

/** @param {RuleRow} rule */
function put_advice({ why, fix }) {
    const rows = [["why", why], ["fix", fix]].filter(([, text]) => text);
    return rows.length ? el("dl", { class: "advice" }, ...rows.flatMap(([name = "", text = ""]) => [el("dt", {}, name), el("dd", {}, text)])) : null;
}

/** @param {RuleRow} rule @param {(chosen: import("./types").Chosen) => string} link */
function put_rule(rule, link) {
    const bad = rule.state === "failed" || rule.state === "error" || rule.state === "warning";
    const summary = el(
        "summary",
        {},
        el("span", { class: `state ${bad ? "alarm" : rule.state === "ok" ? "good" : "plain"}` }, rule.state),
        el("span", { class: "rule" }, rule.rule),
        el("span", { class: "number" }, rule.budget ? `${rule.measured}, allowed ${rule.budget}` : ""),
        el("span", { class: "number" }, rule.findings.length ? noun(rule.findings.length, "finding") : "")
    );
    const findings = rule.findings.slice(0, SHOWN).map((f) => el("li", {}, el("span", { class: `severity ${f.severity}` }, f.severity), " ", f.message, " ", ...put_pieces(f.where, link), f.todo ? el("p", { class: "fix" }, f.todo) : null));
    const more = rule.findings.length - findings.length;
    const body = el("div", { class: "rule-body" }, rule.note ? el("p", { class: "faint" }, rule.note) : null, put_advice(rule), el("ul", {}, ...findings), more > 0 ? el("p", { class: "faint" }, `and ${count(more)} more; the rows can be filtered by this rule`) : null);
    const box = el("details", { class: `card ${bad ? "bad" : ""}` }, summary, body);
    box.open = bad && rule.findings.length <= 20;
    return box;
}

/** @param {HTMLElement} panel @param {string} title @param {RuleRow[]} rules @param {(chosen: import("./types").Chosen) => string} link */
export function put_rules(panel, title, rules, link) {
    const quiet = rules.filter((r) => !r.findings.length);
    const loud = rules.filter((r) => r.findings.length);
    panel.replaceChildren(
        el("h2", {}, title),
        ...loud.map((r) => put_rule(r, link)),
        quiet.length ? el("h3", {}, "Without findings") : "",
        quiet.length
            ? el(
                  "div",
                  { class: "table", tabindex: "0", role: "group", "aria-label": "rules without findings" },
                  el(
                      "table",
                      {},
                      el("thead", {}, el("tr", {}, ...["rule", "level", "state", "measured", "budget", "why"].map((h) => el("th", { scope: "col" }, h)))),
                      el("tbody", {}, ...quiet.map((r) => el("tr", {}, ...[r.rule, r.level, r.state, r.measured, r.budget, r.note].map((cell) => el("td", {}, cell)))))
                  )
              )
            : "",
        rules.length ? "" : el("p", { class: "faint" }, "nothing was found")
    );
}
