/*
 * Two builds as a subject. A block is a region: groups of layers of both builds that
 * have nodes in common. The groups of the old build are on the left, those of the new
 * build on the right. Below its groups, each side shows the inserted layers of
 * the region that the other build lacks, or that differ in the other build. Before the
 * regions are the changes of the network's inputs and outputs. After the regions are
 * the changes of inserted layers that belong to no region, and then the changes of
 * single nodes.
 */
import { change_chips, group_chips, item, word_chip } from "./chips.js";
import { cut_modules, module_of_name } from "./modules.js";
import { facts_of, LOOKS, table_of } from "./records.js";
import { block_of, make_subject, placed, TINTS } from "./subject.js";
import { apart, count, millis, percent, safe, shorten, signed_millis } from "./words.js";

/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").CompareDocument} CompareDocument */
/** @typedef {import("./types").Group} Group */
/** @typedef {import("./types").Item} Item */
/** @typedef {import("./types").Move} Move */
/** @typedef {import("./types").Region} Region */
/** @typedef {import("./types").Section} Section */
/** @typedef {import("./types").Story} Story */
/** @typedef {import("./types").Subject} Subject */

const HAPPENED = ["fusion-lost", "regrouped", "opaque", "only-old", "only-new", "fusion-gained", "same"];
/** Causes of a change of time, in the words of the text report (report/text/compare.c). */
const BLAME = /** @type {Record<string, string>} */ ({
    fusion: "different fusion",
    precision: "other precision",
    kernel: "tactics or noise",
    inserted: "inserted layers",
});

/** True if the region differs only in facts that one of the builds does not state.
 * @param {Region} r */
const half_stated = (r) => r.differs && r.what === "same" && r.precision === "same" && !(r.layout || r.layers || r.moves || r.tactic);

/** What differs in a region besides its fusion and its precision. @param {Region} r */
const also_of = (r) => [r.layout && "layout", r.layers && "number of layers", r.moves && "inserted layers", r.tactic && "tactic", half_stated(r) && "facts of one build only"].filter((w) => w !== false);


/* ------------------------------------------------------------------------ blocks */

/** @param {Group} g @returns {Item} */
function group_item(g) {
    const loose = g.loose ? [word_chip("loose", "region", "it is unknown which layer computes which of the nodes")] : [];
    return item("", g.nodes.map(safe).join(" + ") || "(no node)", [...group_chips(g), ...loose]);
}

/** @param {Move} m @param {string} mark @returns {Item} */
function move_item(m, mark) {
    const chips = [...(m.cause ? [word_chip(m.cause, "cause")] : []), ...change_chips([m.before], [m.after])];
    const name = m.nodes.length ? m.nodes.join(" + ") : `${m.from.join(", ")} → ${m.to.join(", ")}`;
    return item(`${mark} ${m.kind}`, name, chips);
}

/** Maps names of nodes to operators. A name may have different operators in the two
 * builds: the operator in the new build counts.
 * @param {CompareDocument} d */
function operators_of(d) {
    const nodes = [...d.aligned, ...d.nodes];
    return new Map([...nodes.map((n) => [n.old, n.op]), ...nodes.map((n) => [n.new, n.op])].flatMap(([name, op]) => (name === undefined || op === undefined ? [] : [[name, op]])));
}

/** @param {Region} r @param {CompareDocument} d @param {Map<string, string>} ops @param {(module: string) => string} cut @param {number} tint @returns {Block} */
function region_block(r, d, ops, cut, tint) {
    const moves = d.moves.filter((m) => m.region === r.region);
    const left = r.old.map(group_item);
    const right = r.new.map(group_item);
    for (const m of moves) {
        if (m.old) left.push(move_item(m.old, m.what === "changed" ? "~" : "−"));
        if (m.new) right.push(move_item(m.new, m.what === "changed" ? "~" : "+"));
    }
    const what = [r.what, r.precision].filter((word) => word !== "same" && word !== "unknown");
    const head = right[0] ?? left[0];
    for (const word of what) head?.chips.push(word_chip(word, LOOKS[word] ?? "plain"));
    const names = [...r.old, ...r.new].flatMap((g) => g.nodes);
    const now = (r.new.length ? r.new : r.old).flatMap((g) => g.nodes);
    const changed = r.differs || r.tactic;
    const mark = r.what === "only-old" ? "-" : r.what === "only-new" ? "+" : half_stated(r) ? "?" : r.differs ? "~" : "";
    return block_of({
        at: r.region,
        tint,
        mark,
        place: { chosen: { kind: "region", id: String(r.region) }, record: () => region_record(r, d) },
        left,
        right: [right],
        nodes: names,
        measures: [r.before ?? null, r.after ?? null, r.before === undefined || r.after === undefined ? null : r.after - r.before],
        facets: {
            show: [changed ? "changed" : "unchanged", ...(moves.length ? ["inserted layers changed"] : [])],
            what: [r.what],
            width: [r.precision],
            kind: [...r.old, ...r.new].map((g) => g.kind),
            precision: r.new.map((g) => g.precision),
            op: now.flatMap((name) => ops.get(name) ?? []),
            module: now.map((name) => cut(module_of_name(name))),
            cause: moves.flatMap((m) => [m.old?.cause, m.new?.cause].filter((c) => c !== undefined)),
            also: also_of(r),
        },
        names: () => [...names, r.what],
    });
}

/** A change outside all regions, in a block of its own.
 * @param {string} id @param {Item | null} left @param {Item | null} right @param {string} what @param {number} at @param {() => Section[]} facts @returns {Block} */
function lone_block(id, left, right, what, at, facts) {
    const name = (right ?? left)?.name ?? "";
    return block_of({
        at,
        mark: left && right ? "~" : left ? "-" : "+",
        place: { chosen: { kind: "change", id }, record: () => ({ kind: what, title: shorten(name, 200), sections: facts() }) },
        left: left ? [left] : [],
        right: [right ? [right] : []],
        facets: { show: ["changed"], what: [what] },
        names: () => [left?.name ?? "", right?.name ?? "", what],
    });
}

/** @param {CompareDocument} d @returns {Block[]} */
function lone_blocks(d) {
    const end = d.regions.length;
    /** @param {string} path @param {import("./types").Row} one */
    const facts = (path, one) => () => facts_of("What changed", `compare/${path}`, one);
    /** @param {CompareDocument["ports"][0]["old"]} p @param {boolean} output */
    const port = (p, output) => (p ? item(output ? "output" : "input", p.name, [word_chip(p.shape, "why"), ...change_chips([], [p.form])]) : null);
    /** @param {CompareDocument["nodes"][0]} n @param {string | undefined} name @param {string | undefined} fate */
    const node = (n, name, fate) => (name === undefined ? null : item(n.op, name || `(${n.op})`, fate ? [word_chip(fate, `fate-${fate}`)] : []));
    return [
        ...d.ports.map((p, i) => lone_block(`port:${i}`, port(p.old, p.output), port(p.new, p.output), "port", -1, facts("ports", p))),
        ...d.moves.flatMap((m, i) => (m.region === undefined ? [lone_block(`move:${i}`, m.old ? move_item(m.old, "") : null, m.new ? move_item(m.new, "") : null, "inserted layer", end, facts("moves", m))] : [])),
        ...d.nodes.map((n, i) => lone_block(`node:${i}`, node(n, n.old, n.before), node(n, n.new, n.after), n.what, end + 1, facts("nodes", n))),
    ];
}

/* ----------------------------------------------------------------------- records */

/** Lists what one build has in a region: its groups and its data-movement layers.
 * Data-movement layers that are the same in both builds are left out.
 * @param {"old" | "new"} side @param {Region} r @param {CompareDocument} d @returns {Section[]} */
function side_sections(side, r, d) {
    const moves = d.moves.flatMap((m) => (m.region === r.region && m[side] ? [m[side]] : []));
    return [table_of(`In the ${side} build`, `compare/regions/${side}`, r[side]), table_of(`Data-movement layers of the ${side} build`, `compare/moves/${side}`, moves)];
}

/** @param {Region} r @param {CompareDocument} d @returns {Story} */
function region_record(r, d) {
    const nodes = new Set([...r.old, ...r.new].flatMap((g) => g.nodes));
    const also = also_of(r).join(", ");
    /** @type {import("./records").Own} */
    const own = { region: null, differs: null, layers: null, moves: null, tactic: null, what: ["fusion", [{ text: r.what, look: LOOKS[r.what] ?? "" }]], precision: ["precision", [{ text: r.precision, look: LOOKS[r.precision] ?? "" }]], layout: ["also differs", also ? [also] : []] };
    const first = (r.new[0] ?? r.old[0])?.nodes ?? [];
    return {
        kind: `region ${r.region}`,
        title: shorten(first.join(" + "), 200),
        sections: [
            ...facts_of("What happened", "compare/regions", r, own),
            .../** @type {const} */ (["old", "new"]).flatMap((side) => side_sections(side, r, d)),
            table_of("Precisions", "compare/precisions", d.precisions.filter((p) => nodes.has(p.old) || nodes.has(p.new)), { old: { kind: "name", title: "node" } }),
            table_of("Tensors between nodes", "compare/edges", d.edges.filter((e) => e.region === r.region)),
            table_of("Aligned", "compare/aligned", d.aligned.filter((a) => a.old !== a.new && (nodes.has(a.old) || nodes.has(a.new)))),
        ],
    };
}


/* ---------------------------------------------------------------------- overview */

/** Uses times of whole runs if both builds have them, since these are the times that users wait
 * for.
 * @param {CompareDocument} d @returns {import("./types").Tile} */
function time_tile(d) {
    const layers = d.summary.ms;
    const of_runs = d.old.run !== undefined && d.new.run !== undefined;
    const [before, after] = of_runs ? [d.old.run, d.new.run] : [layers?.before, layers?.after];
    if (before === undefined || after === undefined) return { title: "time", value: "–", note: "one of the builds has no profile" };
    return {
        title: of_runs ? "time of a run" : "time in layers",
        value: signed_millis(after - before),
        note: `${percent(after - before, before)}: ${millis(before)} → ${millis(after)}${of_runs && layers ? `; in layers ${millis(layers.before)} → ${millis(layers.after)}` : ""}`,
        look: after > before ? "alarm" : "good",
    };
}

/** @param {CompareDocument} d @returns {import("./types").Tile[]} */
function tiles_of(d) {
    const { regions, precisions, moves, nodes } = d.summary;
    const worse = regions["fusion-lost"] ? "alarm" : regions.regrouped ? "added" : "good";
    const more = (moves.added ?? 0) > (moves.removed ?? 0) ? "alarm" : moves.added ? "added" : "good";
    const differing = d.regions.filter((r) => r.differs).length;
    return [
        { title: "builds", value: d.summary.differs ? "differ" : d.summary.opaque_regions ? "alike in what both state" : "are equal", note: `${count(differing)} of ${count(d.regions.length)} regions`, look: d.summary.differs ? "alarm" : "good", filter: ["show", "changed"] },
        { title: "layers", value: `${count(d.old.layers)} → ${count(d.new.layers)}`, note: `mapped ${d.old.mapped} of ${d.old.computing} → ${d.new.mapped} of ${d.new.computing}` },
        { title: "fusions lost", value: count(regions["fusion-lost"] ?? 0), note: `regrouped ${regions.regrouped ?? 0}, gained ${regions["fusion-gained"] ?? 0}${d.summary.opaque_regions ? `, not stated in ${d.summary.opaque_regions}` : ""}`, look: worse, filter: ["what", "fusion-lost"] },
        { title: "higher precision", value: count(precisions.widened ?? 0), note: `lower ${precisions.narrowed ?? 0}, other ${(precisions.retyped ?? 0) + (precisions.changed ?? 0)}`, look: precisions.widened || precisions.retyped ? "alarm" : "good", filter: ["width", "widened"] },
        { title: "inserted layers", value: `+${count(moves.added ?? 0)} −${count(moves.removed ?? 0)}`, note: `changed ${moves.changed ?? 0}`, look: more, filter: ["show", "inserted layers changed"] },
        { title: "nodes", value: `+${count(nodes["only-new"] ?? 0)} −${count(nodes["only-old"] ?? 0)}`, note: `unexplained ${nodes.unexplained ?? 0}` },
        time_tile(d),
    ];
}

/** @param {CompareDocument} d @returns {Subject["waterfall"]} */
function waterfall_of(d) {
    const ms = d.summary.ms;
    if (!ms) return null;
    const steps = [{ label: "old", from: 0, to: ms.before, look: "whole" }];
    let at = ms.before;
    for (const [what, delta] of Object.entries(ms.delta).map(([key, value]) => /** @type {[string, number]} */ ([key, Number(value)]))) {
        steps.push({ label: BLAME[what] ?? what, from: at, to: at + delta, look: delta > 0 ? "alarm" : "good" });
        at += delta;
    }
    return { title: "Where the time went", steps: [...steps, { label: "new", from: 0, to: ms.after, look: "whole" }] };
}

/** @param {CompareDocument} d @returns {Subject} */
export function compare_subject(d) {
    const ops = operators_of(d);
    const cut = cut_modules([...ops.keys()].map((name) => module_of_name(name)));
    const regions = [...d.regions].sort((a, b) => a.region - b.region);
    const blocks = [...regions.map((r, i) => region_block(r, d, ops, cut, (i % TINTS) + 1)), ...lone_blocks(d)].sort((a, b) => a.at - b.at);
    const ms = d.summary.ms;
    const [from = "", to = ""] = apart([d.old.engine, d.new.engine]);
    return make_subject({
        from,
        to,
        files: [
            ["old", `${d.old.model}, ${d.old.engine}  (${d.old.format})`],
            ["new", `${d.new.model}, ${d.new.engine}  (${d.new.format})`],
        ],
        verdict: d.summary.differs ? { text: "builds differ", look: "alarm" } : { text: d.summary.opaque_regions ? "no difference in what both builds state" : "no difference", look: d.summary.opaque_regions ? "" : "good" },
        sides: ["old build", "new build"],
        measures: [
            { title: "old", print: millis, total: ms?.before ?? null },
            { title: "new", print: millis, total: ms?.after ?? null },
            { title: "change", print: signed_millis, signed: true },
        ],
        blocks,
        facets: [
            { name: "show", title: "Show", order: ["changed", "unchanged"], open: true },
            { name: "what", title: "What happened", order: HAPPENED, open: true, chart: true },
            { name: "width", title: "Precision", order: ["widened", "retyped", "changed", "narrowed", "same"], open: true, chart: true },
            { name: "also", title: "Also differs", open: true },
            { name: "cause", title: "Cause of insertion" },
            { name: "kind", title: "Kind of layer", chart: true },
            { name: "precision", title: "Runs in now", chart: true },
            { name: "op", title: "Operator" },
            { name: "module", title: "Module", chart: true },
        ],
        chart_note: ms ? "The time of a region of several modules is divided among them by its nodes." : "",
        first_filters: blocks.some((b) => b.facets.show?.includes("changed")) ? [["show", "changed"]] : [],
        tables: [table_of("How the builds were made", "compare/built", d.built), table_of("Builders", "compare/builders", d.builders ?? [])],
        chart_measure: "new",
        tiles: tiles_of(d),
        waterfall: waterfall_of(d),
        ...placed("region"),
    });
}
