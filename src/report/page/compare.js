/*
 * Two builds as a subject: blocks are regions, the groups that share nodes, the old build's
 * on the left and the new one's on the right, with the layers that came and went beside them;
 * then what changed of the network's ports and of single nodes.
 */
import { change_chips, form_chips, item, type_chip, word_chip } from "./chips.js";
import { finder, search_text } from "./filter.js";
import { cut_modules, module_of_name } from "./modules.js";
import { command_section } from "./paste.js";
import { key_of } from "./state.js";
import { apart, count, millis, once, percent, safe, shorten, signed_millis } from "./words.js";

/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").Chosen} Chosen */
/** @typedef {import("./types").CompareDocument} CompareDocument */
/** @typedef {import("./types").Group} Group */
/** @typedef {import("./types").Item} Item */
/** @typedef {import("./types").Move} Move */
/** @typedef {import("./types").Command} Command */
/** @typedef {import("./types").Pieces} Pieces */
/** @typedef {import("./types").Region} Region */
/** @typedef {import("./types").Section} Section */
/** @typedef {import("./types").Story} Story */
/** @typedef {import("./types").Subject} Subject */

const TINTS = 6;
const HAPPENED = ["fusion-lost", "regrouped", "opaque", "only-old", "only-new", "fusion-gained", "same"];
/** What a time is blamed on, in the words of the text (report/text/compare.c). */
const BLAME = /** @type {Record<string, string>} */ ({
    fusion: "different fusion",
    precision: "other precision",
    kernel: "tactics or noise",
    inserted: "inserted layers",
});

/** @param {string} what */
function look_of(what) {
    if (what === "same" || what === "unknown") return "plain";
    return what === "fusion-gained" || what === "narrowed" || what === "explained" ? "good" : "alarm";
}

/** Nothing that both builds state differs: one of them states less. @param {Region} r */
const half_stated = (r) => r.differs && r.what === "same" && r.precision === "same" && !(r.layout || r.layers || r.moves || r.tactic);

/** @param {Region} r @returns {Chosen} */
const choose_region = (r) => ({ kind: "region", id: String(r.region) });

/* ------------------------------------------------------------------------ blocks */

/** @param {Group} g @param {Region} r @returns {Item} */
function group_item(g, r) {
    const chips = [type_chip(g.precision)];
    if (g.kind !== "compute") chips.unshift(word_chip(g.kind, `kind-${g.kind}`));
    if (g.layers > 1) chips.push(word_chip(`${g.layers} layers`, "region"));
    if (g.loose) chips.push(word_chip("loose", "region", "it is unknown which layer computes which of the nodes"));
    return { ...item("", g.nodes.map(safe).join(" + ") || "(no node)", chips), chosen: choose_region(r) };
}

/** @param {Move} m @param {string} mark @param {Chosen} chosen @returns {Item} */
function move_item(m, mark, chosen) {
    const chips = [...(m.cause ? [word_chip(m.cause, "cause")] : []), ...form_chips(m.before, m.after)];
    const name = m.nodes.length ? m.nodes.join(" + ") : `${m.from.join(", ")} → ${m.to.join(", ")}`;
    return { ...item(`${mark} ${m.kind}`, name, chips), chosen };
}

/** @param {Item[]} left @param {Item[]} right */
function sides(left, right) {
    return {
        counts: { left: left.length, folded: 0, right: right.length },
        items: () => ({ left, folded: null, right: [right] }),
        keys: () => [...left, ...right].flatMap((i) => (i.chosen ? key_of(i.chosen) : [])),
    };
}

/** What is known of nodes by their names. */
class Names {
    /** @param {CompareDocument} d */
    constructor(d) {
        /** @type {Record<"old" | "new", Map<string, string>>} */
        this.op = { old: new Map(), new: new Map() };
        for (const n of [...d.aligned, ...d.nodes]) {
            if (n.old !== undefined) this.op.old.set(n.old, n.op);
            if (n.new !== undefined) this.op.new.set(n.new, n.op);
        }
        this.cut = cut_modules([...this.op.old.keys(), ...this.op.new.keys()].map(module_of_name));
    }

    /** As the new build has it, where it does. @param {Region} r */
    facets(r) {
        const side = r.new.length ? "new" : "old";
        const names = r[side].flatMap((g) => g.nodes);
        return {
            op: names.map((name) => this.op[side].get(name)).filter((op) => op !== undefined),
            module: names.map((name) => this.cut(module_of_name(name))),
        };
    }
}

/** @param {Region} r @param {CompareDocument} d @param {Names} known @param {number} tint @returns {Block} */
function region_block(r, d, known, tint) {
    const moves = d.moves.filter((m) => m.region === r.region);
    const left = r.old.map((g) => group_item(g, r));
    const right = r.new.map((g) => group_item(g, r));
    for (const m of moves) {
        if (m.old) left.push(move_item(m.old, m.what === "changed" ? "~" : "−", choose_region(r)));
        if (m.new) right.push(move_item(m.new, m.what === "changed" ? "~" : "+", choose_region(r)));
    }
    const what = [r.what, r.precision].filter((word) => word !== "same" && word !== "unknown");
    const head = right[0] ?? left[0];
    for (const word of what) head?.chips.push(word_chip(word, look_of(word)));
    const names = [...r.old, ...r.new].flatMap((g) => g.nodes);
    const changed = r.differs || r.tactic;
    return {
        at: r.region,
        tint,
        mark: r.what === "only-old" ? "-" : r.what === "only-new" ? "+" : half_stated(r) ? "?" : r.differs ? "~" : "",
        level: r.what === "only-old" ? "removed" : r.what === "only-new" ? "added" : half_stated(r) ? "doubtful" : r.differs ? "changed" : "plain",
        ...sides(left, right),
        measures: [r.before ?? null, r.after ?? null, r.before === undefined || r.after === undefined ? null : r.after - r.before],
        facets: {
            show: [changed ? "changed" : "unchanged", ...(moves.length ? ["inserted layers changed"] : [])],
            what: [r.what],
            width: [r.precision],
            kind: [...r.old, ...r.new].map((g) => g.kind),
            precision: r.new.map((g) => g.precision),
            ...known.facets(r),
            cause: moves.flatMap((m) => [m.old?.cause, m.new?.cause].filter((c) => c !== undefined)),
            also: [r.layout && "layout", r.layers && "number of layers", r.moves && "inserted layers", r.tactic && "tactic", half_stated(r) && "facts of one build only"].filter((w) => w !== false),
        },
        text: once(() => search_text([...names, r.what])),
    };
}

/** A change that belongs to no region: it stands alone.
 * @param {string} id @param {Item | null} left @param {Item | null} right @param {string} what @param {number} at @returns {Block} */
function lone_block(id, left, right, what, at) {
    /** @type {Chosen} */
    const chosen = { kind: "change", id };
    for (const one of [left, right]) if (one) one.chosen = chosen;
    return {
        at,
        tint: 0,
        mark: left && right ? "~" : left ? "-" : "+",
        level: left && right ? "changed" : left ? "removed" : "added",
        ...sides(left ? [left] : [], right ? [right] : []),
        measures: [null, null, null],
        facets: { show: ["changed"], what: [what] },
        text: once(() => search_text([left?.name ?? "", right?.name ?? "", what])),
    };
}

/** @param {CompareDocument} d @returns {Block[]} */
function lone_blocks(d) {
    const end = d.regions.length;
    /** @param {CompareDocument["ports"][0]["old"]} p @param {boolean} output */
    const port = (p, output) => (p ? item(output ? "output" : "input", p.name, [word_chip(p.shape, "why"), ...change_chips([], [p.form])]) : null);
    /** @param {CompareDocument["nodes"][0]} n @param {string | undefined} name @param {string | undefined} fate */
    const node = (n, name, fate) => (name === undefined ? null : item(n.op, name || `(${n.op})`, fate ? [word_chip(fate, `fate-${fate}`)] : []));
    return [
        ...d.ports.map((p, i) => lone_block(`port:${i}`, port(p.old, p.output), port(p.new, p.output), "port", -1)),
        ...d.moves.flatMap((m, i) => {
            if (m.region !== undefined) return [];
            const [before, after] = [m.old, m.new].map((one) => (one ? move_item(one, "", choose_region(/** @type {Region} */ ({ region: -1 }))) : null));
            return [lone_block(`move:${i}`, before ?? null, after ?? null, "inserted layer", end)];
        }),
        ...d.nodes.map((n, i) => lone_block(`node:${i}`, node(n, n.old, n.before), node(n, n.new, n.after), n.what, end + 1)),
    ];
}

/* ----------------------------------------------------------------------- records */

/** @param {string} title @param {Group[]} groups @returns {Section[]} */
function group_sections(title, groups) {
    if (!groups.length) return [{ title, lines: [["nothing"]] }];
    const timed = groups.some((g) => g.ms !== undefined);
    return [{
        title,
        head: ["nodes", "kind", "runs in", "layers", ...(timed ? ["time"] : [])],
        rows: groups.map((g) => [[{ text: g.nodes.map(safe).join(", "), look: "code" }], [g.kind + (g.loose ? ", loose" : "")], [g.precision], [String(g.layers)], ...(timed ? [[g.ms === undefined ? "" : millis(g.ms)]] : [])]),
    }];
}

/** @param {Move} m */
const move_text = (m) => safe(`${m.kind}${m.cause ? ` (${m.cause})` : ""} ${m.from.join(", ")} → ${m.to.join(", ")}: ${m.before.type} ${m.before.layout} → ${m.after.type} ${m.after.layout}${m.ms === undefined ? "" : `, ${millis(m.ms)}`}`);

/** @param {Region} r @param {CompareDocument} d @param {Command} command @returns {Story} */
function region_record(r, d, command) {
    const nodes = new Set([...r.old, ...r.new].flatMap((g) => g.nodes));
    const also = [r.layout && "layouts differ", r.layers && "the number of layers differs", r.moves && "inserted layers changed", r.tactic && "tactics differ", half_stated(r) && "one of the builds does not state all facts"].filter((w) => w !== false);
    /** @type {Section[]} */
    const sections = [{
        title: "What happened",
        pairs: [
            ["fusion", [{ text: r.what, look: look_of(r.what) }]],
            ["precision", [{ text: r.precision, look: look_of(r.precision) }]],
            ...(also.length ? /** @type {[string, Pieces][]} */ ([["also", [also.join(", ")]]]) : []),
            ...(r.before !== undefined && r.after !== undefined
                ? /** @type {[string, Pieces][]} */ ([["time", [`${millis(r.before)} → ${millis(r.after)}  (${signed_millis(r.after - r.before)}, ${percent(r.after - r.before, r.before)})`]], ["of which inserted layers", [`${millis(r.moves_before ?? 0)} → ${millis(r.moves_after ?? 0)}`]]])
                : []),
        ],
    }];
    sections.push(...group_sections("Old build", r.old), ...group_sections("New build", r.new));
    const moves = d.moves.filter((m) => m.region === r.region);
    if (moves.length) sections.push({ title: "Inserted layers", lines: moves.map((m) => [{ text: m.what, look: m.what }, " ", [m.old, m.new].filter((x) => x !== undefined).map(move_text).join("  →  ")]) });
    const precisions = d.precisions.filter((p) => nodes.has(p.old) || nodes.has(p.new));
    if (precisions.length) sections.push({ title: "Precisions", head: ["node", "was", "is now", ""], rows: precisions.map((p) => [[{ text: safe(p.new), look: "code" }], [p.before], [p.after], [{ text: p.change, look: look_of(p.change) }]]) });
    const edges = d.edges.filter((e) => e.region === r.region);
    if (edges.length) sections.push({ title: "Tensors between nodes", head: ["from", "to", "was", "is now"], rows: edges.map((e) => [[safe(e.new_from)], [e.new_to ? safe(e.new_to) : "(producer output)"], [`${e.before.type} ${e.before.layout}`], [`${e.after.type} ${e.after.layout}`]]) });
    const aligned = d.aligned.filter((a) => nodes.has(a.old) || nodes.has(a.new));
    if (aligned.some((a) => a.old !== a.new)) sections.push({ title: "Aligned", head: ["old", "new", "by"], rows: aligned.map((a) => [[safe(a.old)], [safe(a.new)], [a.by]]) });
    sections.push(command_section(command.page));
    const first = (r.new[0] ?? r.old[0])?.nodes ?? [];
    return { kind: `region ${r.region}`, title: shorten(first.join(" + "), 200), chips: [], sections };
}

/** @param {Block} block @param {Command} command @returns {Story} */
function lone_record(block, command) {
    const { left, right } = block.items();
    const now = right[0]?.[0];
    const one = now ?? left[0];
    /** @param {Item | undefined} side @returns {Pieces} */
    const texts = (side) => (side ? [safe([side.word, side.name, ...side.chips.map((c) => [c.text, c.rest].filter(Boolean).join(" "))].join("  "))] : ["nothing"]);
    return {
        kind: block.facets.what?.[0] ?? "change",
        title: shorten(one?.name ?? "", 200),
        chips: [],
        sections: [{ title: "What changed", pairs: [["was", texts(left[0])], ["is now", texts(now)]] }, command_section(command.page)],
    };
}

/* ---------------------------------------------------------------------- overview */

/** @param {CompareDocument} d @returns {import("./types").Tile[]} */
function tiles_of(d) {
    const { regions, precisions, moves, nodes, ms } = d.summary;
    const worse = regions["fusion-lost"] ? "alarm" : regions.regrouped ? "added" : "good";
    const more = (moves.added ?? 0) > (moves.removed ?? 0) ? "alarm" : moves.added ? "added" : "good";
    const differing = d.regions.filter((r) => r.differs).length;
    const delta = ms ? ms.after - ms.before : 0;
    return [
        { title: "builds", value: d.summary.differs ? "differ" : "are equal", note: `${count(differing)} of ${count(d.regions.length)} regions`, look: d.summary.differs ? "alarm" : "good", filter: ["show", "changed"] },
        { title: "layers", value: `${count(d.old.layers)} → ${count(d.new.layers)}`, note: `mapped ${d.old.mapped} of ${d.old.computing} → ${d.new.mapped} of ${d.new.computing}` },
        { title: "fusions lost", value: count(regions["fusion-lost"] ?? 0), note: `regrouped ${regions.regrouped ?? 0}, gained ${regions["fusion-gained"] ?? 0}`, look: worse, filter: ["what", "fusion-lost"] },
        { title: "higher precision", value: count(precisions.widened ?? 0), note: `lower ${precisions.narrowed ?? 0}, other ${precisions.changed ?? 0}`, look: precisions.widened ? "alarm" : "good", filter: ["width", "widened"] },
        { title: "inserted layers", value: `+${count(moves.added ?? 0)} −${count(moves.removed ?? 0)}`, note: `changed ${moves.changed ?? 0}`, look: more, filter: ["show", "inserted layers changed"] },
        { title: "nodes", value: `+${count(nodes["only-new"] ?? 0)} −${count(nodes["only-old"] ?? 0)}`, note: `unexplained ${nodes.unexplained ?? 0}` },
        { title: "time", value: ms ? signed_millis(delta) : "–", note: ms ? `${percent(delta, ms.before)}: ${millis(ms.before)} → ${millis(ms.after)}` : "one of the builds has no profile", look: ms ? (delta > 0 ? "alarm" : "good") : "" },
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

/** Groups in a picture of two builds, and where they are shown: at the place `kind=number`.
 * @param {string} kind @returns {Pick<Subject, "box_of" | "chosen_of">} */
export function placed(kind) {
    return {
        box_of(chosen, { places }) {
            for (const side of chosen.kind === kind ? ["n", "o"] : []) {
                const group = places?.[side]?.indexOf(Number(chosen.id)) ?? -1;
                if (group >= 0) return `${side}${group}`;
            }
            return null;
        },
        chosen_of(box, { places }) {
            const [, side = "", group] = box.match(/^([no])(\d+)$/) ?? [];
            const place = places?.[side]?.[Number(group)];
            return place === undefined ? null : { kind, id: String(place) };
        },
    };
}

/** @param {CompareDocument} d @param {Command} command @returns {Subject} */
export function compare_subject(d, command) {
    const known = new Names(d);
    const boxes = placed("region");
    const regions = [...d.regions].sort((a, b) => a.region - b.region);
    const blocks = [...regions.map((r, i) => region_block(r, d, known, (i % TINTS) + 1)), ...lone_blocks(d)].sort((a, b) => a.at - b.at);
    const by_region = new Map(d.regions.map((r) => [String(r.region), r]));
    /** The region that a node is in, for links that name it. @param {string} name */
    const region_of_node = (name) => d.regions.find((r) => [...r.old, ...r.new].some((g) => g.nodes.includes(name)));
    /** @param {Chosen} chosen @returns {Chosen} */
    const settled = (chosen) => {
        const region = chosen.kind === "node" ? region_of_node(chosen.id) : undefined;
        return region ? choose_region(region) : chosen;
    };
    const found = finder(blocks);
    /** @param {Chosen} chosen */
    const find = (chosen) => found(settled(chosen));
    /** @param {number} i */
    const most = (i) => blocks.reduce((max, b) => Math.max(max, Math.abs(b.measures[i] ?? 0)), 0);
    const ms = d.summary.ms;
    const [from, to] = apart(d.old.engine, d.new.engine);
    return {
        title: `${from} → ${to}`,
        from,
        to,
        files: [
            ["old", `${d.old.model}, ${d.old.engine}  (${d.old.format})`],
            ["new", `${d.new.model}, ${d.new.engine}  (${d.new.format})`],
        ],
        verdict: d.summary.differs ? { text: "builds differ", look: "alarm" } : { text: "no difference", look: "good" },
        left: 13,
        sides: ["old build", "new build"],
        measures: ms
            ? [
                  { title: "old", print: millis, signed: false, most: Math.max(most(0), most(1)), total: ms.before },
                  { title: "new", print: millis, signed: false, most: Math.max(most(0), most(1)), total: ms.after },
                  { title: "change", print: signed_millis, signed: true, most: most(2), total: null },
              ]
            : [],
        blocks,
        facets: [
            { name: "show", title: "Show", order: ["changed", "unchanged"], open: true },
            { name: "what", title: "What happened", order: HAPPENED, open: true },
            { name: "width", title: "Precision", order: ["widened", "changed", "narrowed", "same"], open: true },
            { name: "also", title: "Also differs", open: true },
            { name: "cause", title: "Cause of insertion" },
            { name: "kind", title: "Kind of layer" },
            { name: "precision", title: "Runs in now" },
            { name: "op", title: "Operator" },
            { name: "module", title: "Module" },
        ],
        charts: [
            { facet: "what", title: "What happened" },
            { facet: "width", title: "Precision" },
            { facet: "kind", title: "Kind of layer" },
            { facet: "precision", title: "Runs in now" },
            { facet: "module", title: "Module" },
        ],
        chart_note: ms ? "The time of a region of several modules is divided among them by its nodes." : "",
        first_filters: blocks.some((b) => b.facets.show?.includes("changed")) ? [["show", "changed"]] : [],
        tables: [],
        ...(ms && { chart_measure: 1 }),
        brief: [],
        tiles: tiles_of(d),
        rules: [],
        rules_title: "",
        waterfall: waterfall_of(d),
        roofline: null,
        find,
        record(chosen) {
            const one = settled(chosen);
            const region = one.kind === "region" ? by_region.get(one.id) : undefined;
            if (region) return region_record(region, d, command);
            const lone = find(one);
            return lone ? lone_record(lone.block, command) : null;
        },
        box_of: (chosen, picture) => boxes.box_of(settled(chosen), picture),
        chosen_of: boxes.chosen_of,
        first_view: "diff",
    };
}
