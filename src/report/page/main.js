/*
 * The page reads its subject and shows the state that the address contains. An action
 * changes only the address. Then the page shows the state of the new address.
 */
import { put_advice } from "./advice.js";
import { check_subject, checks_subject, failed_subject, judged_subject, lint_subject } from "./check.js";
import { compare_subject } from "./compare.js";
import { put_record } from "./detail.js";
import { by_id, copy_button, el, embedded, group_of, on_key, within_groups } from "./dom.js";
import { exports_subject } from "./exports.js";
import { filtered, keys_of, ordered, tally } from "./filter.js";
import { GraphView } from "./graph.js";
import { RowList } from "./list.js";
import { rows_markdown } from "./markdown.js";
import { matrix_subject } from "./matrix.js";
import { NAMES, put_overview } from "./overview.js";
import { put_rules } from "./rules.js";
import { run_subject } from "./run.js";
import { SourceView } from "./source.js";
import { print_state, read_state, toggled } from "./state.js";
import { count, noun, percent, safe, shorten } from "./words.js";

/** @typedef {import("./types").Chosen} Chosen */
/** @typedef {import("./types").Facet} Facet */
/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Subject} Subject */

/** The states of rules, the worst first. */
const STATES = ["failed", "error", "warning", "notes", "info", "skipped", "ok", "off"];
const FACET_VALUES = 12;
const TILES = 8;


/** @returns {Subject} */
function read_subject() {
    const texts = new Map(command.rules?.map((rule) => [rule.rule, rule]));
    /** What makes a subject of a document, or adds to what the documents before it made.
     * @type {Record<string, (document: any, base: Subject) => Subject>} */
    const makers = {
        run: (document) => run_subject(document, command.stories ?? null, embedded("patterns"), command.forms ?? [], command, texts),
        exports: exports_subject,
        compare: compare_subject,
        matrix: matrix_subject,
        checks: (document) => checks_subject(document, command),
        check: check_subject,
        judged: (document, base) => judged_subject(document, base, embedded("compare")?.summary.ms),
        lint: (document, base) => lint_subject(document, base, command),
        failed: failed_subject,
    };
    const made = Object.entries(makers).map(([name, make]) => ({ document: embedded(name), make })).filter(({ document }) => document);
    /** @type {Subject} */
    const all = made.reduce((base, { document, make }) => make(document, base), /** @type {any} */ (null));
    const rules = all.rules.map((row) => ({ ...row, ...texts.get(row.rule) })).sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state));
    return { ...all, rules, files: [...all.files, ...(command.page ? [/** @type {[string, string]} */ (["in a terminal", command.page])] : [])] };
}

/** @type {import("./types").Picture[]} */
const pictures = embedded("pictures") ?? [];
/** @type {import("./types").Command} */
const command = embedded("command");
const subject = read_subject();
const panels = { diff: by_id("diff"), graph: by_id("graph"), overview: by_id("overview"), source: by_id("source"), rules: by_id("rules") };
/** @type {Record<string, string>} */
const views = {
    ...(subject.rules_title && subject.first_view === "rules" ? { rules: subject.rules_title } : {}),
    diff: subject.rows_title ?? "Side by side",
    ...(pictures.length ? { graph: "Graph" } : {}),
    ...(subject.sources ? { source: "Source" } : {}),
    overview: "Overview",
    ...(subject.rules_title && subject.first_view !== "rules" ? { rules: subject.rules_title } : {}),
};
let state = read_state(location.hash);
const search = /** @type {HTMLInputElement} */ (by_id("search"));
const help = /** @type {HTMLDialogElement} */ (by_id("help"));

/* ---------------------------------------------------------------------- the state */

/** Shows the state that `hash` describes, and puts `hash` into the browser's history.
 * @param {string} hash @param {"pushState" | "replaceState"} [put] */
function visit(hash, put = "pushState") {
    history[put](null, "", hash);
    arrive();
}

/** @param {State} next */
const go = (next) => visit(print_state(next));

/** Shows a state that replaces the current one in the browser's history. Used while the user
 * types a text. @param {State} next */
const amend = (next) => visit(print_state(next), "replaceState");

/** @param {Chosen} chosen */
const link = (chosen) => print_state({ ...state, chosen });
/** @param {Chosen} chosen */
const choose = (chosen) => go({ ...state, chosen });

const rows = new RowList(by_id("rows"), by_id("rows-head"), subject, choose, () => put_picked(sorted_blocks()));
const graph = new GraphView(panels.graph, subject, pictures, (chosen, many) => go({ ...state, chosen, ...(many && { view: "diff" }) }), (picture) => go({ ...state, picture, chosen: null }));

const source = subject.sources && new SourceView(panels.source, subject.sources, choose);

/** Each of these three parts is a single stop of the Tab key. Only these stops and the
 * search precede the rows. */
const groups = [/** @type {HTMLElement} */ (by_id("views").parentElement), by_id("summary"), by_id("bar")];

/* --------------------------------------------------------------------- the frame */

/** Keeps a short name in one line. @param {string} text */
const title_part = (text) => el("span", { class: text.length < 40 ? "whole" : "" }, shorten(text, 60));

function put_frame() {
    document.title = `${safe(subject.title)} – fusiondiff`;
    const from = subject.from ? [title_part(subject.from), el("span", { class: "arrow" }, " → ")] : [];
    by_id("title").replaceChildren(...from, title_part(subject.to));
    if (subject.verdict) by_id("title").append(el("span", { class: `verdict ${subject.verdict.look}` }, subject.verdict.text));
    /* The meaning of the signs in the rows. */
    by_id("legend").replaceChildren(...subject.legend.map(([sign, words, look]) => el("span", { class: look, title: words }, el("b", {}, sign), ` ${words}`)));
}

function put_tiles() {
    /* If there are more than TILES tiles, their labels do not fit into one line, so the tiles are shown in two. */
    const { length } = subject.tiles;
    by_id("tiles").style.setProperty("--tiles", String(length > TILES ? Math.ceil(length / 2) : length));
    by_id("tiles").replaceChildren(
        ...subject.tiles.map((tile) => {
            const [facet = "", value = ""] = tile.filter ?? [];
            const known = subject.blocks.some((b) => b.facets[facet]?.includes(value));
            const link = known && { href: print_state({ ...toggled(state, facet, value), view: "diff" }), "aria-current": String(!!state.picks.get(facet)?.has(value)) };
            const words = [tile.title, tile.value, tile.note].map((text, i) => el("span", { class: `tile-${["title", "value", "note"][i]}`, title: text }, text));
            return el(known ? "a" : "div", { class: `tile ${tile.look ?? ""}`, ...link }, ...words);
        })
    );
}

function put_views() {
    by_id("views").replaceChildren(
        ...Object.entries(views).map(([view, title]) => el("a", { href: print_state({ ...state, view }), ...(view === current_view() && { "aria-current": "page" }) }, title))
    );
}

/** @param {Facet} facet */
function put_facet(facet) {
    const values = ordered(tally(subject.blocks, state, facet.name), facet.order);
    if (!values.length || (values.length === 1 && !state.picks.has(facet.name) && facet.name !== "show")) return null;
    const picked = state.picks.get(facet.name);
    const cut = facets_opened.has(facet.name) ? values.length : FACET_VALUES;
    const list = values.slice(0, cut).map(([value, n]) => {
        const box = el("input", { type: "checkbox", name: `${facet.name} ${value}`, checked: picked?.has(value) ?? false, change: () => go(toggled(state, facet.name, value)) });
        return el("li", {}, el("label", { title: safe(value) }, box, el("span", { class: NAMES.has(facet.name) ? "value code" : "value" }, shorten(value, 48)), el("span", { class: "n" }, facet.of?.[value] ? noun(n, facet.of[value]) : count(n))));
    });
    const show_all = () => {
        facets_opened.add(facet.name);
        put_facets();
    };
    return el(
        "details",
        { open: facets_touched.get(facet.name) ?? (facet.open || !!picked), toggle: (event) => facets_touched.set(facet.name, event.target.open) },
        el("summary", {}, facet.title),
        el("ul", {}, ...list),
        values.length > cut && el("button", { type: "button", class: "more", click: show_all }, `${values.length - cut} more`)
    );
}
/** @type {Map<string, boolean>} */
const facets_touched = new Map();
/** @type {Set<string>} */
const facets_opened = new Set();

/** Renders all facets again, but keeps the focus on the check box that was clicked. */
function put_facets() {
    const active = document.activeElement?.getAttribute("name");
    by_id("facets").replaceChildren(...subject.facets.map(put_facet).filter((f) => f !== null));
    if (active) document.getElementsByName(active)[0]?.focus();
}

/** States how many rows are shown or selected, and the sums of their measures. If some
 * rows are left out, each sum is followed by its percentage of the sum over all rows.
 * The sum of a signed measure has no percentage.
 * @param {import("./types").Block[]} blocks */
function sums_of(blocks) {
    const selected = rows.selected();
    const of = selected.length > 1 ? selected : blocks;
    const all = subject.blocks;
    const rest = of.length === all.length ? noun(of.length, "row") : `${count(of.length)} of ${count(all.length)} rows${of === selected ? " selected" : ""}`;
    const layers = of.reduce((n, b) => n + (b.layers ?? 0), 0);
    const measured = subject.measures.map((measure) => {
        /** @param {import("./types").Block[]} some */
        const sum = (some) => some.reduce((n, b) => n + (measure.of(b) ?? 0), 0);
        const share = measure.signed || of.length === all.length ? "" : ` (${percent(sum(of), sum(all))})`;
        return `${subject.measures.length > 2 ? `${measure.title} ` : ""}${measure.print(sum(of))}${share}`;
    });
    return [rest, ...(all.some((b) => b.layers !== undefined) ? [noun(layers, "layer")] : []), ...measured];
}

/** @param {import("./types").Block[]} blocks */
function put_picked(blocks) {
    /** @param {string} facet @param {string} value */
    const pick = (facet, value) => el("a", { class: "pick", href: print_state(toggled(state, facet, value)), "aria-label": `remove the filter ${facet}: ${safe(value)}` }, `${facet}: ${shorten(value, 40)} ×`);
    const picks = [...state.picks].flatMap(([facet, values]) => [...values].map((value) => pick(facet, value)));
    by_id("shown").textContent = sums_of(blocks).join(" · ");
    if (picks.length || state.q) picks.push(el("a", { class: "clear", href: print_state({ ...state, picks: new Map(), q: "" }) }, "clear all"));
    by_id("picks").replaceChildren(...picks);
    by_id("sort").setAttribute("aria-pressed", String(state.sort === "size"));
    by_id("sort").hidden = !subject.measures.length;
}

/* -------------------------------------------------------------------------- show */

function current_view() {
    return views[state.view] ? state.view : subject.first_view;
}

/** Returns the blocks that pass the filters, in the order of execution or
 * with the largest weight first. */
function sorted_blocks() {
    const blocks = filtered(subject.blocks, state);
    return state.sort === "size" ? blocks.sort((a, b) => subject.weight(b) - subject.weight(a)) : blocks;
}

function show() {
    const view = current_view();
    const blocks = sorted_blocks();
    document.body.dataset.view = view;
    for (const [name, panel] of Object.entries(panels)) panel.hidden = name !== view;
    within_groups(groups, () => {
        put_tiles();
        put_views();
        put_picked(blocks);
    });
    put_facets();
    if (document.activeElement !== search) search.value = state.q;
    const record = state.chosen && subject.record(state.chosen);
    put_record(by_id("record"), record, command.page, link, print_state({ ...state, chosen: null }));
    by_id("missing").textContent = state.chosen && !record ? `This page has no ${state.chosen.kind} ${shorten(state.chosen.id, 80)}.` : "";
    if (view === "diff") rows.show(blocks, state.chosen);
    else if (view === "overview") put_overview(panels.overview, subject, state, link);
    else if (view === "source") source?.show(state.chosen);
    else if (view === "rules") put_rules(panels.rules, subject, link);
    else graph.show(state, blocks.length === subject.blocks.length ? null : keys_of(blocks));
}

/** Shows the state that the address contains. Then sets the attribute data-ready.
 * Programs that drive the page wait for this attribute. */
function arrive() {
    state = read_state(location.hash);
    show();
    document.documentElement.dataset.ready = location.hash;
}

const sort = () => go({ ...state, sort: state.sort ? "" : "size" });

/* ---------------------------------------------------------------------- the keys */

/** Closes the details. In the search: clears it. */
function leave() {
    if (document.activeElement === search && state.q) amend({ ...state, q: "" });
    else if (state.chosen) go({ ...state, chosen: null });
    search.value = state.q;
    by_id("rows").focus({ preventScroll: true });
}

/** @param {string} view */
function to_view(view) {
    go({ ...state, view });
    focus_view();
}

/** @param {number} way */
const step = (way) => () => current_view() === "diff" && rows.step(way);

/** @type {Record<string, () => void>} */
const SHORTCUTS = {
    "/": () => search.focus(),
    "?": () => help.showModal(),
    j: step(1),
    k: step(-1),
    o: () => document.getElementById("record-title")?.focus(),
    s: sort,
    Escape: leave,
    ...Object.fromEntries(Object.keys(views).map((view, i) => [i + 1, () => to_view(view)])),
};

/** An open dialog has keys of its own, and in the search, most keys are text.
 * @param {KeyboardEvent} event */
function pressed(event) {
    const keys = event.target === search ? { Escape: leave, Enter: () => by_id("rows").focus() } : SHORTCUTS;
    if (!document.querySelector("dialog[open]")) on_key(event, keys);
}

/** Moves the focus to the element that handles the keys of the view. */
function focus_view() {
    const view = current_view();
    if (view === "diff") by_id("rows").focus({ preventScroll: true });
    else if (view === "graph") graph.stage.focus({ preventScroll: true });
}

/* ------------------------------------------------------------------------- begin */

search.addEventListener("input", () => amend({ ...state, q: search.value }));
by_id("sort").addEventListener("click", sort);
by_id("bar-tools").append(copy_button("Copy as Markdown", () => {
    const blocks = sorted_blocks();
    const selected = rows.selected();
    return rows_markdown(subject, selected.length > 1 ? selected : blocks, sums_of(blocks));
}, "The rows that are shown, or selected, as a table"));
by_id("help-button").addEventListener("click", () => help.showModal());
const filters = by_id("filters-button");
filters.addEventListener("click", () => filters.setAttribute("aria-expanded", String(filters.ariaExpanded !== "true")));
by_id("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
});
document.addEventListener("keydown", pressed);
/* A plain click on a link within the page calls visit() instead of navigating, because
 * a browser may forbid navigation in a frame. */
document.addEventListener("click", (event) => {
    const to = /** @type {Element} */ (event.target).closest?.('a[href^="#"]')?.getAttribute("href");
    if (to === undefined || to === null || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (to !== location.hash) visit(to);
});
window.addEventListener("hashchange", arrive);
/* Builds are mostly equal, so a page that is opened without a state shows the differences first. */
if (!location.hash && subject.first_filters.length)
    history.replaceState(null, "", print_state(subject.first_filters.reduce((all, [facet, value]) => toggled(all, facet, value), state)));
put_frame();
put_advice(by_id("advice"), subject, command.page, link);
groups.forEach(group_of);
arrive();
focus_view();
