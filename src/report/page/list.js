/*
 * The rows: a treegrid of any length, of which the document contains only the visible lines.
 *
 *     block  left                    right
 *       1    QuantizeLinear_0        0 Reformat
 *       2    Conv_4              |   1 CaskConvolution
 *            Relu_6              |
 *       3    Identity_8          -
 *
 * Between the sides, "|" joins the lines of a block, and "-" marks a block whose nodes
 * no layer computes.
 *
 * A block has as many lines as the longer of its sides. The first line of a block is a
 * row of level 1, and its other lines are rows of level 2.
 *
 * All lines have the same height, so the position of a line is its number times this
 * height. The focus stays on the grid, because invisible lines are removed from the
 * document. The grid names the current line (aria-activedescendant).
 */
import { chip, el, fill, fit, giving_way, on_key } from "./dom.js";
import { same_chosen } from "./state.js";
import { count, first_words, percent, shorten } from "./words.js";

/** @typedef {import("./types").Block} Block */
/** @typedef {import("./types").Chosen} Chosen */
/** @typedef {import("./types").Item} Item */
/** @typedef {import("./types").Measure} Measure */
/** @typedef {import("./types").Subject} Subject */

const LINE = 28; /* height of a line, in pixels */
const TALL = 45; /* height of a line if its cells may wrap their text, in pixels */
const NARROW = "(max-width: 600px)"; /* must equal the value in the style sheet */
const BEYOND = 12; /* rows that are kept above and below the visible ones */
const NAME = 140; /* maximum length of a name, in characters */
const LEAST = 190; /* minimum width of each of several columns on the right, in pixels */
const MEASURE = 94; /* width of the column of a measure, in pixels */
const PRINTED = 3000; /* maximum number of lines on paper */

/** @typedef {{block: Block, line: number, lines: number}} Line */

/** Shows the operator before the name, unless the name already begins with it, such as "Conv_13" for a Conv. @param {Item} item */
function name_cell(item) {
    const both = item.word !== "" && item.name.startsWith(item.word) && /^[_\d]/.test(item.name.slice(item.word.length));
    return {
        word: item.word && !both ? giving_way(el("span", { class: "word" }), 40, (_, parts) => parts(shorten(item.word, 40))) : null,
        name: item.name
            ? giving_way(el("span", { class: "name", title: shorten(item.name, 600) }), NAME, (most, parts) => {
                  const name = shorten(item.name, most);
                  return both && name.startsWith(item.word) ? [el("b", {}, ...parts(item.word)), ...parts(name.slice(item.word.length))] : parts(name);
              })
            : null,
    };
}

/** Attributes that explain a sign in words, by a tooltip and for screen readers.
 * @param {string} words */
const said = (words) => ({ title: words, "aria-label": words });

/** @param {Item} item @param {boolean} named */
function item_cell(item, named) {
    const { word, name } = name_cell(item);
    const letters = item.evidence?.map((by) => by[0]).join("");
    return [
        item.index ? el("span", { class: "index" }, item.index) : null,
        word,
        named || !word ? name : null,
        item.chips.length ? el("span", { class: "chips" }, ...item.chips.map(chip)) : null,
        letters ? el("span", { class: "evidence", role: "img", ...said(`evidence: ${item.evidence?.join(", ")}`) }, letters) : null,
        item.figure ? el("span", { class: "figure" }, item.figure) : null,
    ];
}

export class RowList {
    /** @param {HTMLElement} grid the scroller @param {HTMLElement} head @param {Subject} subject @param {(chosen: Chosen) => void} choose @param {() => void} texts called when the selected rows change */
    constructor(grid, head, subject, choose, texts) {
        this.grid = grid;
        this.subject = subject;
        this.choose = choose;
        this.texts = texts;
        /** Index of the row at which the selection of rows began; -1: no selection. */
        this.anchor = -1;
        /** @type {Line[]} */
        this.lines = [];
        /** @type {Set<Block>} */
        this.opened = new Set();
        /** @type {Block[]} */
        this.blocks = [];
        /** @type {Chosen | null} */
        this.chosen = null;
        this.current = 0;
        this.line_height = LINE;
        this.width = 0;
        this.printing = false;
        /** @type {Map<number, HTMLElement>} */
        this.shown = new Map();
        this.body = el("div", { class: "rows-body", role: "rowgroup" });
        grid.append(this.body);
        this.head = head;
        this.put_head(head);
        const columns = subject.sides.length - 1;
        grid.classList.toggle("measured", subject.measures.length > 0);
        grid.style.cssText = `--left: ${subject.left}fr; --columns: ${columns}; --least: ${26 + LEAST * columns + MEASURE * subject.measures.length}px; --measures: ${`${MEASURE}px `.repeat(subject.measures.length)}`;
        fill(grid, { scroll: () => this.render(), click: (event) => this.clicked(event), keydown: (event) => this.pressed(event) });
        new ResizeObserver(() => this.resized()).observe(grid);
        this.unprinted = el("p", { class: "note", hidden: "" });
        grid.after(this.unprinted);
        window.addEventListener("beforeprint", () => this.print(true));
        window.addEventListener("afterprint", () => this.print(false));
    }

    /** @param {HTMLElement} head */
    put_head(head) {
        const { sides, measures } = this.subject;
        head.replaceChildren(
            el("div", { role: "columnheader", class: "left" }, sides[0]),
            el("div", { role: "columnheader", class: "gutter" }, el("span", { class: "hidden" }, "what happened")),
            ...sides.slice(1).map((side) => el("div", { role: "columnheader", class: "right", title: shorten(side, 600) }, giving_way(el("span"), 60, (most) => [shorten(side, most)]))),
            ...measures.map((measure) => el("div", { role: "columnheader", class: this.measure_class(measure) }, measure.title))
        );
        this.grid.setAttribute("aria-colcount", String(1 + sides.length + measures.length));
        this.grid.classList.toggle("many", sides.length > 2);
    }

    /** If only the height changed, renders the rows that became visible. If the width
     * changed, renders the head and all visible rows again, because names are shortened
     * to fit the width. */
    resized() {
        if (this.width === this.grid.clientWidth) return this.render();
        this.width = this.grid.clientWidth;
        const tall = this.subject.sides.length > 2 || matchMedia(NARROW).matches;
        this.line_height = tall ? TALL : LINE;
        this.grid.classList.toggle("tall", tall);
        this.put_head(this.head);
        fit([...this.head.children]);
        this.layout();
        this.reveal(this.current);
        this.render();
    }

    /** @param {Block[]} blocks @param {Chosen | null} chosen */
    show(blocks, chosen) {
        const at = this.lines[this.current];
        if (blocks.length !== this.blocks.length || blocks.some((b, i) => b !== this.blocks[i])) this.anchor = -1;
        this.blocks = blocks;
        const found = chosen && this.subject.find(chosen);
        this.chosen = found?.item.chosen ?? null;
        const sides = found?.block.items();
        if (found && sides?.folded && !sides.folded.includes(found.item) && sides.left.includes(found.item)) this.opened.add(found.block);
        this.layout();
        const here = found ? this.line_of(found.block, found.item) : at ? this.line_of(at.block, null) : -1;
        this.current = here >= 0 ? here : this.heaviest();
        if (!at || found || here < 0) this.reveal(this.current);
        this.render();
    }

    /** The number of the first line of the block with the largest weight. show() makes
     * this line the current one if no other line is. */
    heaviest() {
        const { weight } = this.subject;
        const most = this.blocks.reduce((best, block) => (weight(block) > weight(best) ? block : best), /** @type {Block} */ (this.blocks[0]));
        return most ? Math.max(0, this.line_of(most, null)) : 0;
    }

    layout() {
        this.lines = [];
        for (const block of this.blocks) {
            const { left, folded, right } = block.counts;
            const n = Math.max(folded && !this.opened.has(block) ? folded : left, right, 1);
            for (let line = 0; line < n; line++) this.lines.push({ block, line, lines: n });
        }
        this.body.style.height = `${this.lines.length * this.line_height}px`;
        this.grid.setAttribute("aria-rowcount", String(this.lines.length + 1));
        for (const row of this.shown.values()) row.remove();
        this.shown.clear();
    }

    /** @param {Block} block */
    left_of(block) {
        const { left, folded } = block.items();
        return folded && !this.opened.has(block) ? folded : left;
    }

    /** @param {Block} block @param {Item | null} item */
    line_of(block, item) {
        const first = this.lines.findIndex((l) => l.block === block);
        const inside = item ? Math.max(this.left_of(block).indexOf(item), ...block.items().right.map((column) => column.indexOf(item)), 0) : 0;
        return first < 0 ? -1 : first + inside;
    }

    /** Scrolls a line into view below the head, with some lines around it; a distant line is
     * scrolled to the middle.
     * @param {number} at */
    reveal(at) {
        const [top, height, line] = [this.grid.scrollTop, this.grid.clientHeight - LINE, this.line_height];
        const [above, below] = [at * line - top, (at + 1) * line - top - height];
        if (above >= 0 && below <= 0) return;
        if (Math.min(Math.abs(above), Math.abs(below)) > height) this.grid.scrollTop = at * line - height / 2;
        else this.grid.scrollTop = above < 0 ? (at - 2) * line : (at + 3) * line - height;
    }

    /** Prepares the rows for paper, which does not scroll: shows at most PRINTED lines, and states
     * how many are left out.
     * @param {boolean} on */
    print(on) {
        this.printing = on;
        const left = on ? Math.max(this.lines.length - PRINTED, 0) : 0;
        this.body.style.height = `${(this.lines.length - left) * this.line_height}px`;
        this.unprinted.hidden = !left;
        this.unprinted.textContent = `${count(left)} more of ${count(this.lines.length)} rows are not printed: filter the rows to choose which are`;
        this.render();
    }

    render() {
        const all = this.printing;
        const from = all ? 0 : Math.max(0, Math.floor(this.grid.scrollTop / this.line_height) - BEYOND);
        const to = Math.min(this.lines.length, all ? PRINTED : Math.ceil((this.grid.scrollTop + this.grid.clientHeight) / this.line_height) + BEYOND);
        for (const [at, row] of this.shown)
            if (at < from || at >= to) {
                row.remove();
                this.shown.delete(at);
            }
        /** @type {Element[]} */
        const cells = [];
        /* Rows are in the document in their visible order, because screen readers read them in
         * document order. */
        for (let at = to - 1, next = null; at >= from; at--) {
            const line = /** @type {Line} */ (this.lines[at]);
            let row = this.shown.get(at);
            if (!row) {
                row = this.row(line, at);
                this.shown.set(at, row);
                this.body.insertBefore(row, next);
                cells.push(...row.querySelectorAll(".left, .right"));
            }
            this.mark(row, at);
            next = row;
        }
        fit(cells);
        if (this.shown.has(this.current)) this.grid.setAttribute("aria-activedescendant", `row-${this.current}`);
        else this.grid.removeAttribute("aria-activedescendant");
    }

    /** True for the lines from the anchor of the selection to the current line. @param {number} at */
    is_selected(at) {
        return this.anchor >= 0 && at >= Math.min(this.anchor, this.current) && at <= Math.max(this.anchor, this.current);
    }

    /** The blocks of the selected lines. @returns {Block[]} */
    selected() {
        return [...new Set(this.lines.flatMap((line, at) => (this.is_selected(at) ? line.block : [])))];
    }

    /** @param {number} at @param {boolean} on */
    select_to(at, on) {
        const was = this.anchor;
        this.anchor = !on ? -1 : was < 0 ? this.current : was;
        this.go(at);
        if (on || was >= 0) this.texts();
    }

    /** Marks a row if it is current, selected or chosen. @param {HTMLElement} row @param {number} at */
    mark(row, at) {
        const line = /** @type {Line} */ (this.lines[at]);
        const items = [this.left_of(line.block)[line.line], ...line.block.items().right.map((column) => column[line.line])];
        const chosen = this.chosen !== null && items.some((i) => same_chosen(this.chosen, i?.chosen));
        row.setAttribute("aria-selected", String(chosen || this.is_selected(at)));
        row.classList.toggle("current", at === this.current);
        row.classList.toggle("selected", this.is_selected(at));
    }

    /** @param {Line} line @param {number} at */
    row({ block, line, lines }, at) {
        const left = this.left_of(block)[line];
        const place = lines === 1 ? "only" : line === 0 ? "first" : line === lines - 1 ? "last" : "middle";
        return el(
            "div",
            {
                role: "row",
                id: `row-${at}`,
                class: `row ${block.level} tint-${block.tint} ${place}`,
                style: `top: ${at * this.line_height}px; height: ${this.line_height}px`,
                "aria-level": line ? 2 : 1,
                "aria-rowindex": at + 2,
                "aria-expanded": !line && block.counts.folded ? String(this.opened.has(block)) : undefined,
                "data-at": at,
            },
            el("div", { role: "gridcell", class: `left${left?.quiet ? " quiet" : ""}` }, ...(left ? item_cell(left, true) : [])),
            el("div", { role: "gridcell", class: "gutter" }, this.gutter(block, line)),
            ...this.subject.sides.slice(1).map((_, i) => el("div", { role: "gridcell", class: `right ${block.looks?.[i] ?? ""}${block.items().right[i]?.[line]?.quiet ? " quiet" : ""}` }, ...this.right_cell(block, i, line, lines, left))),
            ...this.subject.measures.map((measure) => this.measure(measure, block, line))
        );
    }

    /** The right cell of a line. Usually, it shows the item of this line. If a block
     * has several lines but only one item in this column, the item takes two lines: its
     * operator is in the first line, and its name is in the second line.
     * @param {Block} block @param {number} column @param {number} line @param {number} lines @param {Item | undefined} left */
    right_cell(block, column, line, lines, left) {
        const items = block.items().right[column] ?? [];
        const [only, more] = items;
        const right = items[line];
        if (right) return item_cell(right, lines === 1 || more !== undefined);
        if (only && !more && line === 1 && only.name) return name_cell(only).word ? [el("span", { class: "indent" }), name_cell(only).name] : [];
        return left?.reason ? [giving_way(el("span", { class: "reason" }), NAME, (most) => [first_words(left.reason ?? "", most)])] : [];
    }

    /** @param {Block} block @param {number} line */
    gutter(block, line) {
        if (line) return null;
        if (block.counts.folded) return el("button", { type: "button", class: "opener", tabindex: "-1", "aria-label": this.opened.has(block) ? "fold" : "unfold" }, this.opened.has(block) ? "▾" : "▸");
        const words = { "+": "added", "-": "gone", "?": "not known", "~": "changed", "": "" };
        return block.mark ? el("span", { class: "mark", role: "img", ...said(words[block.mark]) }, block.mark) : null;
    }

    /** @param {Measure} measure */
    measure_class(measure) {
        return measure === this.subject.key ? "measure key" : "measure";
    }

    /** @param {Measure} measure @param {Block} block @param {number} line */
    measure(measure, block, line) {
        const cell = el("div", { role: "gridcell", class: this.measure_class(measure) });
        const value = line ? null : measure.of(block);
        if (value === null) return cell;
        const look = measure.signed ? (value > 0 ? "alarm" : "good") : `bar-${measure.at}`;
        const bar = el("span", { class: `bar ${look}`, style: `width: ${(Math.abs(value) / measure.most) * 100}%`, "aria-hidden": "true" });
        const title = measure.total ? `${percent(value, measure.total)} of all` : undefined;
        return fill(cell, { title }, [bar, el("span", { class: "number" }, measure.print(value))]);
    }

    /** @param {Block} block */
    toggle(block) {
        if (!block.counts.folded) return;
        if (!this.opened.delete(block)) this.opened.add(block);
        const at = this.lines[this.current]?.block;
        this.layout();
        if (at) this.current = Math.max(0, this.line_of(at, null));
        this.render();
    }

    /** Selects an item of a line. `left_first` states which side's item is preferred.
     * If this side has no item, the item of the other side is selected.
     * @param {number} at @param {boolean} left_first */
    choose_line(at, left_first) {
        const line = this.lines[at];
        if (!line) return;
        const left = this.left_of(line.block)[line.line]?.chosen;
        const column = line.block.items().right[0];
        const right = (column?.[line.line] ?? column?.[0])?.chosen;
        const chosen = left_first ? left ?? right : right ?? left;
        if (chosen) this.choose(chosen);
        else this.toggle(line.block);
    }

    /** @param {Event} event */
    clicked(event) {
        const target = /** @type {Element} */ (event.target);
        const at = Number(target.closest("[data-at]")?.getAttribute("data-at") ?? -1);
        const line = this.lines[at];
        if (!line) return;
        if (event instanceof MouseEvent && event.shiftKey) {
            getSelection()?.removeAllRanges();
            return this.select_to(at, true);
        }
        if (this.anchor >= 0) this.select_to(at, false);
        this.current = at;
        /* A clicked button loses the focus when its row is rendered again. */
        this.grid.focus({ preventScroll: true });
        if (target.closest(".opener") || (!this.left_of(line.block)[line.line]?.chosen && target.closest(".left") && line.block.counts.folded)) this.toggle(line.block);
        else this.choose_line(at, !!target.closest(".left"));
        this.render();
    }

    /** @param {number} at */
    go(at) {
        this.current = Math.min(Math.max(at, 0), this.lines.length - 1);
        this.reveal(this.current);
        this.render();
    }

    /** Moves to the next or previous block. @param {number} way */
    step(way) {
        this.grid.focus({ preventScroll: true });
        let at = this.current;
        const block = this.lines[at]?.block;
        while (this.lines[at] && this.lines[at]?.block === block) at += way;
        if (!this.lines[at]) return;
        while (way < 0 && this.lines[at]?.line) at--;
        this.go(at);
    }

    /** @param {KeyboardEvent} event */
    pressed(event) {
        const page = Math.max(1, Math.floor(this.grid.clientHeight / this.line_height) - 1);
        const block = this.lines[this.current]?.block;
        const open = block && this.opened.has(block);
        on_key(event, {
            ArrowDown: () => this.select_to(this.current + 1, event.shiftKey),
            ArrowUp: () => this.select_to(this.current - 1, event.shiftKey),
            PageDown: () => this.go(this.current + page),
            PageUp: () => this.go(this.current - page),
            Home: () => this.go(0),
            End: () => this.go(this.lines.length - 1),
            ArrowRight: () => block && !open && this.toggle(block),
            ArrowLeft: () => block && open && this.toggle(block),
            Enter: () => this.choose_line(this.current, event.shiftKey),
            " ": () => block && this.toggle(block),
        });
    }
}
