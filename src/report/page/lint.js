/*
 * A lint as a subject: that of the run, of which there may be the model's side only, with
 * the rules in front, and beside each node what a script would change there.
 */
import { rule_row } from "./check.js";
import { facts_of } from "./records.js";
import { base_name, noun, safe } from "./words.js";

/** @typedef {import("./types").LintDocument} LintDocument */
/** @typedef {import("./types").RuleRow} RuleRow */
/** @typedef {import("./types").Subject} Subject */

/** @param {LintDocument} d @param {Subject} base @returns {RuleRow[]} */
function rule_rows(d, base) {
    const found = new Map(base.rules.map((row) => [row.rule, row]));
    const quiet = d.rules.filter((r) => !found.has(r.rule));
    return [...base.rules, ...quiet.map((r) => rule_row(r, [], base))];
}

/** @param {LintDocument} d @param {Subject} base @param {import("./types").Command} command @returns {Subject} */
export function lint_subject(d, base, command) {
    const { error = 0, warning = 0, info = 0 } = d.summary;
    const failed = d.verdict === "failed";
    return {
        ...base,
        title: `lint ${d.verdict}: ${base_name(d.model)}`,
        from: base_name(d.model),
        to: d.engine === undefined ? d.for : base_name(d.engine),
        files: [
            ...base.files.filter(([what]) => d.engine !== undefined || what !== "engine"),
            ["for", d.for],
        ],
        verdict: { text: d.verdict, look: failed ? "alarm" : "good" },
        brief: d.edits.length ? [{ topic: "to do", text: `Apply ${noun(d.edits.length, "proposed edit")} to the model: \`${command.page} --fix -o fixed.onnx\`` }] : [],
        all_fixes: true,
        tiles: [
            { title: "verdict", value: d.verdict, note: `${noun(error, "error")}, ${noun(warning, "warning")}, ${noun(info, "note")}`, look: failed ? "alarm" : "good", filter: ["show", "findings"] },
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
        first_view: "rules",
    };
}
