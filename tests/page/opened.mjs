/*
 * A page that is opened in a real browser, from the disk, and what is asked of it.  Whatever it says to the console, asks of the
 * network or leaves axe to complain of is a failure.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const [binary, folder] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const HANGS = 300000; // milliseconds: what comes comes sooner, on a machine however busy
/** How many checks failed. */
export let failures = 0;

export function check(what, holds, detail = "") {
    console.log(`${holds ? "ok      " : "FAILED  "}${what}${holds ? "" : ` ${detail}`}`);
    failures += !holds;
}

/** Does what leads to another address, and waits until the page shows what is there: the browser notifies the page when it gets to it. */
export async function led(page, act) {
    const from = await page.evaluate(() => location.hash);
    await act();
    await page.waitForFunction((from) => location.hash !== from && document.documentElement.dataset.ready === location.hash, from);
}

/** What the wheel, a finger or the layout does comes when the browser gets to it. */
export async function comes(what, holds) {
    for (let waited = 0; waited < HANGS && !(await holds()); waited += 50) await new Promise((done) => setTimeout(done, 50));
    check(what, await holds());
}

export const equal = (what, found, wanted) => check(what, JSON.stringify(found) === JSON.stringify(wanted), `found ${JSON.stringify(found)?.slice(0, 400)}, not ${JSON.stringify(wanted)?.slice(0, 400)}`);
export const path_of = (name) => join(folder, `${name}.html`);
export const document_of = (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));

/* A container's root may not have the sandbox. */
export const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"], timeout: HANGS });

/** Opens a page and hands it to `use`; afterwards it has said and asked nothing. */
export async function open(name, hash, use, { width = 1400, colors = "light" } = {}) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: colors, reducedMotion: "reduce", offline: true, bypassCSP: false });
    context.setDefaultTimeout(HANGS);
    const page = await context.newPage();
    const said = [];
    page.on("console", (m) => said.push(m.text()));
    page.on("pageerror", (e) => said.push(String(e.stack)));
    page.on("request", (r) => r.url().split("#")[0] !== `file://${path_of(name)}` && said.push(`asks for ${r.url()}`));
    await page.goto(`file://${path_of(name)}${hash}`);
    await page.waitForSelector("html[data-ready]");
    await in_columns(page, `${name}${hash}, ${width} wide`);
    await use(page);
    equal(`${name}${hash}: says and asks nothing`, said, []);
    await context.close();
}

/** What stands in a row stands beside each other below its heads. */
async function in_columns(page, what) {
    if (!(await page.locator("#rows .rows-body .row").count()) || !(await page.locator("#rows").isVisible())) return;
    const wrong = await page.evaluate(() => {
        const cells = (row) => [...row.children].filter((cell) => cell.getClientRects().length).map((cell) => cell.getBoundingClientRect());
        const head = cells(document.getElementById("rows-head"));
        return [...document.querySelectorAll("#rows .rows-body .row")].slice(0, 20).filter((row) => {
            const boxes = cells(row);
            return boxes.length !== head.length || boxes.some((box, i) => Math.abs(box.top - boxes[0].top) > 1 || Math.abs(box.left - head[i].left) > 1);
        }).length;
    });
    equal(`${what}: rows are in columns`, wrong, 0);
}

/** Texts in sight of which a box hides a part that no scrolling shows, or that end within a word.  Longer words than the
 * reports keep whole are data. */
export const cut_texts = (frame) => frame.evaluate(() => {
    const LONGEST = 160;
    const found = [];
    const hides = (style) => /hidden|clip/.test(style.overflowX + style.overflowY) || /strict|content|paint/.test(style.contain);
    const scrolls = (style) => /auto|scroll/.test(style.overflowX + style.overflowY);
    const is_within = (text, box) => text.left >= box.left - 1.5 && text.right <= box.right + 1.5 && text.top >= box.top - 3 && text.bottom <= box.bottom + 3;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (!node.data.trim() || parent.closest("script, style, option, .hidden, .stage") || !parent.checkVisibility({ visibilityProperty: true })) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const places = [...range.getClientRects()].filter((place) => place.width > 0);
        const name = parent.closest(".gives-way");
        const words = name?.textContent ?? node.data;
        const [front, end] = words.split("…");
        const whole = name?.title ?? "";
        /* Of a long word the parts that stand are whole: the sign stands where two of them meet. */
        const meets = (at) => /[_+.:]$/.test(whole.slice(0, at)) || /^[A-Z]/.test(whole.slice(at));
        const in_parts = end !== undefined && whole.startsWith(front) && whole.endsWith(end) && meets(front.length) && meets(whole.length - end.length);
        if (words.length < LONGEST && ((!in_parts && /[^\s/]…|…[^\s/]/.test(words)) || getComputedStyle(parent).textOverflow === "ellipsis")) found.push(`cut within a word: ${words}`);
        for (let box = parent; box !== document.body && places.length; box = box.parentElement) {
            const style = getComputedStyle(box);
            if (scrolls(style)) break;
            if (hides(style) && words.length < LONGEST && !places.every((place) => is_within(place, box.getBoundingClientRect()))) {
                found.push(`hidden in part: ${words}`);
                break;
            }
        }
    }
    return [...new Set(found)];
});

/** axe runs in the page's world by the debugger's hand, which the policy does not bind.  The pages load nothing
 * that it would have to fetch. */
export async function accessible(page, what, only = null) {
    if (!(await page.evaluate(() => !!window.axe))) await page.evaluate(axe);
    const { violations } = await page.evaluate((only) => window.axe.run(document, { resultTypes: ["violations"], preload: false, iframes: false, ...(only && { runOnly: only }) }), only);
    equal(`${what}: axe finds nothing`, violations.map((v) => [v.id, v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`)]), []);
}

/** The page as a screen reader reads it: role and name of what has both, in their order. */
export async function read_aloud(page, within) {
    const client = await page.context().newCDPSession(page);
    const { nodes } = await client.send("Accessibility.getFullAXTree");
    const by_id = new Map(nodes.map((node) => [node.nodeId, node]));
    const { node: dom } = await client.send("DOM.describeNode", { objectId: (await client.send("Runtime.evaluate", { expression: `document.querySelector(${JSON.stringify(within)})` })).result.objectId });
    const lines = [];
    const announce = (node) => {
        const [role, name] = [node.role?.value, node.name?.value?.trim()];
        const state = (node.properties ?? []).filter((p) => p.name === "expanded" || (["selected", "live", "checked", "pressed"].includes(p.name) && ![false, "false", "off"].includes(p.value.value))).map((p) => `${p.name} ${p.value.value}`);
        if (!node.ignored && role !== "InlineTextBox" && (name || state.length)) lines.push([role, name, ...state].filter(Boolean).join(" | "));
        for (const child of node.childIds) if (by_id.has(child)) announce(by_id.get(child));
    };
    announce(nodes.find((node) => node.backendDOMNodeId === dom.backendNodeId));
    await client.detach();
    return lines;
}

/** As the page shows it: names in a code font, without quotes. */
export const plain = (message) => message.replaceAll("`", "");
export const texts = (page, selector) => page.locator(selector).allTextContents();
export const hash_of = (page) => page.evaluate(() => decodeURIComponent(location.hash));
export const names_left = (page) => texts(page, "#rows .left .name");
