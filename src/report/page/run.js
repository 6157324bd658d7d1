/*
 * A run as a subject. Each layer, with its nodes, is a block. These blocks are in the
 * order of execution. Nodes that no layer computes have blocks of their own, which
 * vanished_blocks() places between the layers.
 */
import { finding_pieces, linked } from "./advice.js";
import { change_chips, item, rank, type_chip, word_chip } from "./chips.js";
import { cut_modules } from "./modules.js";
import { pasted } from "./markdown.js";
import { facts_of, table_of } from "./records.js";
import { chosen_of_key, key_of } from "./state.js";
import { place_of } from "./source.js";
import { make_subject, rules_of, TINTS } from "./subject.js";
import { base_name, bytes, count, grouped, millis, noun, number_of, once, percent, quoted, safe, shorten } from "./words.js";

/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").Chosen} Chosen */
/** @typedef {import("./types").Item} Item */
/** @typedef {import("./types").Layer} Layer */
/** @typedef {import("./types").Node} ModelNode */
/** @typedef {import("./types").PasteForm} PasteForm */
/** @typedef {import("./types").PatternsDocument} PatternsDocument */
/** @typedef {NonNullable<PatternsDocument["blocks"]>[0]} Pattern */
/** @typedef {import("./types").Pieces} Pieces */
/** @typedef {import("./types").RunDocument} RunDocument */
/** @typedef {import("./types").Section} Section */
/** @typedef {import("./types").Story} Story */
/** @typedef {import("./types").StoryDocument} StoryDocument */
/** @typedef {import("./types").Subject} Subject */

const COMPUTING = new Set(["compute", "foreign", "quantize"]);
const FATES = ["layer", "absorbed", "folded", "identity", "merged", "dead", "outside", "unexplained"];
const EVIDENCE = ["metadata", "name", "log", "tensor", "path", "structure", "none"];
/** The meaning of each kind of evidence that a layer computes a node. Rows show the
 * first letter of the kind. */
const KNOWN_BY = { metadata: "metadata of the engine", name: "layer name", log: "build log", tensor: "tensors of the layer", path: "path between named nodes", structure: "structure of the kernel" };
const MARKS = { "+": "inserted by TensorRT", "-": "computed by no layer", "?": "not explained" };
/** Maximum number of nodes that a block shows before it is opened. */
const SHOWN = 6;

/** Lookup tables from which blocks and records are made. */
class Run {
    /** @param {RunDocument} document @param {StoryDocument | null} story @param {PatternsDocument | null} patterns @param {PasteForm[]} forms @param {import("./types").Command} command @param {Map<string, import("./types").RuleText>} texts */
    constructor(document, story, patterns, forms, command, texts) {
        this.document = document;
        this.forms = forms;
        this.command = command;
        /** Maps a rule to its reason and its fix. */
        this.texts = texts;
        this.layers = document.layers;
        this.built = document.layers.length > 0;
        /** A model alone has no layers, so none of its nodes counts as unexplained. */
        this.nodes = this.built ? document.nodes : document.nodes.map((n) => (n.fate === "unexplained" ? { ...n, fate: "", why: "" } : n));
        /** Maps a name to the number of its node, or to null if several nodes have the
         * name.
         * @type {Map<string, number | null>} */
        this.by_name = new Map();
        for (const n of this.nodes) this.by_name.set(n.name, this.by_name.has(n.name) ? null : n.index);
        this.of_layer = grouped(document.findings, (f) => f.layers);
        this.of_node = grouped(document.findings, (f) => f.nodes);
        /** @type {Map<number, import("./types").StoryOf["story"]>} */
        this.node_story = new Map(story?.nodes?.map((s) => [s.index, s.story]));
        /** @type {Map<number, import("./types").StoryOf["story"]>} */
        this.layer_story = new Map(story?.layers?.map((s) => [s.index, s.story]));
        /** The time of all layers, in milliseconds; undefined without a profile, in which case
         * costs are bytes. */
        this.total = document.summary.ms?.total;
        this.print = this.total === undefined ? bytes : millis;
        /** By node: its line in the source. @type {(ReturnType<typeof place_of>)[]} */
        this.places = this.nodes.map((n) => place_of(n.source));
        this.by_source = grouped(this.nodes, (n) => (this.places[n.index] ? [this.source_of(n)] : []));
        this.module_of = cut_modules(this.nodes.map((n) => n.module ?? ""));
        this.patterns_of_layer = grouped(patterns?.blocks ?? [], (block) => block.layers);
        this.patterns_of_node = grouped(patterns?.blocks ?? [], (block) => block.nodes);
    }

    /** @param {number} i @returns {ModelNode} */
    node(i) {
        return /** @type {ModelNode} */ (this.nodes[i]);
    }

    /** @param {number} i @returns {Layer} */
    layer(i) {
        return /** @type {Layer} */ (this.layers[i]);
    }

    /** The line of a node in the source: "model.py:7". @param {ModelNode} n */
    source_of(n) {
        const place = this.places[n.index];
        return place ? `${place.file}:${place.line}` : "(none)";
    }

    /** The time of nodes. If no times are known: the bytes of nodes. The bytes of a
     * layer are divided equally among the nodes of the layer.
     * @param {...ModelNode} nodes */
    cost_of(...nodes) {
        if (this.total !== undefined) return nodes.reduce((sum, n) => sum + (n.ms ?? 0), 0);
        const layers = nodes.flatMap((n) => n.layers).map((i) => this.layer(i));
        return layers.reduce((sum, l) => sum + (number_of(l.bytes) ?? 0) / l.nodes.length, 0);
    }

    /** Identifies a node by its name if that is unique, so that a link survives another export.
     * @param {ModelNode} n @returns {Chosen} */
    choose_node(n) {
        const unique = n.name && !n.name.startsWith("#") && this.by_name.get(n.name) === n.index;
        return { kind: "node", id: unique ? n.name : `#${n.index}` };
    }

    /** @param {Chosen} chosen */
    find(chosen) {
        return this.index_of(chosen) !== null;
    }

    /** @param {Chosen} chosen @returns {number | null} */
    index_of(chosen) {
        if (chosen.kind !== "node" && chosen.kind !== "layer") return null;
        const list = chosen.kind === "node" ? this.nodes : this.layers;
        const number = chosen.kind === "node" ? chosen.id.match(/^#(\d+)$/)?.[1] : chosen.id.match(/^\d+$/)?.[0];
        if (number !== undefined) return list[Number(number)] ? Number(number) : null;
        const named = chosen.kind === "node" ? this.by_name.get(chosen.id) : undefined;
        return named ?? list.find((x) => x.name === chosen.id)?.index ?? null;
    }
}

/** @param {Layer} l @returns {Chosen} */
const choose_layer = (l) => ({ kind: "layer", id: String(l.index) });

/** @param {ModelNode} n */
const node_name = (n) => n.name || `#${n.index} ${n.op}`;

/** True if the node runs in higher precision than the model requests, by the same rule
 * as fsd_runs_wider().
 * @param {ModelNode} n */
const runs_wider = (n) => rank(n.requested) > 0 && rank(n.realised) > rank(n.requested);

/* ----------------------------------------------------------------------- modules */

/** The modules of a layer are those of its nodes. An inserted layer has no nodes. It
 * belongs to the module of the node that reads its data. If no node reads the data, it
 * belongs to the module of the node that produces them.
 * @param {Run} run @param {Layer} l @param {ModelNode[]} nodes */
function modules_of_layer(run, l, nodes) {
    const reader = l.edge?.readers.find((r) => r.node !== undefined)?.node ?? l.edge?.producer;
    const of = nodes.length ? nodes : reader === undefined ? [] : [run.node(reader)];
    return of.length ? of.map((n) => run.module_of(n.module)) : ["(none)"];
}

/* ------------------------------------------------------------------------ blocks */

/** @param {Run} run @param {ModelNode} n @param {string[]} evidence @returns {Item} */
function node_item(run, n, evidence) {
    const chips = [];
    if (runs_wider(n))
        chips.push(word_chip(`requested ${n.requested}`, "alarm", `the model requests ${n.requested}, it runs in ${n.realised}`));
    if (n.fate && n.fate !== "layer") chips.push(word_chip(n.fate, `fate-${n.fate}`, n.why));
    return {
        ...item(n.op, node_name(n), chips),
        chosen: run.choose_node(n),
        record: () => node_record(run, n),
        box: `n${n.index}`,
        index: `#${n.index}`,
        evidence,
        quiet: is_quiet(n),
    };
}

/** @param {Run} run @param {Layer} l @returns {Item} */
function layer_item(run, l) {
    const chips = l.kind === "compute" || l.kind === l.type.toLowerCase() ? [] : [word_chip(l.kind, `kind-${l.kind}`)];
    if (l.region !== undefined) chips.unshift(word_chip(`region ${l.region}`, "region", "these layers compute the region's nodes; which layer computes which node is unknown"));
    if (l.cause) chips.push(word_chip(l.cause, "cause", `inserted by TensorRT: ${l.cause}`));
    return {
        ...item(l.type || l.kind, l.name, [...chips, ...change_chips(l.inputs, l.outputs)]),
        chosen: choose_layer(l),
        record: () => layer_record(run, l),
        box: `l${l.index}`,
        index: String(l.index),
    };
}

/** True if the engine has no operation for the node. @param {ModelNode} n */
const is_quiet = (n) => n.fate !== "" && n.fate !== "layer" && n.fate !== "unexplained";

/** Returns the nodes that a block shows before it is opened. Returns null if fewer than
 * two nodes would be hidden: the block then shows all nodes. Hiding one node saves no
 * line, because the number of hidden nodes takes a line.
 * @param {ModelNode[]} nodes */
function shown_of(nodes) {
    const loud = nodes.filter((n) => !is_quiet(n));
    const shown = loud.length > SHOWN ? loud.slice(0, SHOWN - 1) : loud;
    return nodes.length - shown.length < 2 ? null : shown;
}

/** The items of the shown nodes, and one for all others.
 * @param {ModelNode[]} nodes @param {Item[]} items the items of `nodes` @param {ModelNode[]} shown */
function folded(nodes, items, shown) {
    const others = nodes.filter((n) => !shown.includes(n));
    /** @param {string} what @param {ModelNode[]} some */
    const counted = (what, some) => (some.length ? [`${some.length} ${what}`] : []);
    const loud = counted("more nodes", others.filter((n) => !is_quiet(n)));
    const quiet = FATES.flatMap((fate) => counted(fate, others.filter((n) => is_quiet(n) && n.fate === fate)));
    return [...items.filter((_, i) => shown.includes(/** @type {ModelNode} */ (nodes[i]))), { ...item("", `+ ${[...loud, ...quiet].join(", ")}`), quiet: true }];
}

/** @param {Layer} l @param {ModelNode[]} nodes */
function operators_of(l, nodes) {
    const ops = nodes.filter((n) => n.fate === "layer").map((n) => n.op);
    if (!ops.length) return l.inserted ? "(inserted)" : "(no node)";
    const runs = ops.filter((op, i) => op !== ops[i - 1]);
    return runs.length > 5 ? `${runs.slice(0, 4).join("+")}+${runs.length - 4} more` : runs.join("+");
}

/** True for a layer that moves data and takes time: inserted layers, conversions, quantizers and copies. @param {Layer} l */
const moves_data = (l) => l.kind !== "noop" && l.cause !== "free" && (l.inserted || l.kind === "reformat" || l.kind === "quantize" || l.kind === "copy");

/** The remarks on a layer. A remark is a pair: a value of the filter "show", and the
 * layer, node, pattern or finding that is counted for this value.
 * @param {Run} run @param {Layer} l @param {ModelNode[]} nodes @param {import("./types").Finding[]} findings @returns {[string, unknown][]} */
function remarks_of_layer(run, l, nodes, findings) {
    const mapped = l.nodes.length > 0 || l.region !== undefined;
    const fused = nodes.filter((n) => n.fate === "layer").length > 1;
    const split = run.patterns_of_layer.get(l.index)?.filter((p) => p.fused === "split") ?? [];
    return [
        ...units("data movement", moves_data(l) ? [l] : []),
        ...units("unexplained", !mapped && COMPUTING.has(l.kind) ? [l] : []),
        ...units("opaque region", l.opaque ? [l] : []),
        ...units("fused", fused && !l.opaque ? [l] : []),
        ...units("higher precision than requested", nodes.filter(runs_wider)),
        ...units("unexplained", nodes.filter((n) => n.fate === "unexplained")),
        ...units("pattern split", split),
        ...units("findings", findings),
    ];
}

/** @param {string} remark @param {unknown[]} all @returns {[string, unknown][]} */
const units = (remark, all) => all.map((one) => [remark, one]);

/** For each remark: the word for the objects that are counted. */
const REMARKS = { findings: "finding", "data movement": "layer", "higher precision than requested": "node", unexplained: "in all", "pattern split": "pattern", "opaque region": "layer", fused: "layer", vanished: "node" };

/** The facets of a block that follow from its nodes.
 * @param {Run} run @param {ModelNode[]} nodes @param {[string, unknown][]} remarks @param {import("./types").Finding[]} findings */
const node_facets = (run, nodes, remarks, findings) => ({
    show: remarks.map(([remark]) => remark),
    op: nodes.map((n) => n.op),
    fate: nodes.flatMap((n) => n.fate || []),
    module: nodes.map((n) => run.module_of(n.module)),
    ...(run.by_source.size && { source: nodes.map((n) => run.source_of(n)) }),
    finding: findings.map((f) => f.rule),
});

/** For each value in node_facets(), the object that has the value, in the same order.
 * tally() in filter.js counts these objects.
 * @param {ModelNode[]} nodes @param {[string, unknown][]} remarks @param {import("./types").Finding[]} findings */
const node_units = (nodes, remarks, findings) => ({ show: remarks.map(([, unit]) => unit), op: nodes, fate: nodes, module: nodes, source: nodes, finding: findings });

/** @param {Run} run @param {Layer} l @param {number} tint @returns {Block} */
function layer_block(run, l, tint) {
    const region = l.region === undefined ? null : run.document.regions?.[l.region];
    const own = region && region.layers[0] === l.index ? region.nodes.filter((i) => !run.node(i).layers.length) : [];
    const nodes = [...l.nodes.map((link) => run.node(link.index)), ...own.map((i) => run.node(i))];
    const evidence = [...l.nodes.map((link) => link.evidence), ...own.map(() => ["tensor"])];
    const findings = [...(run.of_layer.get(l.index) ?? []), ...nodes.flatMap((n) => run.of_node.get(n.index) ?? [])];
    const lost = !nodes.length && !region && COMPUTING.has(l.kind);
    const patterns = run.patterns_of_layer.get(l.index) ?? [];
    const remarks = remarks_of_layer(run, l, nodes, findings);
    const parts = nodes.map((n) => n.ms ?? 0);
    const shown = shown_of(nodes);
    return {
        at: l.index,
        tint,
        mark: l.inserted ? "+" : lost ? "?" : "",
        level: l.inserted ? "added" : lost ? "alarm" : "plain",
        counts: { left: nodes.length, folded: shown ? shown.length + 1 : 0, right: 1 },
        items: once(() => {
            const left = nodes.map((n, i) => node_item(run, n, evidence[i] ?? []));
            return { left, folded: shown && folded(nodes, left, shown), right: [[layer_item(run, l)]] };
        }),
        keys: () => [choose_layer(l), ...nodes.map((n) => run.choose_node(n))].map(key_of),
        layers: 1,
        measures: [l.ms ?? null, number_of(l.bytes)],
        ...(parts.some((ms) => ms > 0) && { parts }),
        facets: {
            ...node_facets(run, nodes, remarks, findings),
            kind: [l.kind],
            precision: [l.precision],
            cause: l.cause ? [l.cause] : [],
            evidence: evidence.length ? evidence.map((by) => by[0] ?? "none") : lost ? ["none"] : [],
            module: modules_of_layer(run, l, nodes),
            operators: [operators_of(l, nodes)],
            pattern: patterns.map((p) => p.pattern),
        },
        units: () => ({ ...node_units(nodes, remarks, findings), evidence: nodes, pattern: patterns }),
        names: () => [l.name, l.type, l.tactic ?? "", ...nodes.flatMap((n) => [n.name, n.op])],
    };
}

/** @param {Run} run @param {ModelNode[]} nodes of one fate @param {number} at @returns {Block} */
function vanished_block(run, nodes, at) {
    const fate = nodes[0]?.fate ?? "";
    const unexplained = fate === "unexplained";
    const together = nodes.length > 1;
    const findings = nodes.flatMap((n) => run.of_node.get(n.index) ?? []);
    const remarks = [...(fate ? units(unexplained ? "unexplained" : "vanished", nodes) : []), ...units("findings", findings)];
    return {
        at,
        tint: 0,
        mark: unexplained ? "?" : fate ? "-" : "",
        level: unexplained ? "alarm" : fate ? "removed" : "plain",
        counts: { left: nodes.length, folded: together ? 1 : 0, right: 0 },
        items: once(() => {
            const left = nodes.map((n) => {
                const reason = n.why || run.of_node.get(n.index)?.map((f) => f.rule).join(", ");
                return { ...node_item(run, n, []), ...(reason && { reason }) };
            });
            const ops = [...new Set(nodes.map((n) => n.op))];
            const what = fate === "folded" ? "folded at build time" : fate;
            const several = { ...item("", `${count(nodes.length)} ${what}: ${ops.slice(0, 4).join(", ")}${ops.length > 4 ? ", …" : ""}`), quiet: true };
            return { left, folded: together ? [several] : null, right: [] };
        }),
        keys: () => nodes.map((n) => key_of(run.choose_node(n))),
        facets: node_facets(run, nodes, remarks, findings),
        units: () => node_units(nodes, remarks, findings),
        names: () => nodes.flatMap((n) => [n.name, n.op]),
    };
}

/** Blocks of nodes that no layer computes. A node is placed after its `near_layer`. A
 * node without `near_layer` is placed after the layer of the closest preceding node
 * that has a layer. Neighbors with the same fate share a block. Folded nodes share one
 * block before all layers: they are mostly constants that became weights, and would
 * otherwise be half of the rows.
 * @param {Run} run @returns {Block[]} */
function vanished_blocks(run) {
    let last = -1;
    const placed = [];
    for (const n of run.nodes) {
        if (n.layers.length) last = n.layers[0] ?? last;
        else if (n.region === undefined) placed.push({ n, at: n.fate === "folded" ? -1 : n.near_layer ?? last });
    }
    placed.sort((a, b) => a.at - b.at || a.n.index - b.n.index);
    const blocks = [];
    for (let from = 0, to = 0; from < placed.length; from = to) {
        const { n, at } = /** @type {{n: ModelNode, at: number}} */ (placed[from]);
        do to++;
        while (n.fate && placed[to]?.at === at && placed[to]?.n.fate === n.fate);
        blocks.push(vanished_block(run, placed.slice(from, to).map((p) => p.n), at + 0.5));
    }
    return blocks;
}

/** @param {Run} run @returns {Block[]} */
function all_blocks(run) {
    /** By region, or by layer outside of regions. @type {Map<number | Layer, number>} */
    const tints = new Map();
    const layers = run.layers.map((l) => {
        const group = l.region ?? l;
        if ((l.nodes.length || l.region !== undefined) && !tints.has(group)) tints.set(group, (tints.size % TINTS) + 1);
        return layer_block(run, l, tints.get(group) ?? 0);
    });
    /* The `at` of a layer is its number. Vanished nodes get the number of the layer
     * before them, plus 0.5, so that they follow it. Because the sort is stable, blocks
     * with the same `at` keep their order. */
    return [...layers, ...vanished_blocks(run)].sort((a, b) => a.at - b.at);
}

/* ----------------------------------------------------------------------- records */

/** @param {Layer} l @returns {Pieces} */
const layer_link = (l) => [{ text: `layer ${l.index}`, chosen: choose_layer(l) }, ` ${shorten(l.type, 40)} `, { text: shorten(l.name, 90), look: "code" }];

/** @param {Run} run @param {ModelNode} n @returns {Pieces} */
const node_link = (run, n) => [{ text: shorten(node_name(n), 90), chosen: run.choose_node(n), look: "code" }, ` ${safe(n.op)}`];

/** @param {Run} run @param {Pattern[]} [patterns] @returns {Section} */
function patterns_section(run, patterns = []) {
    /** @param {Pattern} p @returns {Pieces} */
    const line = (p) => [
        { text: `${p.pattern} ${p.fused}`, look: p.fused === "split" ? "alarm" : "" },
        " of ",
        ...node_link(run, run.node(p.node)),
        ...p.layers.flatMap((i) => [", ", { text: `layer ${i}`, chosen: choose_layer(run.layer(i)) }]),
        ...(p.reason ? [`; not one kernel: ${p.reason}`] : []),
    ];
    return { title: "Patterns", lines: patterns.map(line) };
}

/** Lists findings, each with its reason and its fix. An edit that lint proposes for the
 * finding replaces the fix of the rule.
 * @param {Run} run @param {import("./types").Finding[]} [findings] @returns {Section} */
function findings_section(run, findings = []) {
    const lines = findings.map((f) => {
        const texts = run.texts.get(f.rule);
        const fix = f.todo ?? texts?.fix;
        return [...finding_pieces(run, f), ...(texts?.why ? [{ pieces: linked(run, texts.why), look: "why" }] : []), ...(fix ? [{ pieces: linked(run, fix), look: "fix" }] : [])];
    });
    return { title: "Findings", lines };
}

/** @param {import("./types").StoryOf["story"]} [story] @returns {Section} */
function story_section(story = []) {
    return { title: "From the build log", lines: story.map((s) => [{ text: s.topic, look: "topic" }, ` ${safe(s.text)}`, s.line ? { text: ` log line ${s.line}`, look: "faint" } : ""]), ordered: true };
}

/** @param {Run} run @param {ModelNode[]} nodes @returns {Section} */
function paste_section(run, nodes) {
    const named = nodes
        .filter((n) => n.fate === "layer" && n.op !== "QuantizeLinear" && n.op !== "DequantizeLinear" && rank(n.realised))
        .map((n) => ({ name: n.name || (n.outputs?.[0]?.name ? `node_of_${n.outputs[0].name}` : ""), type: n.realised }));
    const forms = pasted(named, named.length ? run.forms : []).map(({ form, code, left_out }) => ({ form, code, note: left_out ? `${noun(left_out, "name")} left out: this form cannot hold it` : "" }));
    return { title: "Names to paste", forms };
}

/** The command that explains one node or layer. For a model alone: the command of the
 * page.
 * @param {Run} run @param {string} words */
const command_of = (run, words) => (run.built ? `fusiondiff explain${run.command.run} ${words}` : run.command.page);

/** A consumer without a layer is an output of the network. @param {Run} run @param {NonNullable<Layer["edge"]>["readers"][0]} r @returns {Pieces} */
function reader_pieces(run, r) {
    if (r.layer === undefined) return ["an output of the network"];
    return r.node === undefined ? layer_link(run.layer(r.layer)) : [...node_link(run, run.node(r.node)), ` (input ${r.input})`];
}

/** @param {Run} run @param {Layer} l @returns {Pieces} */
function edge_pieces(run, l) {
    if (!l.edge) return [];
    const { producer, tensor, readers, more_readers } = l.edge;
    const from = producer === undefined ? [safe(tensor ?? "?")] : node_link(run, run.node(producer));
    const to = readers.flatMap((r) => [", ", ...reader_pieces(run, r)]).slice(1);
    return [...from, " → ", ...(to.length ? to : ["?"]), ...(more_readers ? [", …"] : [])];
}

/** @param {Run} run @param {Layer} l @returns {Story} */
function layer_record(run, l) {
    const nodes = l.nodes.map((link) => run.node(link.index));
    const region = run.document.regions?.[l.region ?? -1];
    const { ms_spread: spread, roofline: roof } = l;
    /** @type {import("./records").Own} */
    const own = {
        index: null,
        name: null,
        inserted: null,
        cause: ["inserted by TensorRT, cause", l.inserted ? [l.cause ?? "unknown"] : []],
        region: null,
        ms: ["time", l.ms === undefined ? [] : [`${millis(l.ms)} (${percent(l.ms, run.total ?? 0)})${spread ? `, ${millis(spread.low)} to ${millis(spread.high)}` : ""}`]],
        ms_spread: null,
        roofline: ["roofline", roof ? [`bound by ${roof.bound}, at least ${millis(roof.ms)}, ${roof.macs_per_byte.toFixed(1)} multiply-adds per byte${roof.reached === undefined ? "" : `, ${percent(roof.reached, 1)} reached`}`] : []],
        edge: ["is between", edge_pieces(run, l)],
    };
    return {
        kind: `layer ${l.index}`,
        title: safe(l.name) || safe(l.type),
        chips: layer_item(run, l).chips,
        sections: [
            ...facts_of("What it is", "run/layers", l, own),
            findings_section(run, run.of_layer.get(l.index)),
            patterns_section(run, run.patterns_of_layer.get(l.index)),
            {
                title: noun(nodes.length, "node"),
                head: ["node", "outcome", "requested", "evidence"],
                rows: nodes.map((n, i) => [node_link(run, n), [n.fate], [n.requested], [(l.nodes[i]?.evidence ?? []).join(", ")]]),
            },
            { title: `Region ${l.region}: no evidence shows which layer computes which node`, lines: [...(region?.layers ?? []).map((i) => layer_link(run.layer(i))), ...(region?.nodes ?? []).map((i) => node_link(run, run.node(i)))] },
            table_of("Reads", "run/layers/inputs", l.inputs),
            table_of("Writes", "run/layers/outputs", l.outputs),
            story_section(run.layer_story.get(l.index)),
            paste_section(run, nodes),
        ],
        command: command_of(run, `--layer ${l.index}`),
    };
}

/** @param {Run} run @param {ModelNode} n @returns {Story} */
function node_record(run, n) {
    const layers = n.layers.map((i) => run.layer(i));
    const region = run.document.regions?.[n.region ?? -1];
    const chips = [...(n.fate ? [word_chip(n.fate, `fate-${n.fate}`)] : []), ...(n.realised === "unknown" ? [] : [type_chip(n.realised)])];
    /** @type {import("./records").Own} */
    const own = {
        index: null,
        name: null,
        op: ["operator", [{ text: safe([n.domain, n.op].filter(Boolean).join(".")), look: "code" }]],
        domain: null,
        layers: null,
        region: null,
        same_as: ["the same as", n.same_as === undefined ? [] : node_link(run, run.node(n.same_as))],
        near_layer: ["next to", n.near_layer === undefined ? [] : layer_link(run.layer(n.near_layer))],
        ms: ["share of the time", n.ms === undefined ? [] : [`${millis(n.ms)}${n.shares ? " (of the layer's time, divided among its nodes)" : ""}`]],
        shares: null,
        source: ["source", n.source && run.places[n.index] ? [{ text: run.source_of(n), chosen: { kind: "source", id: run.source_of(n) }, look: "code" }, " ", { text: safe(run.places[n.index]?.code ?? ""), look: "code" }] : []],
    };
    return {
        kind: `node #${n.index}`,
        title: safe(node_name(n)),
        chips,
        sections: [
            ...facts_of("Outcome", "run/nodes", n, own),
            findings_section(run, run.of_node.get(n.index)),
            patterns_section(run, run.patterns_of_node.get(n.index)),
            {
                title: `Computed by ${noun(layers.length, "layer")}`,
                head: ["layer", "evidence"],
                rows: layers.map((l) => [layer_link(l), [(l.nodes.find((link) => link.index === n.index)?.evidence ?? []).join(", ")]]),
            },
            { title: `Region ${n.region}: computed by some of`, lines: region?.layers.map((i) => layer_link(run.layer(i))) ?? [] },
            table_of("Reads", "run/nodes/inputs", n.inputs ?? []),
            table_of("Writes", "run/nodes/outputs", n.outputs ?? []),
            story_section(run.node_story.get(n.index)),
            paste_section(run, [n]),
        ],
        command: command_of(run, `--node ${quoted(run.choose_node(n).id)}`),
    };
}

/* ------------------------------------------------------------------------ source */


/** The types in which the nodes run. @param {ModelNode[]} nodes */
const types_of = (nodes) => [...new Set(nodes.filter((n) => n.fate === "layer" && rank(n.realised)).map((n) => n.realised))];

/** @param {Run} run @returns {Subject["sources"]} */
function sources_of(run) {
    const { by_source, print, total } = run;
    if (!by_source.size) return null;
    /** @param {Layer} l */
    const cost_of_layer = (l) => (total === undefined ? number_of(l.bytes) : l.ms) ?? 0;
    const lines = [...by_source].map(([id, nodes]) => {
        const place = /** @type {NonNullable<ReturnType<typeof place_of>>} */ (run.places[nodes[0]?.index ?? 0]);
        return { ...place, chosen: { kind: "source", id }, nodes: nodes.length, chips: types_of(nodes).map((type) => type_chip(type)), cost: run.cost_of(...nodes) };
    });
    lines.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
    /** @param {ModelNode[]} nodes */
    const around = (nodes) => new Set(nodes.flatMap((n) => [...(run.places[n.index] ? [{ kind: "source", id: run.source_of(n) }] : []), run.choose_node(n), ...n.layers.map((i) => choose_layer(run.layer(i)))].map(key_of)));
    return {
        lines,
        nodes: run.nodes.filter((n) => run.places[n.index] || n.layers.length).map((n) => ({ chosen: run.choose_node(n), item: node_item(run, n, []), figure: run.cost_of(n) ? print(run.cost_of(n)) : "" })),
        layers: run.layers.map((l) => ({ chosen: choose_layer(l), item: layer_item(run, l), figure: print(cost_of_layer(l)) })),
        measure: { print, total: total ?? run.layers.reduce((sum, l) => sum + cost_of_layer(l), 0) },
        related(key) {
            const chosen = chosen_of_key(key);
            if (chosen.kind === "source") return around(by_source.get(chosen.id) ?? []);
            const index = run.index_of(chosen);
            if (index === null) return new Set();
            return around(chosen.kind === "node" ? [run.node(index)] : run.layer(index).nodes.map((link) => run.node(link.index)));
        },
    };
}

/** @param {Run} run @param {string} id @returns {Story | null} */
function source_record(run, id) {
    const nodes = run.by_source.get(id);
    const [first] = nodes ?? [];
    if (!nodes || !first) return null;
    const { total } = run;
    const sum = run.cost_of(...nodes);
    const layers = [...new Set(nodes.flatMap((n) => n.layers))].sort((a, b) => a - b);
    /** @type {[string, Pieces][]} */
    const pairs = [
        ["text", [{ text: safe(run.places[first.index]?.code ?? ""), look: "code" }]],
        total === undefined ? ["share of the bytes", [bytes(sum)]] : ["share of the time", [`${millis(sum)} (${percent(sum, total)})`]],
        ["runs in", [types_of(nodes).join(", ") || "–"]],
    ];
    return {
        kind: "source line",
        title: safe(id),
        chips: types_of(nodes).map((type) => type_chip(type)),
        sections: [
            { title: "What it is", pairs },
            { title: noun(nodes.length, "node"), head: ["node", "outcome", "runs in"], rows: nodes.map((n) => [node_link(run, n), [n.fate], [n.realised]]) },
            { title: `Computed by ${noun(layers.length, "layer")}`, lines: layers.map((i) => layer_link(run.layer(i))) },
        ],
        command: "",
    };
}

/* ---------------------------------------------------------------------- overview */

/** Shows the time of a whole run if it is known, because users wait for the whole run.
 * Otherwise shows the time in layers, which comes from a profiled run.
 * @param {RunDocument["summary"]["ms"]} ms @param {number} compute the share of the layers' time that is spent on computing @returns {import("./types").Tile} */
function time_tile(ms, compute) {
    const [run, layers] = [ms?.run, ms?.total];
    const share = `compute ${percent(compute, 1)}`;
    if (run !== undefined) return { title: "time of a run", value: millis(run), note: layers === undefined ? "no profile was given" : `in layers ${millis(layers)}: ${share}` };
    return { title: "time in layers", value: layers === undefined ? "–" : millis(layers), note: layers === undefined ? "no profile was given" : share };
}

/** @param {Run} run @returns {import("./types").Tile[]} */
function tiles_of(run) {
    const { nodes, layers, coverage, findings, ms, inserted, spent } = run.document.summary;
    /** @param {Record<string, number>} tally @param {number} most */
    const listed = (tally, most) => Object.entries(tally).filter(([, n]) => n).sort((a, b) => b[1] - a[1]).slice(0, most).map(([word, n]) => `${word} ${count(n)}`).join(", ");
    const lost = (coverage.computing_layers ?? 0) - (coverage.mapped_layers ?? 0);
    const wider = run.nodes.filter(runs_wider).length;
    const alarms = (findings.error ?? 0) + (findings.warning ?? 0);
    const movers = run.layers.filter(moves_data);
    const nowhere = run.document.findings.filter((f) => !f.layers.length && !f.nodes.length).length;
    /* The share of the time that the movers take; "" without a profile. */
    const moved = ms?.total ? `${percent(movers.reduce((sum, l) => sum + (l.ms ?? 0), 0), ms.total)} of the time` : "";
    return [
        { title: "nodes", value: count(run.nodes.length), note: listed(nodes, 2) },
        { title: "layers", value: count(run.layers.length), note: listed(layers, 2) },
        { title: "data movement", value: noun(movers.length, "layer"), note: moved || (coverage.inserted ? `${count(coverage.inserted)} inserted: ${listed(inserted, 2)}` : "none inserted by TensorRT"), look: movers.length ? "added" : "good", filter: ["show", "data movement"] },
        { title: "layers mapped", value: `${count(coverage.mapped_layers ?? 0)} of ${count(coverage.computing_layers ?? 0)}`, note: lost + (nodes.unexplained ?? 0) ? `${noun(nodes.unexplained ?? 0, "node")} unexplained` : "every node is accounted for", look: lost + (nodes.unexplained ?? 0) ? "alarm" : "good", filter: ["show", "unexplained"] },
        { title: "higher precision", value: count(wider), note: wider ? "above the requested type" : "all as requested", look: wider ? "alarm" : "good", filter: ["show", "higher precision than requested"] },
        time_tile(ms, spent.compute?.share ?? 0),
        { title: "findings", value: count(run.document.findings.length), note: [listed(findings, 3) || "none", ...(nowhere ? [`${count(nowhere)} of the whole`] : [])].join("; "), look: alarms ? "alarm" : "good", filter: ["show", "findings"] },
    ];
}

/** Returns the layers as points, and the peaks of the device: multiply-adds and bytes
 * per millisecond. If a peak bounds a layer (`roofline.bound`), the layer would need
 * the time `roofline.ms` at this peak. So the peak is the layer's number of
 * multiply-adds or bytes, divided by this time.
 * @param {Run} run @returns {import("./types").Roofline} */
function roofline_of(run) {
    const timed = run.layers.some((l) => l.ms !== undefined);
    /** @type {import("./types").Roofline} */
    const roofline = { points: [], macs: null, bytes: null, timed };
    for (const l of run.layers) {
        const [m, b] = [number_of(l.macs), number_of(l.bytes)];
        if (l.roofline && m && l.roofline.bound === "compute") roofline.macs = m / l.roofline.ms;
        if (l.roofline && b && l.roofline.bound === "memory") roofline.bytes = b / l.roofline.ms;
        if (!m || !b || (timed && !l.ms)) continue;
        const y = timed ? m / (l.ms ?? 1) : m;
        roofline.points.push({ x: m / b, y, look: `type-${rank(l.precision)}`, title: `layer ${l.index} ${shorten(l.name, 60)}`, chosen: choose_layer(l) });
    }
    return roofline;
}

/** The signs that occur in the rows. @param {Run} run @param {Block[]} blocks @returns {Subject["legend"]} */
function legend_of(run, blocks) {
    const known = new Set(run.layers.flatMap((l) => l.nodes.flatMap((link) => link.evidence)));
    const marks = new Set(blocks.map((b) => b.mark));
    return [
        ...Object.entries(KNOWN_BY).flatMap(([by, words]) => /** @type {Subject["legend"]} */ (known.has(by) ? [[by.charAt(0), words, "evidence"]] : [])),
        ...Object.entries(MARKS).flatMap(([mark, words]) => /** @type {Subject["legend"]} */ (marks.has(/** @type {Block["mark"]} */ (mark)) ? [[mark, words, "sign"]] : [])),
    ];
}

/** @param {Run} run @param {import("./types").Finding} f @returns {Pieces} */
const where_is = (run, f) => [
    ...f.layers.slice(0, 4).flatMap((i) => [{ text: `layer ${i}`, chosen: choose_layer(run.layer(i)) }, " "]),
    ...f.nodes.slice(0, 4).flatMap((i) => [{ text: shorten(node_name(run.node(i)), 40), chosen: run.choose_node(run.node(i)) }, " "]),
];

/** @param {RunDocument} document @param {StoryDocument | null} story @param {PatternsDocument | null} patterns @param {PasteForm[]} forms @param {import("./types").Command} command @param {Map<string, import("./types").RuleText>} texts @returns {Subject} */
export function run_subject(document, story, patterns, forms, command, texts) {
    const run = new Run(document, story, patterns, forms, command, texts);
    const blocks = all_blocks(run);
    const { model, engine, summary, log } = document;
    const { total } = run;
    /* If there is no model, both paths are equal: the nodes come from a log, or from an
     * engine that names its nodes. */
    const alone = model.path === engine.path;
    /** @param {Chosen} chosen */
    const settled = (chosen) => {
        const index = run.index_of(chosen);
        return index === null ? null : chosen.kind === "layer" ? choose_layer(run.layer(index)) : run.choose_node(run.node(index));
    };
    return make_subject({
        from: alone ? "" : base_name(model.path),
        to: base_name(engine.path),
        files: [
            ...(alone ? [] : /** @type {[string, string][]} */ ([["model", `${model.path}  (${[model.format, model.producer].filter(Boolean).join(", ")})`]])),
            ["engine", `${engine.path}  (${[engine.format, engine.producer].filter(Boolean).join(", ")})`],
            ...(log ? /** @type {[string, string][]} */ ([["log", log.path + (log.used ? "" : "  (not used)")]]) : []),
        ],
        left: 9,
        sides: [alone ? "nodes" : "ONNX nodes", "engine layers"],
        measures: [
            { title: "time", print: millis, total: total ?? null },
            { title: "bytes", print: bytes, total: blocks.reduce((sum, b) => sum + (b.measures?.[1] ?? 0), 0) || null },
        ],
        blocks,
        facets: [
            { name: "show", title: "Show", order: ["findings", "data movement", "higher precision than requested", "unexplained", "pattern split", "opaque region", "fused", "vanished"], of: REMARKS, open: true },
            { name: "kind", title: "Kind of layer", open: true, chart: true },
            { name: "precision", title: "Runs in", open: true, chart: true },
            { name: "cause", title: "Cause of insertion", open: true, chart: true },
            { name: "fate", title: "Outcome of nodes", order: FATES },
            { name: "op", title: "Operator" },
            { name: "module", title: "Module", chart: true },
            { name: "source", title: "Source line", chart: true },
            { name: "pattern", title: "Pattern", chart: true },
            { name: "operators", title: "Fused operators", chart: true },
            { name: "evidence", title: "Strongest evidence", order: EVIDENCE },
            { name: "finding", title: "Finding" },
        ],
        chart_note: `The ${total === undefined ? "bytes" : "time"} of a layer of several modules or patterns is divided among them${total === undefined ? "" : " by the times of its nodes"}.`,
        legend: legend_of(run, blocks),
        tiles: tiles_of(run),
        brief: summary.brief,
        rules: rules_of(document.findings.map((f) => ({ ...f, where: where_is(run, f) })), ([first]) => first?.severity ?? "info"),
        rules_title: "Findings",
        roofline: roofline_of(run),
        settled,
        sources: sources_of(run),
        others: ({ kind, id }) => (kind === "source" ? source_record(run, id) : null),
        chosen_of(box) {
            const [, side, number = ""] = box.match(/^([nl])(\d+)$/) ?? [];
            return side ? settled(side === "n" ? { kind: "node", id: `#${number}` } : { kind: "layer", id: number }) : null;
        },
    });
}
