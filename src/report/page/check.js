/*
 * A check as a subject: that of the comparison with the snapshot, or of the build where there
 * is none, with the rules, their budgets and the verdict in front.
 */
import { base_name, count, millis, noun, percent, safe } from "./words.js";

/** @typedef {import("./types").CheckDocument} CheckDocument */
/** @typedef {import("./types").RuleRow} RuleRow */
/** @typedef {import("./types").Subject} Subject */

const SEVERITIES = ["failed", "notes", "skipped", "ok", "off"];

/** @param {{rule: string, level: string, skipped?: string, ignored?: number, measured?: string, budget?: string}} r @param {CheckDocument["findings"]} found of that rule @param {Subject} base @returns {RuleRow} */
export function rule_row(r, found, base) {
    const failed = found.some((f) => f.severity === "error");
    const notes = [];
    if (r.skipped) notes.push(safe(r.skipped));
    if (r.ignored) notes.push(`${noun(r.ignored, "finding")} ignored by the policy`);
    return {
        rule: r.rule,
        level: r.level,
        state: failed ? "failed" : found.length ? "notes" : r.skipped ? "skipped" : r.level === "off" ? "off" : "ok",
        measured: r.measured ?? "",
        budget: r.budget ?? "",
        findings: found.map((f) => {
            const node = f.nodes.find((name) => base.find({ kind: "node", id: name }));
            const line = base_name(f.file) + (f.line ? `:${f.line}` : "");
            return {
                severity: f.severity,
                message: safe(f.message),
                where: [...(node === undefined ? [] : [{ text: safe(node), chosen: { kind: "node", id: node } }, "  "]), { text: line, look: "faint" }],
            };
        }),
        note: notes.join("; "),
    };
}

/** What a figure has in brackets stands below it. @param {CheckDocument["summary"][0]} row @returns {import("./types").Tile} */
function summary_tile(row) {
    const [value = "", aside = ""] = row.now.split(/ (?=\()/);
    return { title: safe(row.what), value: safe(value), note: row.before ? `was ${safe(row.before)}` : safe(aside) };
}

/** @param {CheckDocument} d @param {Subject} base */
function rule_rows_of(d, base) {
    const rules = d.rules.map((r) => rule_row(r, d.findings.filter((f) => f.rule === r.rule), base));
    return rules.sort((a, b) => SEVERITIES.indexOf(a.state) - SEVERITIES.indexOf(b.state));
}

/** A comparison with what its changes come to: nothing is passed or failed, and of a build
 * that is faster nothing is to be taken back.
 * @param {CheckDocument} d @param {Subject} base @param {{before: number, after: number} | undefined} ms @returns {Subject} */
export function judged_subject(d, base, ms) {
    const rules = rule_rows_of(d, base).filter((r) => r.findings.length);
    const faster = ms && ms.after < ms.before ? { nothing: `Nothing: the new build is ${millis(ms.before - ms.after)} (${percent(ms.before - ms.after, ms.before)}) faster.` } : null;
    return { ...base, ...faster, brief: faster ? d.brief.filter(({ topic }) => topic !== "to do") : d.brief, rules: rules.map((r) => ({ ...r, state: r.findings[0]?.severity ?? r.state })), rules_title: "Findings" };
}

/** @param {CheckDocument} d @param {Subject} base @returns {Subject} */
export function check_subject(d, base) {
    const rules = rule_rows_of(d, base);
    const failed = rules.filter((r) => r.state === "failed").length;
    const asked = rules.filter((r) => r.state !== "off" && r.state !== "skipped").length;
    return {
        ...base,
        title: `check ${d.verdict}: ${base_name(d.engine)}`,
        from: base_name(d.snapshot ?? d.model),
        to: base_name(d.engine),
        files: (d.inputs ?? []).map((input) => /** @type {[string, string]} */ ([input.what, input.is])),
        ...(d.accept && { accept: d.accept }),
        verdict: { text: d.verdict, look: d.verdict === "failed" ? "alarm" : "good" },
        sides: d.snapshot === undefined ? base.sides : ["snapshot", "this build"],
        brief: d.brief,
        tiles: [
            { title: "verdict", value: d.verdict, note: failed ? `${count(failed)} of ${noun(asked, "rule")} failed` : `${noun(asked, "rule")} checked`, look: failed ? "alarm" : "good" },
            ...d.summary.map(summary_tile),
        ],
        rules,
        rules_title: "Rules and budgets",
        first_view: "rules",
    };
}
