/*
 * The graph view: pictures that users can pan and zoom. Graphviz laid the pictures out
 * when the page was written. A box of a module opens the picture of the module's
 * contents.
 *
 * A picture is the text of an SVG. It is not put into the page directly, but parsed as XML and
 * rebuilt from the few elements and attributes that pictures need.
 */
import { el, fill, group_of, on_key, svg, within_groups } from "./dom.js";
import { key_of, print_state, same_chosen } from "./state.js";
import { noun, safe } from "./words.js";

/** @typedef {import("./types").Chosen} Chosen */
/** @typedef {import("./types").Picture} Picture */
/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Subject} Subject */

const ELEMENTS = new Set(["g", "path", "polygon", "polyline", "ellipse", "text", "a", "defs", "linearGradient", "stop"]);
const ATTRIBUTES = ["offset", "stop-color", "gradientUnits", "x1", "x2", "y1", "y2", "transform", "fill", "stroke", "stroke-width", "stroke-dasharray", "points", "d", "cx", "cy", "rx", "ry", "x", "y", "text-anchor", "font-size", "font-weight"];
/** Largest scale of a drawing. */
const NEAREST = 4;
/** Distance between the edge of the drawing and the edge of the stage, in pixels. */
const MARGIN = 40;
/** A drawing is shown whole at first, unless this would need a scale below LEGIBLE. */
const LEGIBLE = 0.45;
/** MAP: the largest width of the minimap, in pixels; MAP_LEAST: the smallest width and
 * height. */
const MAP = 110;
const MAP_LEAST = 40;
const MAP_EDGE = 8; /* must equal the value in the style sheet */
/** A stage of at least this width, in pixels, has room for the minimap beside the drawing. */
const ROOMY = 700;
/** The minimap shows at most this number of boxes: the first boxes of the picture. */
const MAP_BOXES = 3000;
/** If a pressed pointer moves at most this distance, in pixels, it makes a click. */
const STILL = 4;

/** True if the picture is not laid out yet. @param {Picture} picture */
const is_dot = (picture) => !!picture.svg?.startsWith("digraph");

/** Parses an SVG. First removes the style attributes that Graphviz writes, because the
 * content security policy forbids them even in a document that is only parsed. Keeps
 * the colors of the legend's gradient, as attributes "stop-color".
 * @param {string} text */
function read_svg(text) {
    const plain = text.replace(/ style="(?:stop-color:(#[0-9a-f]+);)?[^"]*"/g, (_, color) => (color ? ` stop-color="${color}"` : ""));
    return /** @type {SVGSVGElement} */ (/** @type {Element} */ (new DOMParser().parseFromString(plain, "image/svg+xml").documentElement));
}

/** @param {Element} from @param {SVGElement} to @param {Map<string, SVGElement>} boxes */
function rebuild(from, to, boxes) {
    for (const child of from.children) {
        const { localName: tag, id } = child;
        if (!ELEMENTS.has(tag)) continue;
        const kept = ATTRIBUTES.map((name) => [name, child.getAttribute(name)?.replace(/^transparent$/, "none")]);
        const is_box = tag === "g" && /^[a-z]+\d+$/.test(id);
        const names = is_box ? { "data-box": id, class: "box" } : tag === "linearGradient" ? { id } : {};
        const tip = tag === "a" && child.getAttribute("xlink:title");
        /* Graphviz puts an element that has a tooltip into a link without target. */
        const made = svg(tag === "a" ? "g" : tag, { ...Object.fromEntries(kept), ...names }, tag === "text" && child.textContent, tip && svg("title", {}, tip));
        if (is_box) boxes.set(id, made);
        rebuild(child, made, boxes);
        to.append(made);
    }
}

export class GraphView {
    /** @param {HTMLElement} panel @param {Subject} subject @param {Picture[]} pictures @param {(chosen: Chosen, many: boolean) => void} choose @param {(picture: number) => void} open */
    constructor(panel, subject, pictures, choose, open) {
        this.panel = panel;
        this.subject = subject;
        this.pictures = pictures;
        this.choose = choose;
        this.open = open;
        this.drawn = -1;
        /** @type {Map<string, SVGElement>} */
        this.boxes = new Map();
        this.zoom = { x: 0, y: 0, scale: 1 };
        /** The pressed pointers, with their last positions. @type {Map<number, PointerEvent>} */
        this.fingers = new Map();
        this.moved = 0; /* the distance that the pressed pointers moved, in pixels */
        this.size = { width: 1, height: 1 };
        this.stage = el("div", { class: "stage", tabindex: 0, role: "group", "aria-label": "Drawing of both graphs: arrow keys move it, plus and minus zoom, zero shows all" });
        /** What back() can show again: pictures that were shown before, with their zoom.
         * @type {{picture: number, zoom: {x: number, y: number, scale: number}}[]} */
        this.trail = [];
        this.map = /** @type {SVGSVGElement} */ (svg("svg", { class: "map", "aria-hidden": "true" }));
        this.sight = svg("rect", { class: "sight" });
        fill(this.map, { pointerdown: (e) => this.map_touched(e), pointermove: (e) => e.buttons && this.map_touched(e), click: (e) => e.stopPropagation() });
        fill(this.stage, { wheel: (e) => this.wheeled(e), pointerdown: (e) => this.touched(e), keydown: (e) => this.pressed(e), click: (e) => this.clicked(e) });
        new ResizeObserver(() => this.drawing && this.apply()).observe(this.stage);
        window.addEventListener("pointermove", (e) => this.dragged(e));
        for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) window.addEventListener(end, (e) => this.fingers.delete(e.pointerId));
        window.addEventListener("message", (e) => this.laid_out(e));
    }

    /** @param {State} state @param {Set<string> | null} shown keys of the items that pass the filters; null: all pass */
    show(state, shown) {
        const at = this.pictures[state.picture] ? state.picture : 0;
        const picture = this.pictures[at];
        if (!picture) return;
        this.shown = { state, shown };
        if (this.drawn !== at) this.draw(picture, state, at);
        const box = state.chosen && this.box_showing(picture, state.chosen);
        for (const [id, group] of this.boxes) {
            const items = picture.boxes?.[id]?.map((i) => `${id[0]}${i}`) ?? [id];
            const chosen = items.map((i) => this.subject.chosen_of(i, picture)).filter((c) => c !== null);
            group.classList.toggle("chosen", id === box);
            group.classList.toggle("dim", shown !== null && chosen.length > 0 && !chosen.some((c) => shown.has(key_of(c))));
        }
        if (box && !same_chosen(state.chosen, this.centred ?? null)) this.centre(box);
        this.centred = state.chosen;
    }

    /** @param {Picture} picture @param {State} state @param {number} at */
    draw(picture, state, at) {
        this.drawn = at;
        const path = [at];
        for (let up = picture.within; up !== undefined; up = this.pictures[up]?.within) path.unshift(up);
        /* The pictures that no other picture contains. The first picture of `path` is
         * left out, because `path` already shows it. */
        const roots = [...this.pictures.keys()].filter((i) => this.pictures[i]?.within === undefined && i !== path[0]);
        /** @param {number} i */
        const link = (i) => el("a", { href: print_state({ ...state, picture: i, chosen: null }) }, safe(this.pictures[i]?.title ?? ""));
        const names = [...path, ...roots].flatMap((i, k) => [k < path.length ? (k ? " › " : "") : "   ", i === at ? el("span", { "aria-current": "page" }, safe(picture.title)) : link(i)]);
        const crumbs = el("nav", { class: "crumbs", "aria-label": "Modules" }, ...names);
        /** @param {string} label @param {string} text @param {() => void} click */
        const button = (label, text, click) => el("button", { type: "button", "aria-label": label, title: label, click }, text);
        this.back_button = button("← Back to what was shown before", "← Back", () => this.back());
        const tools = el("div", { class: "tools" }, crumbs, ...(picture.svg ? [this.back_button, button("Zoom in", "+", () => this.scale(1.25)), button("Zoom out", "−", () => this.scale(0.8)), button("Fit: show all", "Fit", () => this.fit(true)), button("As wide as it fits", "↔", () => this.fit(false))] : []));
        group_of(tools);
        this.put_back();
        const planned = [...this.pictures.keys()].filter((i) => this.pictures[i]?.within === at);
        const modules = planned.filter((i) => this.pictures[i]?.svg);
        const missing = planned.length - modules.length;
        const inner = modules.length ? el("details", { class: "modules" }, el("summary", {}, `${modules.length} boxes open: click one, or choose it here`), el("nav", { "aria-label": "Modules in this picture" }, ...modules.flatMap((i) => [link(i), " "]))) : null;
        const closed = !inner && picture.boxes && Object.keys(picture.boxes).length ? el("p", { class: "faint" }, "A box of several layers opens their rows.") : null;
        const late = missing ? el("p", { class: "note" }, `${noun(missing, "drawing")} of what is in its boxes could not be laid out in time: such a box leads to rows.`) : null;
        within_groups([tools], () => this.panel.replaceChildren(el("h2", { class: "hidden" }, "Graph"), tools, inner ?? closed ?? "", late ?? "", picture.note ? el("p", { class: picture.svg ? "faint" : "note" }, safe(picture.note)) : "", this.stage));
        this.boxes.clear();
        this.stage.replaceChildren();
        this.stage.hidden = !picture.svg;
        if (!picture.svg) return;
        if (is_dot(picture)) {
            this.stage.append(el("p", { role: "status" }, "Laying the picture out."));
            window.parent.postMessage({ picture: at, dot: picture.svg }, "*");
            return;
        }
        const source = read_svg(picture.svg);
        const { width, height } = source.viewBox.baseVal;
        this.size = { width: width || 1, height: height || 1 };
        this.content = svg("g");
        rebuild(source, this.content, this.boxes);
        this.drawing = svg("svg", { width: this.size.width, height: this.size.height, "aria-hidden": "true" }, this.content);
        this.stage.append(this.drawing, this.map);
        this.put_map();
        if (this.returning) this.zoom = this.returning;
        else this.fit(this.stage.clientHeight >= LEGIBLE * this.size.height);
        this.returning = null;
        this.apply();
    }

    /** Receives a layout from the embedding page. data.picture is the number of the picture.
     * data.svg is the layout, and is missing if the layout failed. @param {MessageEvent} event */
    laid_out({ source, data }) {
        const picture = source === window.parent && this.pictures[data?.picture];
        if (!picture || !is_dot(picture)) return;
        const late = { svg: undefined, note: "This picture could not be laid out: download it as dot, and draw it with Graphviz." };
        Object.assign(picture, data.svg ? { svg: String(data.svg) } : late);
        if (this.drawn !== data.picture || !this.shown) return;
        this.drawn = -1;
        this.show(this.shown.state, this.shown.shown);
    }

    /* ------------------------------------------------------------------ the way back */

    leave() {
        this.trail.push({ picture: this.drawn, zoom: { ...this.zoom } });
        this.put_back();
    }

    put_back() {
        this.back_button?.toggleAttribute("disabled", !this.trail.length);
    }

    back() {
        const last = this.trail.pop();
        if (!last) return;
        if (last.picture === this.drawn) this.zoom = last.zoom;
        else {
            this.returning = last.zoom;
            this.open(last.picture);
        }
        this.put_back();
        this.apply();
    }

    /* ------------------------------------------------------------------- the minimap */

    /** Draws the boxes of the picture into the minimap. */
    put_map() {
        const scale = Math.min(MAP / this.size.width, Math.max(MAP, this.stage.clientHeight * 0.45) / this.size.height);
        fill(this.map, {
            viewBox: `0 0 ${this.size.width} ${this.size.height}`,
            width: Math.max(this.size.width * scale, MAP_LEAST),
            height: Math.max(this.size.height * scale, MAP_LEAST),
            preserveAspectRatio: "none",
        });
        const back = /** @type {SVGGraphicsElement | undefined} */ (this.content)?.getCTM()?.inverse();
        const shapes = [...this.boxes.values()].slice(0, MAP_BOXES).map((group) => {
            const one = /** @type {SVGGraphicsElement} */ (group);
            const [box, at] = [one.getBBox(), one.getCTM()];
            const to = back && at ? back.multiply(at) : new DOMMatrix();
            const fill = one.querySelector("[fill]:not([fill=none]):not(text)")?.getAttribute("fill") ?? "#cccccc";
            return svg("rect", { x: box.x * to.a + to.e, y: box.y * to.d + to.f, width: box.width * to.a, height: box.height * to.d, fill: fill.startsWith("url") ? "#cccccc" : fill, stroke: "#888888", "stroke-width": 1 / scale / 2 });
        });
        this.map.replaceChildren(...shapes, this.sight);
        fill(this.sight, { "stroke-width": 2 / scale });
    }

    /** Marks the visible part in the minimap, if the picture is not wholly visible. */
    put_sight() {
        const { x, y, scale } = this.zoom;
        const [w, h] = [this.stage.clientWidth / scale, this.stage.clientHeight / scale];
        this.map.toggleAttribute("hidden", w >= this.size.width && h >= this.size.height);
        const [left, top] = [Math.max(0, -x / scale), Math.max(0, -y / scale)];
        fill(this.sight, { x: left, y: top, width: Math.max(0, Math.min(this.size.width, w - x / scale) - left), height: Math.max(0, Math.min(this.size.height, h - y / scale) - top) });
    }

    /** @param {PointerEvent} event */
    map_touched(event) {
        event.stopPropagation();
        const map = this.map.getBoundingClientRect();
        this.zoom.x = this.stage.clientWidth / 2 - ((event.clientX - map.left) / map.width) * this.size.width * this.zoom.scale;
        this.zoom.y = this.stage.clientHeight / 2 - ((event.clientY - map.top) / map.height) * this.size.height * this.zoom.scale;
        this.apply();
    }

    /* ----------------------------------------------------------------- pan and zoom */

    /** Keeps the drawing visible, on each axis. If it is smaller than the stage, at
     * most MARGIN of it is outside. If it is larger, at most MARGIN of the stage is
     * empty at an edge. */
    bound() {
        for (const [axis, size, room] of /** @type {["x" | "y", number, number][]} */ ([["x", this.size.width, this.stage.clientWidth], ["y", this.size.height, this.stage.clientHeight]])) {
            const spare = room - size * this.zoom.scale;
            this.zoom[axis] = Math.min(Math.max(this.zoom[axis], Math.min(0, spare) - MARGIN), Math.max(0, spare) + MARGIN);
        }
    }

    /** The box of the selection. If the picture does not have this box, returns the box
     * that contains it. null: the picture has neither.
     * @param {Picture} picture @param {Chosen} chosen */
    box_showing(picture, chosen) {
        const own = this.subject.box_of(chosen, picture);
        if (!own || this.boxes.has(own)) return own;
        const number = Number(own.slice(1));
        return Object.entries(picture.boxes ?? {}).find(([box, items]) => box[0] === own[0] && items.includes(number))?.[0] ?? null;
    }

    apply() {
        if (!this.drawing || !this.stage.clientWidth) return;
        this.bound();
        this.put_sight();
        fill(this.drawing, { width: this.stage.clientWidth, height: this.stage.clientHeight });
        const { x, y, scale } = this.zoom;
        this.content?.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    }

    /** @param {boolean} all fit the whole drawing; false: only its width */
    fit(all) {
        const [w, h] = [this.stage.clientWidth || 800, this.stage.clientHeight || 600];
        const room = all || w < ROOMY || this.size.height * Math.min(w / this.size.width, 1) <= h ? 0 : this.map.width.baseVal.value + 2 * MAP_EDGE;
        const scale = Math.min((w - room) / this.size.width, all ? h / this.size.height : 1, 1.2);
        this.zoom = { x: Math.max(room, (w - this.size.width * scale) / 2), y: 0, scale };
        this.apply();
    }

    /** @param {number} x @param {number} y */
    pan(x, y) {
        this.zoom.x += x;
        this.zoom.y += y;
        this.apply();
    }

    /** @param {number} by @param {number} [x] the point that keeps its position @param {number} [y] */
    scale(by, x = this.stage.clientWidth / 2, y = this.stage.clientHeight / 2) {
        const least = Math.min(1, this.stage.clientWidth / this.size.width, this.stage.clientHeight / this.size.height) / 2;
        const scale = Math.min(NEAREST, Math.max(least, this.zoom.scale * by));
        const k = scale / this.zoom.scale;
        this.zoom = { x: x - (x - this.zoom.x) * k, y: y - (y - this.zoom.y) * k, scale };
        this.apply();
    }

    /** @param {string} box */
    centre(box) {
        const group = this.boxes.get(box);
        if (!group || !this.stage.clientWidth) return;
        const stage = this.stage.getBoundingClientRect();
        const now = group.getBoundingClientRect();
        const inside = now.left > stage.left && now.right < stage.right && now.top > stage.top && now.bottom < stage.bottom;
        if (inside && this.zoom.scale >= 0.4) return;
        this.leave();
        if (this.zoom.scale < 0.5) this.scale(0.8 / this.zoom.scale);
        const at = group.getBoundingClientRect();
        this.pan(stage.left + stage.width / 2 - (at.left + at.width / 2), stage.top + stage.height / 2 - (at.top + at.height / 2));
    }

    /** @param {WheelEvent} event */
    wheeled(event) {
        event.preventDefault();
        const stage = this.stage.getBoundingClientRect();
        /* If Shift is pressed, some browsers report the wheel in deltaX, others in deltaY. */
        if (event.shiftKey) this.pan(-(event.deltaX || event.deltaY), 0);
        else this.scale(Math.exp(-event.deltaY / (event.ctrlKey ? 200 : 400)), event.clientX - stage.left, event.clientY - stage.top);
    }

    /** One pointer drags the drawing; the distance between two pointers zooms it.
     * @param {PointerEvent} event */
    touched(event) {
        if (!this.fingers.size) this.moved = 0;
        this.fingers.set(event.pointerId, event);
    }

    /** @param {PointerEvent} event */
    dragged(event) {
        const last = this.fingers.get(event.pointerId);
        if (!last) return;
        const [one, other] = this.fingers.values();
        const still = one === last ? other : one;
        const step = { x: event.clientX - last.clientX, y: event.clientY - last.clientY };
        this.moved += Math.hypot(step.x, step.y);
        this.fingers.set(event.pointerId, event);
        if (still) {
            const stage = this.stage.getBoundingClientRect();
            /** @param {PointerEvent} moving */
            const apart = (moving) => Math.max(1, Math.hypot(moving.clientX - still.clientX, moving.clientY - still.clientY));
            this.scale(apart(event) / apart(last), still.clientX - stage.left, still.clientY - stage.top);
        } else this.pan(step.x, step.y);
    }

    /** @param {MouseEvent} event */
    clicked(event) {
        const box = /** @type {Element} */ (event.target).closest("[data-box]")?.getAttribute("data-box");
        const picture = this.pictures[this.drawn];
        if (!box || !picture || this.moved > STILL) return;
        const module = picture.opens?.[box];
        const chosen = this.subject.chosen_of(box, picture);
        if (module !== undefined && this.pictures[module]?.svg) {
            this.leave();
            this.open(module);
        }
        else if (chosen) this.choose(chosen, (picture.boxes?.[box]?.length ?? 0) > 1);
    }

    /** @param {KeyboardEvent} event */
    pressed(event) {
        const step = 60;
        on_key(event, {
            ArrowLeft: () => this.pan(step, 0),
            ArrowRight: () => this.pan(-step, 0),
            ArrowUp: () => this.pan(0, step),
            ArrowDown: () => this.pan(0, -step),
            "+": () => this.scale(1.25),
            "-": () => this.scale(0.8),
            "0": () => this.fit(true),
            Backspace: () => this.back(),
        });
    }
}
