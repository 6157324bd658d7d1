/*
 * Subjects with a verdict in front, and the rules: a check is that of the comparison with the
 * snapshot, or of the build where there is none, with budgets; a lint is that of the run, of
 * which there may be the model's side only, with what a script would change beside each node.
 */
import { facts_of } from "./records.js";
import { base_name, count, millis, noun, percent, safe } from "./words.js";

/** @typedef {import("./types").CheckDocument} CheckDocument */
/** @typedef {import("./types").LintDocument} LintDocument */
/** @typedef {import("./types").RuleRow} RuleRow */
/** @typedef {import("./types").Subject} Subject */

const SEVERITIES = ["failed", "notes", "skipped", "ok", "off"];

/** @param {{rule: string, level: string, skipped?: string, ignored?: number, measured?: string, budget?: string}} r @param {CheckDocument["findings"]} found of that rule @param {Subject} base @returns {RuleRow} */
function rule_row(r, found, base) {
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

/** @param {string} verdict */
const look_of = (verdict) => (verdict === "failed" ? "alarm" : "good");

/** @param {string} verb @param {string} verdict @param {string} path of what is judged */
const verdict_of = (verb, verdict, path) => ({ title: `${verb} ${verdict}: ${base_name(path)}`, verdict: { text: verdict, look: look_of(verdict) }, first_view: "rules" });

/** @param {CheckDocument} d @param {Subject} base @returns {Subject} */
export function check_subject(d, base) {
    const rules = rule_rows_of(d, base);
    const failed = rules.filter((r) => r.state === "failed").length;
    const asked = rules.filter((r) => r.state !== "off" && r.state !== "skipped").length;
    return {
        ...base,
        ...verdict_of("check", d.verdict, d.engine),
        from: base_name(d.snapshot ?? d.model),
        to: base_name(d.engine),
        files: (d.inputs ?? []).map((input) => /** @type {[string, string]} */ ([input.what, input.is])),
        ...(d.accept && { accept: d.accept }),
        sides: d.snapshot === undefined ? base.sides : ["snapshot", "this build"],
        brief: d.brief,
        tiles: [
            { title: "verdict", value: d.verdict, note: failed ? `${count(failed)} of ${noun(asked, "rule")} failed` : `${noun(asked, "rule")} checked`, look: failed ? "alarm" : "good" },
            ...d.summary.map(summary_tile),
        ],
        rules,
        rules_title: "Rules and budgets",
    };
}

/** @param {LintDocument} d @param {Subject} base @returns {RuleRow[]} */
function rule_rows(d, base) {
    const found = new Map(base.rules.map((row) => [row.rule, row]));
    const quiet = d.rules.filter((r) => !found.has(r.rule));
    return [...base.rules, ...quiet.map((r) => rule_row(r, [], base))];
}

/** @param {LintDocument} d @param {Subject} base @param {import("./types").Command} command @returns {Subject} */
export function lint_subject(d, base, command) {
    const { error = 0, warning = 0, info = 0 } = d.summary;
    return {
        ...base,
        ...verdict_of("lint", d.verdict, d.model),
        from: base_name(d.model),
        to: d.engine === undefined ? d.for : base_name(d.engine),
        files: [
            ...base.files.filter(([what]) => d.engine !== undefined || what !== "engine"),
            ["for", d.for],
        ],
        brief: d.edits.length ? [{ topic: "to do", text: `Apply ${noun(d.edits.length, "proposed edit")} to the model: \`${command.page} --fix -o fixed.onnx\`` }] : [],
        all_fixes: true,
        tiles: [
            { title: "verdict", value: d.verdict, note: `${noun(error, "error")}, ${noun(warning, "warning")}, ${noun(info, "note")}`, look: look_of(d.verdict), filter: ["show", "findings"] },
            { title: "for", value: d.for, note: "--for selects another builder" },
            { title: "quantizers of data", value: String(d.style.quantizers), note: `${d.style.before_narrow} before low-precision operators, ${d.style.behind_operators} after operators` },
            { title: "quantized by", value: safe(d.style.name ?? "–"), note: d.style.known_by ? `recognized by ${safe(d.style.known_by)}` : "unknown exporter" },
            { title: "edits", value: String(d.edits.length), note: "proposed; --fix applies them" },
        ],
        sides: d.engine === undefined ? ["ONNX nodes", "before the build"] : base.sides,
        rules: rule_rows(d, base),
        rules_title: "Rules",
        record(chosen) {
            const record = base.record(chosen);
            const edits = d.edits.filter((e) => chosen.kind === "node" && (chosen.id === e.node_name || chosen.id === `#${e.node}`));
            return record && { ...record, sections: [...edits.flatMap((e) => facts_of("What to change", "lint/edits", e, { finding: null, node: null, node_name: null })), ...record.sections] };
        },
    };
}
