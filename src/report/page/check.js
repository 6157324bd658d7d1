/*
 * Subjects that have a verdict and rules. The page of a check shows the comparison with
 * the snapshot or, without a snapshot, the build. The page of a lint shows the run or,
 * without an engine, the model. The page of a list of checks has a row for each build.
 * When a row is selected, the details show the whole check of this build.
 */
import { finding_pieces } from "./advice.js";
import { item, word_chip } from "./chips.js";
import { facts_of, table_of } from "./records.js";
import { block_of, make_subject, placed, rules_of } from "./subject.js";
import { base_name, count, millis, noun, percent, safe, signed_millis } from "./words.js";

/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").CheckDocument} CheckDocument */
/** @typedef {import("./types").CheckedBuild} CheckedBuild */
/** @typedef {import("./types").ChecksDocument} ChecksDocument */
/** @typedef {import("./types").Chosen} Chosen */
/** @typedef {import("./types").Command} Command */
/** @typedef {import("./types").LintDocument} LintDocument */
/** @typedef {import("./types").FailedDocument} FailedDocument */
/** @typedef {import("./types").RuleRow} RuleRow */
/** @typedef {import("./types").Subject} Subject */


/** The state of a rule with these findings; "" without findings. @param {{severity: string}[]} found */
const state_of = (found) => (found.some((f) => f.severity === "error") ? "failed" : found.length ? "notes" : "");

/** @param {{rule: string, level: string, skipped?: string, ignored?: number, measured?: string, budget?: string}} r @param {CheckDocument["findings"]} found the findings of that rule @param {Subject} base @returns {RuleRow} */
function rule_row(r, found, base) {
    return {
        ...r,
        state: state_of(found) || (r.skipped ? "skipped" : r.level === "off" ? "off" : "ok"),
        note: [safe(r.skipped ?? ""), r.ignored ? `${noun(r.ignored, "finding")} ignored by the policy` : ""].filter(Boolean).join("; "),
        findings: found.map((f) => {
            const node = f.nodes.find((name) => base.find({ kind: "node", id: name }));
            const line = base_name(f.file) + (f.line ? `:${f.line}` : "");
            return {
                severity: f.severity,
                message: safe(f.message),
                where: [...(node === undefined ? [] : [{ text: safe(node), chosen: { kind: "node", id: node } }, "  "]), { text: line, look: "faint" }],
            };
        }),
    };
}

/** Makes a tile of a row. The tile shows `now`, without a part in parentheses at its
 * end. The note below shows `before` or, without `before`, the part in parentheses.
 * @param {CheckDocument["summary"][0]} row @returns {import("./types").Tile} */
function summary_tile(row) {
    const [value = "", aside = ""] = row.now.split(/ (?=\()/);
    return { title: safe(row.what), value: safe(value), note: row.before ? `was ${safe(row.before)}` : safe(aside) };
}

/** @param {CheckDocument} d @param {Subject} base */
const rule_rows_of = (d, base) => d.rules.map((r) => rule_row(r, d.findings.filter((f) => f.rule === r.rule), base));

/** A comparison with the findings on its changes, but without a verdict. If the new build is
 * faster, the page advises to change nothing.
 * @param {CheckDocument} d @param {Subject} base @param {{before: number, after: number} | undefined} ms @returns
 * {Subject} */
export function judged_subject(d, base, ms) {
    const rules = rule_rows_of(d, base).filter((r) => r.findings.length);
    const faster = ms && ms.after < ms.before ? { nothing: `Nothing: the new build is ${millis(ms.before - ms.after)} (${percent(ms.before - ms.after, ms.before)}) faster.` } : null;
    return { ...base, ...faster, brief: faster ? d.brief.filter(({ topic }) => topic !== "to do") : d.brief, rules: rules.map((r) => ({ ...r, state: r.findings[0]?.severity ?? r.state })), rules_title: "Findings" };
}

/** @param {string} verdict */
const look_of = (verdict) => (verdict === "passed" || verdict === "accepted" ? "good" : "alarm");

/** @param {string} verb @param {string} verdict @param {string} path the path of the judged file */
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
        brief: d.edits.length ? [{ topic: "to do", text: `Apply ${noun(d.edits.length, "proposed edit")} to the model: \`${command.page} ${command.fix}\`` }] : [],
        all_fixes: true,
        tiles: [
            { title: "verdict", value: d.verdict, note: `${noun(error, "error")}, ${noun(warning, "warning")}, ${noun(info, "note")}`, look: look_of(d.verdict), filter: ["show", "findings"] },
            { title: "for", value: d.for, note: "builder" },
            { title: "quantizers of data", value: String(d.style.quantizers), note: `${d.style.before_narrow} before low-precision operators, ${d.style.behind_operators} after operators` },
            { title: "quantized by", value: safe(d.style.name ?? "–"), note: d.style.known_by ? `recognized by ${safe(d.style.known_by)}` : "unknown exporter" },
            { title: "edits", value: String(d.edits.length), note: "proposed" },
        ],
        sides: d.engine === undefined ? ["ONNX nodes", "before the build"] : base.sides,
        rules: [...base.rules, ...d.rules.filter((r) => !base.rules.some((row) => row.rule === r.rule)).map((r) => rule_row(r, [], base))],
        rules_title: "Rules",
        record(chosen) {
            const record = base.record(chosen);
            const edits = d.edits.filter((e) => chosen.kind === "node" && (chosen.id === e.node_name || chosen.id === `#${e.node}`));
            return record && { ...record, sections: [...edits.flatMap((e) => facts_of("What to change", "lint/edits", e, { finding: null, node: null, node_name: null })), ...record.sections] };
        },
    };
}

/* ---------------------------------------------------------------- checks of a list */

const VERDICTS = ["error", "failed", "accepted", "passed"];
/** Maximum number of findings in the row of a build; the details list all. */
const IN_ROW = 4;

/** @param {CheckedBuild} b @returns {Chosen} */
const choose_build = (b) => ({ kind: "check", id: b.name });


/** @param {CheckedBuild} b */
const findings_of = (b) => b.check?.findings ?? [];

/** The reason why the build could not be checked. @param {CheckedBuild} b */
const failure_text = ({ error }) => (error ? safe([error.file, error.message].filter(Boolean).join(": ")) : "");

/** The right side of a build's row: the first IN_ROW errors and warnings, and the
 * number of the others; or the reason why the build could not be checked.
 * @param {CheckedBuild} b */
function build_items(b) {
    const loud = findings_of(b).filter((f) => f.severity !== "info");
    const lines = loud.slice(0, IN_ROW).map((f) => item("", safe(f.message), [word_chip(f.severity, f.severity), word_chip(f.rule, "why")]));
    if (b.error) lines.push(item("", failure_text(b)));
    if (loud.length > IN_ROW) lines.push(item("", `and ${noun(loud.length - IN_ROW, "finding")} more`));
    return lines.length ? lines : [item("", "")];
}

/** @param {CheckedBuild} b @param {number} at @param {Command} command @returns {Block} */
function build_block(b, at, command) {
    const good = look_of(b.verdict) === "good";
    const mark = good ? "" : b.error ? "?" : "~";
    return block_of({
        at,
        mark,
        place: { chosen: choose_build(b), record: () => build_record(b, command) },
        left: [item("", b.name, [word_chip(b.verdict, look_of(b.verdict))])],
        right: [build_items(b)],
        measures: [b.change_ms ?? null],
        facets: {
            verdict: [b.verdict],
            rule: [...new Set(findings_of(b).filter((f) => f.severity !== "info").map((f) => f.rule))],
            label: b.label ? [b.label] : [],
        },
        names: () => [b.name, failure_text(b), ...findings_of(b).flatMap((f) => [f.rule, f.message])],
    });
}


/** @param {CheckedBuild} b @param {Command} command @returns {import("./types").Story} */
function build_record(b, command) {
    const { check } = b;
    const path = "checks/builds/check";
    return {
        kind: "build",
        title: safe(b.name),
        chips: [word_chip(b.verdict, look_of(b.verdict))],
        sections: [
            { title: "Not checked", pairs: check ? [] : [["error", [{ text: failure_text(b), look: "alarm" }]]] },
            { title: "Summary", pairs: check?.brief.map(({ topic, text }) => [topic, [safe(text)]]) ?? [] },
            { title: "Findings", lines: findings_of(b).map((f) => finding_pieces({ find: () => null }, f)) },
            table_of("Counts", `${path}/summary`, check?.summary ?? []),
            table_of("What differs", `${path}/different`, check?.different ?? []),
            table_of("Read", `${path}/inputs`, check?.inputs ?? []),
            { title: "To accept what changed", code: safe(check?.accept ?? "") },
        ],
        command: command.builds?.find(({ name }) => name === b.name)?.command ?? "",
    };
}


/** Lists what to do for each build that did not pass.
 * @param {ChecksDocument} d @returns {import("./types").BriefLine[]} */
function brief_of_list(d) {
    return d.builds.filter((b) => look_of(b.verdict) === "alarm").flatMap((b) => {
        const todo = (b.check?.brief ?? []).filter(({ topic }) => topic === "to do");
        return todo.length ? todo.map(({ text }) => ({ topic: "to do", text: `\`${b.name}\`: ${text}` })) : [{ topic: "to do", text: `\`${b.name}\`: ${failure_text(b) || "see its findings"}` }];
    });
}

/** @param {ChecksDocument} d @param {Command} command @returns {Subject} */
export function checks_subject(d, command) {
    const blocks = d.builds.map((b, i) => build_block(b, i, command));
    /** @param {string} title @param {number} n @param {string} verdict @returns {import("./types").Tile} */
    const tile = (title, n, verdict) => ({ title, value: count(n), note: n === 1 ? "build" : "builds", look: n ? look_of(verdict) : "", filter: ["verdict", verdict] });
    return make_subject({
        title: `check ${d.verdict}: ${noun(d.builds.length, "build")}`,
        from: "",
        to: noun(d.builds.length, "build"),
        files: [],
        verdict: { text: d.verdict, look: look_of(d.verdict) },
        left: 9,
        rows_title: "Builds",
        sides: ["build", "found"],
        measures: [{ title: "change", print: signed_millis, signed: true }],
        blocks,
        facets: [
            { name: "verdict", title: "Verdict", order: VERDICTS, open: true, chart: true },
            { name: "rule", title: "Rule", open: true, chart: true },
            { name: "label", title: "Label", open: true },
        ],
        chart_measure: null,
        tiles: [tile("failed", d.failed, "failed"), tile("not checked", d.errors, "error"), tile("passed", d.passed, "passed")],
        tables: [table_of("Builds", "checks/builds", d.builds.map((b) => ({ ...b, check: undefined })))],
        brief: brief_of_list(d),
        rules: rules_of(d.builds.flatMap((b) => findings_of(b).map((f) => ({ ...f, where: [{ text: safe(b.name), chosen: choose_build(b) }] }))), state_of),
        rules_title: "Findings",
        ...placed("check"),
    });
}

const FAILS = "fails";

/** Marks the rows of nodes that fail, so that a filter finds them.
 * @param {FailedDocument} d @param {Subject} base */
function mark_failing(d, base) {
    const rows = new Set([...d.nodes, ...d.others].flatMap((n) => base.find({ kind: "node", id: `#${n.node}` })?.block ?? []));
    for (const row of rows) {
        const sides = row.items();
        const left = sides.left.map((one) => ({ ...one, chips: [...one.chips, word_chip(FAILS, "alarm")] }));
        Object.assign(row, { level: "alarm", facets: { ...row.facets, show: [...(row.facets.show ?? []), FAILS] }, items: () => ({ ...sides, left }) });
    }
    return rows.size;
}

/** A failed build. The page shows the reason, the place, and what to try; below,
 * it shows the model alone.
 * @param {FailedDocument} d @param {Subject} base @returns {Subject} */
export function failed_subject(d, base) {
    const places = d.nodes.map((n) => n.name ?? `#${n.node}`);
    const marked = mark_failing(d, base);
    return {
        ...base,
        title: `failed build: ${base_name(d.log)}`,
        verdict: { text: "failed", look: "alarm" },
        from: base_name(d.model ?? d.log),
        to: d.for,
        files: [...base.files.filter(([what]) => what !== "engine"), ["log", `${d.log}, line ${d.line}`], ["for", d.for]],
        nothing: "Nothing is known that helps.",
        brief: [
            { topic: "result", text: safe(d.conclusion) },
            ...d.tries.map((t) => ({ topic: "to do", text: safe(t.command ? `${t.text}: \`${t.command}\`` : t.text) })),
        ],
        tiles: [
            { title: "class", value: d.class, note: `the ${d.by} rejects the model`, look: "alarm" },
            { title: "where", value: safe(places[0] ?? d.tensors[0] ?? d.named ?? "–"), note: d.nodes.length > 1 ? `${noun(d.nodes.length, "node")} in all` : "" },
            ...d.values.slice(0, 4).map((v) => ({ title: v.what, value: safe(v.value), note: "stated by the message" })),
        ],
        sides: ["ONNX nodes", "before the build"],
        facets: base.facets.map((f) => (f.name === "show" ? { ...f, order: [FAILS, ...(f.order ?? [])], of: { ...f.of, [FAILS]: "node" } } : f)),
        first_filters: marked && marked < base.blocks.length ? [["show", FAILS]] : [],
        first_view: places.length ? "diff" : "rules",
        rules_title: "Findings of lint",
    };
}
