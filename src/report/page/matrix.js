/*
 * Several builds of one network as a subject. A block is a row of the matrix, usually
 * for some nodes of the network. Each build has a cell in the row: its groups of layers
 * for these nodes, one group per line. "≠" marks a difference from the first build.
 * "+1": one layer is inserted.
 *
 *     Conv_13 + Add_15   A int8    B int8 ≠ groups    C int8
 *                                    fp16 +1
 */
import { group_chips, item, type_chip, word_chip } from "./chips.js";
import { cut_modules, module_of_name } from "./modules.js";
import { table_of } from "./records.js";
import { block_of, make_subject, placed, TINTS } from "./subject.js";
import { apart, base_name, count, millis, noun, percent, safe, shorten } from "./words.js";

/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").Chip} Chip */
/** @typedef {import("./types").Item} Item */
/** @typedef {import("./types").MatrixCell} MatrixCell */
/** @typedef {import("./types").MatrixDocument} MatrixDocument */
/** @typedef {import("./types").MatrixMove} MatrixMove */
/** @typedef {import("./types").MatrixRow} MatrixRow */
/** @typedef {import("./types").Subject} Subject */

/** Maximum number of builds that have a tile. The overview lists all builds. */
const TILES = 6;
/** The column that names the build of each row of a table. */
const BUILD = { build: { kind: "text" } };
const COMPARED = { ...BUILD, is: { kind: "text", title: "compared with A" }, by: { kind: "words", title: "differs in" }, what: { kind: "text", title: "runs in" } };
/** The states of a cell, compared with the first build's cell. The most important state
 * is first. A row has the most important state of its cells. */
const IS = ["differs", "unknown", "tactic", "same"];
const SHOWN = /** @type {Record<string, string>} */ ({ differs: "differs", unknown: "possibly different", tactic: "tactics only", same: "the same" });


/** @param {MatrixRow} r */
const worst_of = (r) => IS.find((is) => r.cells.some((c) => c.is === is)) ?? "same";

/** @param {MatrixMove} m */
const move_text = (m) => safe(`${m.kind}${m.cause ? ` (${m.cause})` : ""} ${m.from.join(", ")} → ${m.to.join(", ")}: ${m.before} → ${m.after}`);

/** The time by which the slowest build exceeds the fastest in this row. @param {MatrixRow} r */
function apart_of(r) {
    const times = r.cells.map((c) => c.ms).filter((ms) => ms !== undefined);
    return times.length > 1 ? Math.max(...times) - Math.min(...times) : null;
}

/* ------------------------------------------------------------------------ blocks */

/** The mark of a cell that differs from the first build's cell, that may differ from
 * it, or that has only another tactic. Any other cell has no mark.
 * @param {MatrixCell} c @returns {Chip[]} */
function mark_chips(c) {
    const by = c.by.join(", ");
    if (c.is === "differs") return [word_chip(`≠ ${c.by[0] ?? ""}`, "alarm", `differs from A${by && ` in ${by}`}`)];
    if (c.is === "unknown") return [word_chip("? unknown", "region", "one of the two builds does not state a type, a layout or a mapping")];
    return c.is === "tactic" ? [word_chip("~ tactic", "why", "another kernel computes the same")] : [];
}

/** Makes a line for each group. Facts on the whole cell are in the first line (the
 * mark, the time) and in the last line (the number of inserted layers).
 * @param {MatrixCell} c @param {MatrixRow} r @returns {Item[]} */
function cell_items(c, r) {
    const quiet = c.is === "same" && r.differs;
    const added = c.moves.filter((m) => m.inserted && m.cause !== "free").map(move_text);
    const lines = c.groups.map((g) => item("", c.groups.length > 1 ? g.nodes.join(" + ") : "", group_chips(g)));
    if (!lines.length) lines.push(item("", "", [r.of === "nodes" || r.of === "moves" ? word_chip("–", "why", "it has none of the nodes") : type_chip(c.what)]));
    const [first, last] = /** @type {[Item, Item]} */ ([lines[0], lines[lines.length - 1]]);
    first.chips.push(...mark_chips(c));
    if (c.inserted) last.chips.push(word_chip(`+${c.inserted}`, "cause", `inserted: ${added.join("; ")}`));
    if (c.ms !== undefined) first.figure = millis(c.ms);
    return lines.map((line) => ({ ...line, quiet }));
}

/** @param {MatrixRow} r @param {number} tint @param {(module: string) => string} cut @returns {Block} */
function row_block(r, tint, cut) {
    const worst = worst_of(r);
    const mark = worst === "differs" ? "~" : worst === "unknown" ? "?" : "";
    const groups = r.cells.flatMap((c) => c.groups);
    const names = [...new Set(groups.flatMap((g) => g.nodes))];
    return block_of({
        at: r.row,
        tint: r.of === "nodes" ? tint : 0,
        mark,
        place: { chosen: { kind: "row", id: String(r.row) }, record: () => row_record(r) },
        left: [item("", r.name)],
        right: r.cells.map((c) => cell_items(c, r)),
        nodes: names,
        looks: r.cells.map((c) => `is-${c.is}`),
        measures: [apart_of(r)],
        facets: {
            show: [SHOWN[worst] ?? worst],
            build: r.cells.filter((c) => c.is === "differs" || c.is === "unknown").map((c) => c.build),
            by: [...new Set(r.cells.flatMap((c) => c.by))],
            variants: r.variants > 1 ? [noun(r.variants, "variant")] : [],
            precision: [...new Set(groups.map((g) => g.precision || "?"))],
            cause: [...new Set(r.cells.flatMap((c) => c.moves.flatMap((m) => m.cause ?? [])))],
            kind: [...new Set(groups.map((g) => g.kind))],
            op: r.ops,
            module: [...new Set(names.map((name) => cut(module_of_name(name))))],
        },
        names: () => [r.name, ...names],
    });
}

/* ----------------------------------------------------------------------- records */

/** @param {MatrixRow} r @returns {import("./types").Story} */
function row_record(r) {
    /** @template T @param {(c: MatrixCell) => T[]} of */
    const of_cells = (of) => r.cells.flatMap((c) => of(c).map((one) => ({ build: c.build, ...one })));
    return {
        kind: `row ${r.row}`,
        title: shorten(r.name, 200),
        sections: [
            table_of("In each build", "matrix/rows/cells", r.cells, COMPARED),
            table_of("Groups of layers", "matrix/rows/cells/groups", of_cells((c) => c.groups), BUILD),
            table_of("Data-movement layers", "matrix/rows/cells/moves", of_cells((c) => c.moves), BUILD),
        ],
    };
}

/* ---------------------------------------------------------------------- overview */

/** @param {MatrixDocument} d @param {string[]} names @returns {import("./types").Tile[]} */
function tiles_of(d, names) {
    const [first] = d.builds;
    const differing = d.rows.filter((r) => r.differs).length;
    return [
        { title: "builds", value: differing ? "differ" : "are the same", note: `${count(differing)} of ${noun(d.rows.length, "row")}`, look: differing ? "alarm" : "good", filter: ["show", "differs"] },
        ...d.builds.slice(0, TILES).map((b, i) => /** @type {import("./types").Tile} */ ({
            title: `${b.build}  ${shorten(names[i] ?? "", 40)}`,
            value: b.ms === undefined ? noun(b.layers, "layer") : millis(b.ms),
            note: i ? `${noun(b.differing, "row")} different from A${b.ms !== undefined && first?.ms ? `, time ${b.ms < first.ms ? "" : "+"}${percent(b.ms - first.ms, first.ms)}` : ""}` : `${noun(b.layers, "layer")}, ${b.inserted} inserted`,
            look: b.differing ? "alarm" : i ? "good" : "",
            filter: ["build", b.build],
        })),
    ];
}

/** @param {MatrixDocument} d @returns {Subject} */
export function matrix_subject(d) {
    const names = apart(d.builds.map((b) => b.engine));
    const cut = cut_modules(d.rows.flatMap((r) => r.cells.flatMap((c) => c.groups.flatMap((g) => g.nodes.map(module_of_name)))));
    const blocks = d.rows.map((r, i) => row_block(r, (i % TINTS) + 1, cut));
    const timed = d.builds.filter((b) => b.ms !== undefined);
    const worst = IS.find((is) => d.rows.some((r) => worst_of(r) === is));
    return make_subject({
        from: base_name(d.builds[0]?.model ?? ""),
        to: noun(d.builds.length, "build"),
        files: d.builds.map((b) => [b.build, `${b.model}, ${b.engine}`]),
        verdict: worst === "differs" ? { text: "builds differ", look: "alarm" } : worst === "unknown" ? { text: "possibly different", look: "alarm" } : { text: "no difference", look: "good" },
        left: 9,
        sides: ["nodes", ...d.builds.map((b, i) => `${b.build}  ${names[i]}`)],
        measures: [{ title: "range", print: millis }],
        blocks,
        facets: [
            { name: "show", title: "Compared with build A", order: IS.map((is) => SHOWN[is] ?? is), open: true, chart: true },
            { name: "build", title: "Differs in build", order: d.builds.map((b) => b.build), open: true, chart: true },
            { name: "by", title: "Differs in", open: true, chart: true },
            { name: "variants", title: "Variants" },
            { name: "precision", title: "Runs in" },
            { name: "cause", title: "Cause of insertion" },
            { name: "kind", title: "Kind of layer" },
            { name: "op", title: "Operator", chart: true },
            { name: "module", title: "Module", chart: true },
        ],
        chart_measure: null,
        first_filters: d.rows.some((r) => r.differs) ? ["differs", "unknown"].map((is) => ["show", SHOWN[is] ?? is]) : [],
        tiles: tiles_of(d, names),
        tables: [table_of("Builds", "matrix/builds", d.builds.map((b) => ({ ...b, model: undefined })))],
        waterfall: timed.length > 1 ? { title: "Time of all layers", steps: timed.map((b) => ({ label: b.build, from: 0, to: b.ms ?? 0, look: "whole" })) } : null,
        ...placed("row"),
    });
}
