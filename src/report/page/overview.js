/*
 * The overview: a chart of bars for each facet, the waterfall between two builds, and
 * the layers below the roofline of the device. A click on a bar filters by its value.
 */
import { table } from "./detail.js";
import { breakable, el, svg } from "./dom.js";
import { filtered, keys_of, ordered } from "./filter.js";
import { has_content } from "./records.js";
import { key_of, print_state, toggled } from "./state.js";
import { count, grouped, millis, percent, safe, short_number, shorten, signed_millis } from "./words.js";

/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Subject} Subject */

const BARS = 12;
/** Facets whose values are identifiers. */
export const NAMES = new Set(["module", "op", "operators", "finding", "source"]);

/* ------------------------------------------------------------------------- bars
 *
 * All shares have one denominator: the whole of the subject, whatever is filtered. */

/** Chooses what the bars sum up: the measure with the title `chart_measure`, or the
 * first measure if `chart_measure` is undefined. If no measure is found, the bars count
 * blocks.
 * @param {Subject} subject @returns {{title: string, print: (n: number) => string, of: (b: Block) => number, whole: boolean, total: number}} */
function unit_of({ blocks, measures, chart_measure }) {
    const measure = measures.find(({ title }) => chart_measure === undefined || title === chart_measure);
    /** @param {Block} b */
    const of = (b) => (measure ? measure.of(b) ?? 0 : 1);
    const total = measure?.total ?? blocks.reduce((sum, b) => sum + of(b), 0);
    const print = measure?.print ?? count;
    return { title: `${measure?.title ?? "rows"}, of ${print(total)}`, print, of, whole: !measure, total };
}

/** Lists the values that the block has for the facet, each with its share of the block.
 * The shares add up to 1, in proportion to the times in `block.parts`. If there is not
 * one time for each value, the block is divided equally. If `whole` is true, each
 * different value has the share 1 instead.
 * @param {Block} block @param {string} facet @param {boolean} whole @returns {[string, number][]} */
function shares_of(block, facet, whole) {
    const values = block.facets[facet] ?? [];
    if (whole) return [...new Set(values)].map((value) => [value, 1]);
    const parts = block.parts?.length === values.length ? block.parts : values.map(() => 1);
    const sum = parts.reduce((a, b) => a + b, 0);
    return values.map((value, i) => [value, (parts[i] ?? 0) / sum]);
}

/** @param {Subject} subject @param {State} state @param {{facet: string, title: string}} chart */
function bars(subject, state, { facet, title }) {
    const unit = unit_of(subject);
    /** @type {Map<string, number>} */
    const sums = new Map();
    for (const block of filtered(subject.blocks, state, facet))
        for (const [value, share] of shares_of(block, facet, unit.whole)) sums.set(value, (sums.get(value) ?? 0) + share * unit.of(block));
    if (!sums.size || (sums.size === 1 && sums.has("(none)"))) return null;
    const values = ordered(sums);
    const picked = state.picks.get(facet);
    const list = values.slice(0, BARS).map(([value, sum]) => {
        const on = picked?.has(value) ?? false;
        const bar = el("span", { class: "bar", style: `width: ${unit.total ? Math.min(100, (sum / unit.total) * 100) : 0}%`, "aria-hidden": "true" });
        const words = el("span", { class: NAMES.has(facet) ? "label code" : "label" }, ...breakable(shorten(value, 60)));
        const number = el("span", { class: "number" }, `${unit.print(sum)}  ${percent(sum, unit.total).padStart(7, "\u2007")}`);
        return el("li", {}, el("a", { href: print_state(toggled(state, facet, value)), class: on ? "on" : "", "aria-current": String(on), title: safe(value) }, words, el("span", { class: "track" }, bar), number));
    });
    const rest = values.length > BARS ? el("p", { class: "faint" }, `and ${values.length - BARS} more`) : null;
    return el("section", { class: "card" }, el("h3", {}, title, el("span", { class: "unit" }, unit.title)), el("ul", { class: "bars" }, ...list), rest);
}

/* -------------------------------------------------------------------- waterfall */

/** @param {import("./types").Step} step */
const value_of = ({ look, from, to }) => (look === "whole" ? millis(to) : signed_millis(to - from));

/** @param {NonNullable<Subject["waterfall"]>} waterfall */
function put_waterfall({ title, steps }) {
    const most = Math.max(...steps.flatMap((s) => [s.from, s.to]), 1e-9);
    /** @param {...number} values */
    const height = (...values) => `${(Math.max(...values) / most) * 100}%`;
    const columns = steps.map((s) => {
        const style = `--low: ${height(Math.min(s.from, s.to))}; --high: ${height(s.from, s.to)}; --end: ${height(s.to)}`;
        return el("li", { class: s.look, style }, el("span", { class: "step" }, el("span", { class: "value" }, value_of(s))), el("span", { class: "axis" }, s.label));
    });
    return el("section", { class: "card wide" }, el("h3", {}, title), el("ol", { class: "waterfall" }, ...columns));
}

/* --------------------------------------------------------------------- roofline */

/** Lists the powers of ten from `from` to `to`. @param {number} from @param {number} to */
function decades(from, to) {
    const first = Math.ceil(Math.log10(from));
    return Array.from({ length: Math.floor(Math.log10(to)) - first + 1 }, (_, i) => 10 ** (first + i));
}

/** @param {import("./types").Roofline} roofline @param {Set<string>} shown @param {(chosen: import("./types").Chosen) => string} link */
function put_roofline(roofline, shown, link) {
    const { points, macs, bytes, timed } = roofline;
    const title = timed ? "Roofline" : "Work of layers";
    if (points.length < 2) return null;
    const [width, height, left, right, top, bottom] = [640, 320, 64, 16, 16, 44];
    const xs = points.map((p) => p.x);
    const ys = points.map((p) => p.y);
    const [x0, x1] = [Math.min(...xs) / 1.6, Math.max(...xs) * 1.6];
    const [y0, y1] = [Math.min(...ys) / 1.6, Math.max(...ys, timed && macs ? macs : 0) * 1.6];
    /** @param {number} v */
    const x = (v) => left + ((Math.log10(v) - Math.log10(x0)) / (Math.log10(x1) - Math.log10(x0))) * (width - left - right);
    /** @param {number} v */
    const y = (v) => height - bottom - ((Math.log10(v) - Math.log10(y0)) / (Math.log10(y1) - Math.log10(y0))) * (height - top - bottom);
    const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${title}: ${points.length} layers` });
    for (const d of decades(x0, x1)) chart.append(svg("line", { x1: x(d), x2: x(d), y1: top, y2: height - bottom, class: "guide" }), svg("text", { x: x(d), y: height - bottom + 16, class: "axis" }, short_number(d)));
    for (const d of decades(y0, y1)) chart.append(svg("line", { x1: left, x2: width - right, y1: y(d), y2: y(d), class: "guide" }), svg("text", { x: left - 6, y: y(d) + 4, class: "axis end" }, short_number(d)));
    if (timed && bytes) {
        const knee = Math.min(macs ? macs / bytes : x1, y1 / bytes);
        const from = Math.max(x0, y0 / bytes);
        chart.append(svg("path", { class: "roof", d: `M${x(from)},${y(from * bytes)}L${x(Math.min(knee, x1))},${y(Math.min(knee, x1) * bytes)}${macs && knee < x1 ? `L${x(x1)},${y(macs)}` : ""}` }));
    }
    /* Layers with equal places and looks share the first layer's dot. */
    const dots = grouped(points, (p) => [`${x(p.x).toFixed(0)} ${y(p.y).toFixed(0)} ${p.look} ${shown.has(key_of(p.chosen))}`]);
    for (const [p] of /** @type {Iterable<[import("./types").Point]>} */ (dots.values())) {
        const dot = svg("circle", { cx: x(p.x).toFixed(1), cy: y(p.y).toFixed(1), r: 4.5, class: `dot ${p.look}${shown.has(key_of(p.chosen)) ? "" : " dim"}` }, svg("title", {}, p.title));
        chart.append(svg("a", { href: link(p.chosen), "aria-label": p.title, tabindex: -1 }, dot)); /* no stop of the Tab key: the rows link to all layers */
    }
    chart.append(svg("text", { x: (width + left) / 2, y: height - 8, class: "axis" }, "multiply-adds per byte"), svg("text", { x: 14, y: (height - bottom) / 2, class: "axis", transform: `rotate(-90 14 ${(height - bottom) / 2})` }, timed ? "multiply-adds per millisecond" : "multiply-adds"));
    const note = timed ? (bytes || macs ? "" : "The peaks of the device are not known, so it has no roof.") : "No profile was given: this is the work of each layer, not its speed.";
    return el("section", { class: "card wide" }, el("h3", {}, title), chart, note ? el("p", { class: "faint" }, note) : null);
}

/* -------------------------------------------------------------------------- all */

/** @param {HTMLElement} panel @param {Subject} subject @param {State} state @param {(chosen: import("./types").Chosen) => string} link */
export function put_overview(panel, subject, state, link) {
    const shown = keys_of(subject.roofline ? filtered(subject.blocks, state) : []);
    panel.replaceChildren(
        el("h2", { class: "hidden" }, "Overview"),
        ...[
            subject.waterfall && put_waterfall(subject.waterfall),
            ...subject.tables.filter(has_content).map(({ title, head, rows }) => el("section", { class: "card wide" }, el("h3", {}, title), table(head, rows, link))),
            ...subject.charts.map((chart) => bars(subject, state, chart)),
            subject.roofline && put_roofline(subject.roofline, shown, link),
            el("section", { class: "card long" }, el("h3", {}, "Files"), el("dl", {}, ...subject.files.flatMap(([name, path]) => [el("dt", {}, name), el("dd", {}, el("code", {}, ...breakable(safe(path))))]))),
        ].filter((x) => x !== null),
        el("p", { class: "faint" }, subject.chart_note)
    );
}
