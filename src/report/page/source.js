/*
 * The source view shows three sides of one model, if the exporter stored the line of each node:
 *
 *     source                         nodes              layers
 *     model.py  7   x = self.up(x)   node_linear_3      12 gemm
 *               9   x = act(x)       node_gelu          12 gemm
 *
 * Pointing at a line, node or layer highlights its counterparts on the other sides.
 * Clicking it keeps the counterparts highlighted. A source file that is dropped onto
 * the view is shown completely; it is not sent anywhere.
 */
import { breakable, chip, el, fill } from "./dom.js";
import { chosen_of_key, key_of } from "./state.js";
import { base_name, count, grouped, noun, percent, safe, shorten } from "./words.js";

/** @typedef {import("./types").Chosen} Chosen */
/** @typedef {import("./types").SourceLine} SourceLine */
/** @typedef {import("./types").Sources} Sources */

/** Maximum number of nodes or layers in a list. */
const MOST = 4000;

/** @param {Chosen} chosen @param {...(Node | null)} children */
const item_button = (chosen, ...children) => el("button", { type: "button", class: "item", "data-key": key_of(chosen) }, ...children);

export class SourceView {
    /** @param {HTMLElement} panel @param {Sources} sources @param {(chosen: Chosen) => void} choose */
    constructor(panel, sources, choose) {
        this.panel = panel;
        this.sources = sources;
        /** Maps the name of each source file to its lines that have nodes. */
        this.lines = grouped(sources.lines, (line) => [line.file]);
        /** Maps the name of each file that the user opened to its lines.
         * @type {Map<string, string[]>} */
        this.files = new Map();
        /** The key of the selected line, node or layer. @type {string | null} */
        this.chosen = null;
        /** @param {any} target @returns {string | undefined} */
        const key_at = (target) => target?.closest?.("[data-key]")?.dataset.key;
        /** Highlights what the pointer or the focus moves to. @param {any} event */
        const light = ({ target, relatedTarget }) => key_at(target) !== key_at(relatedTarget) && this.light(key_at(target));
        fill(panel, {
            pointerover: light,
            focusin: light,
            pointerleave: () => this.light(),
            click: ({ target }) => key_at(target) && choose(chosen_of_key(key_at(target) ?? "")),
            dragover: (event) => event.preventDefault(),
            drop: (event) => this.take(event, event.dataTransfer.files),
        });
    }

    /** Reads files that the user opened or dropped. @param {Event} event @param {FileList} files */
    async take(event, files) {
        event.preventDefault();
        for (const file of files)
            if (this.lines.has(file.name)) this.files.set(file.name, (await file.text()).split(/\r?\n/));
        this.put();
    }

    /** Scrolls to the selection, and on each side to its first counterpart. @param {Chosen | null} chosen */
    show(chosen) {
        this.chosen = chosen && key_of(chosen);
        if (this.panel.childElementCount) this.light();
        else this.put();
        const first = this.panel.querySelectorAll(".lit:not(.lit ~ .lit)");
        for (const item of [...this.panel.querySelectorAll('[aria-pressed="true"]'), ...first]) item.scrollIntoView({ block: "nearest" });
    }

    /** Highlights a line, node or layer, and its counterparts. @param {string | null} [key] */
    light(key = this.chosen) {
        const lit = new Set(key ? [key, ...this.sources.related(key)] : []);
        for (const item of /** @type {NodeListOf<HTMLElement>} */ (this.panel.querySelectorAll("[data-key]"))) {
            item.classList.toggle("lit", lit.has(item.dataset.key ?? ""));
            item.setAttribute("aria-pressed", String(item.dataset.key === this.chosen));
        }
    }

    put() {
        const input = el("input", { type: "file", multiple: true, accept: ".py,text/plain", id: "source-files", class: "hidden", "aria-label": "Open source files", change: (event) => this.take(event, event.target.files) });
        const missing = [...this.lines.keys()].filter((file) => !this.files.has(file));
        const hint = missing.length ? el("p", { class: "faint" }, el("label", { for: "source-files", class: "button" }, "Open source files"), ` or drop them here to show them whole: ${missing.slice(0, 6).join(", ")}${missing.length > 6 ? ", …" : ""}. They stay in this browser.`) : null;
        const lines = [...this.lines].flatMap(([file, lines]) => [el("h4", {}, ...breakable(safe(file))), ...this.put_file(this.files.get(file), lines)]);
        /** @param {string} title @param {HTMLElement[]} list */
        const side = (title, list) => el("section", { class: "side", "aria-label": title }, el("h3", {}, title), el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title }, ...list));
        this.panel.replaceChildren(
            el("h2", { class: "hidden" }, "Source"),
            input,
            hint ?? "",
            el("div", { class: "sides" }, side("Source", lines), side("ONNX nodes", this.put_items(this.sources.nodes)), side("Engine layers", this.put_items(this.sources.layers)))
        );
        this.light();
    }

    /** @param {Sources["nodes"]} all */
    put_items(all) {
        const list = all.slice(0, MOST).map(({ chosen, item, figure }) => item_button(chosen, el("span", { class: "index" }, item.index ?? ""), el("span", { class: "word" }, ...breakable(shorten(item.word, 40))), el("span", { class: "name" }, ...breakable(shorten(item.name, 100))), el("span", { class: "chips" }, ...item.chips.map(chip)), figure ? el("span", { class: "figure" }, figure) : null));
        return all.length > MOST ? [...list, el("p", { class: "faint" }, `and ${count(all.length - MOST)} more`)] : list;
    }

    /** All lines of a dropped file, or else the lines that have nodes.
     * @param {string[] | undefined} text @param {SourceLine[]} lines */
    put_file(text, lines) {
        if (!text) return lines.map((line) => this.put_line(line, line.code));
        const known = new Map(lines.map((line) => [line.line, line]));
        return text.map((code, i) => {
            const line = known.get(i + 1);
            return line ? this.put_line(line, code) : el("p", { class: "item plain" }, el("span", { class: "index" }, String(i + 1)), el("code", {}, safe(code)));
        });
    }

    /** @param {SourceLine} line @param {string} code */
    put_line(line, code) {
        const { total, print } = this.sources.measure;
        const cost = line.cost ? el("span", { class: "figure", title: `${print(line.cost)} of ${print(total)}` }, percent(line.cost, total)) : null;
        return item_button(line.chosen, el("span", { class: "index" }, String(line.line)), el("code", { title: safe(code) }, ...breakable(safe(code) || "(text not known)")), el("span", { class: "chips" }, ...line.chips.map(chip)), el("span", { class: "count" }, noun(line.nodes, "node")), cost);
    }
}

/** Splits "model.py, line 7: x = self.up(x)" into its parts.
 * @param {string | undefined} text @returns {{file: string, line: number, code: string} | null} */
export function place_of(text) {
    const [, file = "", line = "", code = ""] = text?.match(/^(.*?), line (\d+)(?:: (.*))?$/s) ?? [];
    return line ? { file: base_name(file), line: Number(line), code } : null;
}
