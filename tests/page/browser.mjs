/*
 * What the page must do, in a real browser:  node browser.mjs BINARY PAGES
 *
 * No test looks at a clock: bench/page prints times.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { accessible, binary, browser, check, comes, cut_texts, document_of, equal, failures, folder, hash_of, led, names_left, open, path_of, plain, read_aloud, texts } from "./opened.mjs";

/** A command that a page names prints the same in a terminal, to the byte. */
function check_commands() {
    for (const name of ["run", "log", "compare", "matrix", "untimed", "strong", "scopes", "check", "exports", "lint", "linted", "hostile", "hostile_compare", "hostile_matrix"]) {
        const page = readFileSync(path_of(name), "utf8");
        const command = JSON.parse(page.match(/id="data-command">(.*)<\/script>/)[1]).page;
        const { stdout } = spawnSync("sh", ["-c", `fusiondiff() { "$0" "$@"; }\n${command} -f json`, binary], { encoding: "utf8", maxBuffer: 1 << 26 });
        check(`${name}: the command that it names shows it`, stdout === readFileSync(join(folder, `${name}.json`), "utf8"), command);
    }
}

/* -------------------------------------------------------------------------- a run */

async function check_rows(page) {
    const run = document_of("run");
    const layers = await texts(page, "#rows .right .index");
    equal("rows: every layer once, in the order of execution", layers, run.layers.map((l) => String(l.index)));
    const inserted = page.locator("#rows .row.added");
    equal("rows: an inserted layer is alone on the right", [await inserted.locator(".left .name").count(), await inserted.locator(".right .name").count()], [0, run.layers.filter((l) => l.inserted).length]);
    const gone = page.locator("#rows .row.removed");
    check("rows: a vanished node is alone on the left", (await gone.locator(".left .name").count()) > 0 && (await gone.locator(".right .name").count()) === 0);
    const dead = page.locator("#rows .row", { hasText: "Sigmoid_17" });
    check("rows: with its reason", (await dead.textContent()).includes("reaches no output of the model"));
    const conv = page.locator("#rows .row", { hasText: "Conv_13" }).first();
    check("rows: type and layout as chips", (await conv.locator(".right .chip").allTextContents()).includes("int8 chw32"));
    check("rows: milliseconds and bytes", /0\.\d+ ms/.test(await conv.textContent()) && (await conv.locator(".bar").count()) === 2);
    const rows = await page.locator("#rows").evaluate((grid) => ({ role: grid.getAttribute("role"), count: Number(grid.getAttribute("aria-rowcount")), rows: grid.querySelectorAll("[role=row]").length }));
    equal("rows: a treegrid that says how many it has", rows, { role: "treegrid", count: rows.rows, rows: rows.rows });
}

async function check_filters(page) {
    const run = document_of("run");
    await page.keyboard.press("/");
    await page.keyboard.type("relu_6");
    check("search: finds nodes by name", (await names_left(page)).includes("Relu_6") && !(await names_left(page)).includes("Sigmoid_17"));
    check("search: stands in the address", (await hash_of(page)).includes("q=relu_6"));
    await page.keyboard.press("Escape");
    await page.locator("#search").fill("reformatting copynode");
    equal("search: finds layers by name", (await texts(page, "#rows .right .index")).length, run.layers.filter((l) => l.name.toLowerCase().includes("reformatting copynode")).length);
    await page.locator("#search").fill("");
    await page.locator("#facets label", { hasText: "data movement" }).click();
    equal("filter: what moves data", await texts(page, "#rows .right .index"), run.layers.filter((l) => l.kind !== "noop" && l.cause !== "free" && (l.inserted || ["reformat", "quantize", "copy"].includes(l.kind))).map((l) => String(l.index)));
    check("filter: stands in the address", (await hash_of(page)).includes("show=data movement"));
    await led(page, () => page.goBack());
    check("filter: back takes it away", (await texts(page, "#rows .right .index")).length === run.layers.length);
    await led(page, () => page.goForward());
    check("filter: forward brings it again", (await texts(page, "#rows .right .index")).length < run.layers.length);
    await led(page, () => page.locator(".clear").click());
}

async function check_keys(page) {
    await page.locator("#rows").focus();
    await page.keyboard.press("Home");
    const current = () => page.locator("#rows .current").getAttribute("data-at");
    const first = await current();
    await page.keyboard.press("j");
    const second = await current();
    check("keys: j goes on", Number(second) > Number(first), `${first} ${second}`);
    await page.keyboard.press("k");
    equal("keys: k goes back", await current(), first);
    equal("keys: the current row is named", await page.locator("#rows").getAttribute("aria-activedescendant"), `row-${first}`);
    do await page.keyboard.press("j");
    while (!(await page.locator("#rows .current .right .name").count())); /* to a layer */
    await page.keyboard.press("Enter");
    check("keys: enter opens a record", await page.locator("#record").isVisible());
    await page.keyboard.press("Escape");
    check("keys: escape closes it", await page.locator("#record").isHidden());
    await page.keyboard.press("o"); /* into no record */
    await page.keyboard.press("?");
    check("keys: ? shows the keys", await page.locator("#help").isVisible());
    await accessible(page, "help");
    await page.keyboard.press("Escape");
    check("keys: escape closes that", await page.locator("#help").isHidden());
    const folded = page.locator("#rows .row[aria-expanded=false]").first();
    const before = await page.locator("#rows .left .name").count();
    await folded.locator(".opener").click();
    check("keys: a group unfolds", (await page.locator("#rows .left .name").count()) > before);
    await page.keyboard.press("ArrowLeft");
    equal("keys: left folds it", await page.locator("#rows .left .name").count(), before);
}

async function check_record(page) {
    const layer = document_of("run").layers[3];
    const shown_text = await page.locator("#record").innerText();
    for (const word of [layer.name, layer.tactic, "Conv_13", "name, tensor", "int8", "chw32", layer.inputs[0].format, "[1, 8, 8, 8]", "bias bytes"])
        check(`record: shows ${String(word).slice(0, 60)}`, shown_text.includes(word), shown_text.slice(0, 300));
    const codes = await texts(page, "#record pre");
    const [model, engine] = ["model", "engine"].map((side) => document_of("run")[side].path);
    const command = codes[codes.length - 1];
    const profile = command.match(/--profile (\S+)/)?.[1];
    equal("record: the command that shows the same", command, `fusiondiff explain ${model} ${engine} --profile ${profile} --peak 500,100 --layer 3`);
    const answer = execFileSync(binary, command.split(" ").slice(1)).toString();
    check("record: which runs, with all that the page knows", answer.startsWith("layer 3") && answer.includes(`${layer.ms.toFixed(4)} ms`), answer);
    const asked = layer.nodes.map((link) => document_of("run").nodes[link.index]).filter((n) => n.fate === "layer");
    const forms = ["list", "layerPrecisions", "layerOutputTypes", "nodes_to_exclude", "polygraphy", "modelopt, autocast", "nncf"];
    equal("record: forms to paste", await texts(page, "#record details summary"), forms);
    for (const [i, form] of forms.entries()) equal(`record: to paste as ${form}: what names says`, codes[i], names_as(form, model, engine, asked));
    await led(page, () => page.locator("#record a", { hasText: "Conv_13" }).first().click());
    check("record: leads to its nodes", (await hash_of(page)).includes("node=Conv_13"));
    await led(page, () => page.goBack());
    check("record: back leads to the layer", (await hash_of(page)).includes("layer=3"));
}

/** As the program prints them; of a form that stands for several, each prints the same. */
function names_as(form, model, engine, nodes) {
    const shown_text = form.split(", ").map((as) => execFileSync(binary, ["names", model, engine, ...nodes.map((n) => n.name || `#${n.index}`), "--as", as]).toString().split("\n#")[0].trimEnd());
    return shown_text.every((text) => text === shown_text[0]) ? shown_text[0] : shown_text;
}

/** A strongly typed builder takes all types from the model: no flag that sets one is offered. */
async function check_strong() {
    const { model, engine, layers, nodes } = document_of("strong");
    const layer = layers.find((l) => l.nodes.some((link) => nodes[link.index].fate === "layer" && nodes[link.index].name));
    await open("strong", `#layer=${layer.index}`, async (page) => {
        const forms = ["list", "nodes_to_exclude", "modelopt, autocast", "nncf"];
        const asked = layer.nodes.map((link) => nodes[link.index]).filter((n) => n.fate === "layer");
        equal("strong: forms to paste", await texts(page, "#record details summary"), forms);
        const codes = await texts(page, "#record pre");
        for (const [i, form] of forms.entries()) equal(`strong: to paste as ${form}: what names says`, codes[i], names_as(form, model.path, engine.path, asked));
    });
}

async function check_views(page) {
    await page.keyboard.press("2");
    check("graph: the drawing is there", (await page.locator(".stage .box").count()) > 20);
    equal("graph: what is chosen in the rows is chosen in it", await page.locator(".stage .chosen").getAttribute("data-box"), "l3");
    await page.locator('.stage [data-box="n18"]').dispatchEvent("click");
    check("graph: a click chooses", (await hash_of(page)).includes("node=GlobalAveragePool_18"));
    await page.keyboard.press("1");
    check("graph: and the rows show it", (await page.locator('#rows [aria-selected="true"]').first().textContent()).includes("GlobalAveragePool_18"));
    await page.keyboard.press("3");
    await accessible(page, "overview");
    check("overview: a roofline", (await page.locator("#overview .dot").count()) > 1 && (await page.locator("#overview .roof").count()) === 1);
    await led(page, () => page.locator("#overview .bars a", { hasText: "quantize" }).first().click());
    check("overview: a bar filters", (await hash_of(page)).includes("kind=quantize"));
    await led(page, () => page.locator(".clear").click());
    await page.keyboard.press("4");
    check("findings: each rule is shown", (await page.locator("#rules").innerText()).includes("quantize/standing"));
    const advice = (await page.locator("#rules details", { hasText: "quantize/standing" }).first().innerText()).replace(/\s+/g, " ");
    for (const word of ["why This layer reads", "fix Quantize every input", "add a Q/DQ pair on"]) check(`findings: ${word}`, advice.includes(word), advice);
    await accessible(page, "findings");
}

async function check_run() {
    await open("run", "", async (page) => {
        const moving = await page.evaluate(() => [...document.querySelectorAll("*")].filter((one) => [getComputedStyle(one).transitionDuration, getComputedStyle(one).animationDuration].some((time) => time !== "0s")).length);
        equal("reduced motion: nothing moves", moving, 0);
        equal("roles: of the page", await page.locator("header, nav, main, aside, [role=treegrid], [role=status]").evaluateAll((all) => [...new Set(all.map((one) => one.getAttribute("role") ?? one.localName))].sort()), ["aside", "header", "main", "nav", "status", "treegrid"]);
        const unnamed = await page.locator("button, input, nav, aside, [role=treegrid]").evaluateAll((all) => all.filter((one) => !(one.getAttribute("aria-label") || one.textContent || one.closest("label")?.textContent)).length);
        equal("roles: what can be used has a name", unnamed, 0);
    });
    for (const [width, colors] of [[1400, "light"], [700, "dark"]])
        await open("run", "#layer=3", async (page) => {
            await accessible(page, `rows, ${width} wide, ${colors}`);
            await led(page, () => page.goto(`file://${path_of("run")}#view=graph`));
            await accessible(page, `graph, ${width} wide, ${colors}`);
        }, { width, colors });
    await open("run", "", async (page) => {
        await check_rows(page);
        await check_filters(page);
        await check_keys(page);
    });
    await open("run", "#layer=3", async (page) => {
        equal("rows: no chip is cut beside a record", await page.locator("#rows .chips").evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)), []);
        await check_record(page);
        await check_views(page);
    });
    await open("run", "#layer=7", async (page) => {
        const [row, record] = [await page.locator('#rows [aria-selected="true"]').first().boundingBox(), await page.locator("#record").boundingBox()];
        check("narrow: the record covers no row that is chosen", row.y + row.height < record.y + 1, JSON.stringify([row, record]));
        check("narrow: nothing is wider than the window", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    }, { width: 700 });
    await open("run", "#node=Relu_7&fate=merged&q=relu", async (page) => {
        equal("link: search and filter", [await page.locator("#search").inputValue(), await names_left(page)], ["relu", ["Relu_7"]]);
        check("link: the record", (await page.locator("#record").innerText()).includes("computes the same value as another node"));
    });
    for (const [name, hash, words] of [["run", "#node=%2318", "GlobalAveragePool_18"], ["compare", "#node=Add_15", "Conv_13"]])
        await open(name, hash, async (page) => check(`link: ${name}${hash} marks the row that has the node`, (await page.locator('#rows [aria-selected="true"]').allTextContents()).join().includes(words)));
    await open("run", "#layer=99", async (page) => equal("link: to what is not there says so", await page.locator("#missing").textContent(), "This page has no layer 99."));
    await open("slower", "", async (page) => check("times: those of a run lead", /time of a run\s+0\.4920 ms\s+in layers 0\.2760 ms: compute 65\.2 %/i.test(await page.locator("#tiles").innerText()), await page.locator("#tiles").innerText()));
    await open("faster", "", async (page) => check("times: a comparison is of runs", /time of a run\s+-0\.0920 ms\s+-18\.7 %: 0\.4920 ms → 0\.4000 ms; in layers 0\.2760 ms → 0\.2760 ms/i.test(await page.locator("#tiles").innerText()), await page.locator("#tiles").innerText()));
    await open("log", "#layer=1", async (page) => {
        check("log: its title names one file", (await page.locator("#title").innerText()).trim() === "build.log");
        check("log: the story is shown", (await page.locator("#record li .topic").count()) > 0 && /log line \d+/.test(await page.locator("#record").innerText()));
    });
}

/* ------------------------------------------------------------------ read aloud, moved */

const of_role = (lines, role) => lines.filter((line) => line.startsWith(`${role} | `)).map((line) => line.slice(role.length + 3));

async function check_aloud() {
    await open("run", "#layer=3", async (page) => {
        const rows = await read_aloud(page, "#rows");
        equal("aloud: the rows are a treegrid", rows[0], "treegrid | Nodes and layers in the order of execution");
        equal("aloud: its columns", of_role(rows, "columnheader"), ["ONNX nodes", "what happened", "engine layers", "time"]);
        const shown_text = of_role(rows, "row");
        check("aloud: a row shows both sides, evidence in words", shown_text.some((row) => row.startsWith("#4 Conv_4 evidence: name, tensor unfold 1 CaskConvolution int8 → fp16 0.0640 ms") && row.endsWith("| expanded false")), shown_text.join("\n"));
        check("aloud: an inserted layer is said to be added", shown_text.some((row) => /^added \d+ Reformat /.test(row)), shown_text.join("\n"));
        check("aloud: what is chosen is selected", shown_text.filter((row) => row.includes("selected true")).length === 1 && shown_text.find((row) => row.includes("selected true")).includes("Conv_13"), shown_text.join("\n"));
        const record = await read_aloud(page, "#record");
        equal("aloud: the record has a name, a way out and heads in order", [record[0], of_role(record, "link")[0], ...of_role(record, "heading").slice(0, 3)], ["complementary | Details of the selection", "Close the details", "conv2.weight + QuantizeLinear_11 + Conv_13 + Add_15 + Relu_16", "What it is", "What it costs"]);
        await page.locator("#facets label", { hasText: "data movement" }).click();
        equal("aloud: how much a filter leaves, and nothing else", await read_aloud(page, "#shown"), ["status | live polite", "StaticText | 3 of 13 rows · 3 layers · 0.0960 ms (34.8 %) · 12.3 kB (42.5 %)"]);
        equal("aloud: a filter's box says how many it is of, and that it is set", of_role(await read_aloud(page, "#facets"), "checkbox").filter((box) => box.includes("checked")), ["data movement 3 layers | checked true"]);
        await page.locator("#rows").focus();
        await page.keyboard.press("?");
        const help = await read_aloud(page, "#help");
        equal("aloud: the dialog is named, and begins with its keys", [help[0], of_role(help, "term")[0], of_role(help, "button")], ["dialog | Keys", "j k", ["Close"]]);
    });
    await open("large", "", async (page) => {
        const order = () => page.locator("#rows .rows-body [role=row]").evaluateAll((all) => all.map((row) => Number(row.getAttribute("aria-rowindex"))));
        for (const by of [2000, 300, -120, -200]) {
            await page.locator("#rows").evaluate((grid, by) => (grid.scrollTop += by), by);
            await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
        }
        const found = await order();
        equal("aloud: rows are read in their order, however they came to sight", found, [...found].sort((a, b) => a - b));
    });
}

/** Each view of each subject, in both themes, which differ in colours alone. */
async function check_axe() {
    for (const name of ["run", "compare", "matrix", "check", "checks", "exports", "lint", "failed", "modules"])
        for (const colors of ["light", "dark"])
            await open(name, "", async (page) => {
                for (const view of await texts(page, "#views a")) {
                    await page.locator("#views a", { hasText: view }).click();
                    await comes(`${name}, ${colors}: ${view}`, async () => (await page.locator("#views [aria-current]").textContent()) === view);
                    await accessible(page, `${name}, ${colors}, ${view}`, colors === "dark" ? ["color-contrast"] : null);
                }
            }, { colors });
}

/** Pan, zoom and the way back, by wheel, keys, fingers and buttons. */
async function check_moves() {
    await open("run", "#view=graph", async (page) => {
        const box = () => page.locator('.stage [data-box="l1"]').boundingBox();
        const wide = (await box()).width;
        await page.keyboard.press("+");
        check("moves: the view's keys work at once", (await box()).width > wide);
        await page.keyboard.press("-");
        const whole = await page.locator(".stage").boundingBox();
        const first = await box();
        const at = { x: first.x + first.width / 2, y: first.y + first.height / 2 };
        /** Where in the box the pointer is: what stays below it. */
        const under = (b) => [(at.x - b.x) / b.width, (at.y - b.y) / b.height];
        await page.mouse.move(at.x, at.y);
        for (const delta of [-120, -60, 90]) {
            const before = await box();
            await page.mouse.wheel(0, delta);
            await comes(`moves: the wheel zooms ${delta < 0 ? "in" : "out"}`, async () => Math.sign((await box()).width - before.width) === -Math.sign(delta));
            const now = await box();
            const [[x, y], [was_x, was_y]] = [under(now), under(before)];
            check("moves: and keeps what is under the pointer, to a pixel", Math.abs(x - was_x) * now.width <= 1 && Math.abs(y - was_y) * now.height <= 1, `${[x, y, was_x, was_y]}`);
        }
        for (let i = 0; i < 6; i++) await page.keyboard.press("+");
        const [before, zoomed] = [await box(), (await box()).width];
        await page.keyboard.down("Shift");
        await page.mouse.wheel(0, 40);
        await page.keyboard.up("Shift");
        await comes("moves: with Shift the wheel moves it sideways", async () => Math.abs((await box()).x - (before.x - 40)) < 2 && Math.abs((await box()).width - zoomed) < 0.01);
        await page.mouse.move(whole.x + whole.width - 120, whole.y + whole.height - 20);
        await page.mouse.down();
        await page.mouse.move(whole.x + whole.width - 70, whole.y + whole.height - 60, { steps: 4 });
        await page.mouse.up();
        await comes("moves: dragging does", async () => Math.abs((await box()).x - (before.x + 10)) < 2 && Math.abs((await box()).y - (before.y - 40)) < 2);
        equal("moves: and chooses nothing", (await hash_of(page)), "#view=graph");
        await page.locator(".stage").focus();
        const kept = await box();
        for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]) await page.keyboard.press(key);
        equal("moves: arrows lead there and back", await box(), kept);
        await page.evaluate(() => {
            for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"])
                for (let i = 0; i < 200; i++) document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        });
        const [far, stage] = [await page.locator(".stage > svg > g").first().boundingBox(), await page.locator(".stage").boundingBox()];
        check("moves: however far, the drawing stays in the stage", far.x < stage.x + stage.width && far.y < stage.y + stage.height && far.x + far.width > stage.x && far.y + far.height > stage.y, JSON.stringify([far, stage]));
        check("moves: a map shows which part of it is seen", await page.locator(".map .sight").isVisible());
        const map = await page.locator(".map").boundingBox();
        const elsewhere = await box();
        await page.mouse.click(map.x + map.width / 2, map.y + map.height / 4);
        check("moves: a click on it leads there", JSON.stringify(await box()) !== JSON.stringify(elsewhere));
        equal("moves: and chooses nothing, either", await hash_of(page), "#view=graph");
        await page.keyboard.press("+");
        check("moves: plus zooms", (await box()).width > kept.width);
        await page.keyboard.press("0");
        const svg = await page.locator('.stage > svg > g').first().boundingBox();
        check("moves: then there is no map", await page.locator(".map").isHidden());
        check("moves: zero shows all of it", svg.x >= whole.x - 1 && svg.y >= whole.y - 1 && svg.x + svg.width <= whole.x + whole.width + 1 && svg.y + svg.height <= whole.y + whole.height + 1, JSON.stringify([svg, whole]));
        await page.getByRole("button", { name: "Zoom in" }).click();
        const nearer = await box();
        await page.getByRole("button", { name: "Fit: show all" }).click();
        check("moves: buttons do, too", (await box()).width < nearer.width);
        const client = await page.context().newCDPSession(page);
        const touch = (type, ...points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
        const [x, y] = [whole.x + whole.width / 2, whole.y + whole.height / 2];
        const small = await box();
        await touch("touchStart", [x, y]);
        await touch("touchStart", [x, y], [x + 40, y]);
        for (const apart of [60, 80, 120]) await touch("touchMove", [x, y], [x + apart, y]);
        await touch("touchEnd");
        await comes("moves: two fingers zoom", async () => Math.abs((await box()).width / small.width - 3) < 0.3);
    });
}

/** By keyboard alone: from the beginning of the page to a layer's details and back. */
async function check_walk() {
    for (const name of ["run", "compare", "exports"])
        await open(name, "", async (page) => {
            await page.locator("#title").click(); /* from the beginning of the page */
            let stops = 0;
            do await page.keyboard.press("Tab");
            while (++stops < 20 && !(await page.evaluate(() => document.activeElement.id === "rows")));
            check(`walk: ${name}: rows are reached in at most 5 Tabs`, stops <= 5, `${stops}`);
            await page.keyboard.press("Shift+Tab");
            const bar = await page.evaluate(() => document.activeElement.textContent);
            await page.keyboard.press("ArrowRight");
            check(`walk: ${name}: arrows go on within a group`, name === "exports" || (await page.evaluate(() => document.activeElement.textContent)) !== bar, bar);
        });
    await open("run", "", async (page) => {
        await page.keyboard.press("Home");
        await page.keyboard.press("Shift+ArrowDown");
        await page.keyboard.press("Shift+ArrowDown");
        const shown_text = await page.locator("#shown").textContent();
        check("walk: Shift and an arrow select rows, whose sum is shown", /^\d of \d+ rows selected · \d layers? · 0\.\d+ ms \(\d+\.\d %\)/.test(shown_text), shown_text);
        await page.keyboard.press("ArrowDown");
        check("walk: an arrow alone ends that", !(await page.locator("#shown").textContent()).includes("selected"));
        await page.keyboard.press("2");
        await page.keyboard.press("3");
        await page.keyboard.press("4");
        check("walk: digits lead to the views", await page.locator("#rules").isVisible());
        await page.keyboard.press("1");
        await page.keyboard.press("Enter");
        await page.keyboard.press("o");
        check("walk: into the details", await page.evaluate(() => document.activeElement.id === "record-title"));
        await page.keyboard.press("Escape");
        check("walk: and back to the rows", await page.evaluate(() => document.activeElement.id === "rows"));
    });
}

/** What to do comes first; what is copied is what a review is given. */
async function check_advice() {
    await open("run", "", async (page) => {
        const { brief } = document_of("run").summary;
        const shown_text = (await page.locator("#advice .todo").innerText()).replace(/\s+/g, " ");
        for (const { text } of brief.filter((line) => line.topic === "to do")) check(`advice: ${text.slice(0, 40)}`, shown_text.toLowerCase().includes(text.replace(/; `?fusiondiff .*/, "").replaceAll("`", "").toLowerCase()), shown_text); // names are code
        check("advice: stands before counts and rows", (await page.locator("#advice").boundingBox()).y < (await page.locator("#tiles").boundingBox()).y);
        await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
        const copied = async (button) => {
            await page.evaluate(() => navigator.clipboard.writeText(""));
            await button.click();
            await page.waitForFunction(() => navigator.clipboard.readText());
            return page.evaluate(() => navigator.clipboard.readText());
        };
        const summary = await copied(page.locator("#advice .todo > .copy"));
        for (const word of ["**What to do**", "| layers |", "`quantize/standing`", "```sh\nfusiondiff "]) check(`copy: the summary has ${word}`, summary.includes(word), summary);
        await page.locator("#facets label", { hasText: "data movement" }).click();
        const rows = await copied(page.locator("#bar-tools .copy"));
        check("copy: the rows that are shown, as a table", rows.includes("| ONNX nodes | engine layers | time | bytes |") && rows.split("\n").filter((line) => line.startsWith("| ")).length === 5, rows);
    });
    await open("check", "", async (page) => {
        const { accept } = document_of("check");
        check("advice: the verdict, and the command that accepts beside it", (await page.locator("#advice .accept .verdict").textContent()) === "failed" && (await page.locator("#advice .accept code").textContent()) === accept);
    });
    await open("run", "", async (page) => {
        const { nodes } = document_of("run");
        const folded = nodes.filter((n) => n.fate === "folded" && !n.layers.length && n.region === undefined).length;
        if (folded > 1) check("rows: what was folded has one row", (await names_left(page)).filter((name) => name.includes("folded at build time")).length === 1);
        const total = document_of("run").summary.ms.total;
        await page.keyboard.press("3");
        const shares = await page.locator("#overview .bars .number").allTextContents();
        check("overview: all shares are of the run's time", shares.every((text) => { const [ms, share] = text.split(/ms|%/).map(parseFloat); return Math.abs(share - (100 * ms) / total) < 0.1; }), shares.join("; "));
    });
    await open("run", "", async (page) => {
        const broken = await page.evaluate(() => {
            /** Words of which one part stands below the other, though no sign parts them. */
            const found = [];
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                if (!node.parentElement.getClientRects().length || node.parentElement.closest("script, style, pre, details:not([open]) > :not(summary)")) continue;
                for (const word of node.data.matchAll(/[A-Z]?[a-z]{2,}/g)) {
                    const range = document.createRange();
                    range.setStart(node, word.index);
                    range.setEnd(node, word.index + word[0].length);
                    if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) found.push(word[0]);
                }
            }
            return found;
        });
        equal("phone: no word is broken by letters", broken, []);
        check("phone: nothing is wider than the window", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    }, { width: 390 });
}

/** In no view and at no width a name is cut, or hidden in part. */
async function check_names() {
    for (const name of ["run", "log", "strong", "scopes", "blocks", "compare", "matrix", "check", "checks", "exports", "lint", "linted", "failed", "modules"])
        for (const width of [1400, 900, 390])
            await open(name, "", async (page) => {
                for (const view of await page.locator("#views a").all()) {
                    await view.click();
                    equal(`${name}, ${width} wide: ${await view.textContent()} cuts no name`, await cut_texts(page), []);
                }
            }, { width });
}

/** What a reader sees first: what costs most is current, counts agree, signs are explained, and nothing is meant for a terminal. */
async function check_first_sight() {
    for (const name of ["run", "log", "scopes"])
        await open(name, "", async (page) => {
            const { layers } = document_of(name);
            const most = (of) => layers.reduce((best, l) => (Number(l[of] ?? 0) > Number(best[of] ?? 0) ? l : best));
            const heaviest = layers.some((l) => l.ms) ? most("ms") : most("bytes");
            equal(`${name}: what costs most is current`, await page.locator("#rows .current .right .index").textContent(), String(heaviest.index));
            check(`${name}: and in sight`, await page.locator("#rows .current").isVisible());
            for (const [tile, facet] of [["data movement", "data movement"], ["findings", "findings"], ["higher precision", "higher precision than requested"]]) {
                const shown = await page.locator(".tile", { has: page.locator(`.tile-title:text-is("${tile}")`) }).locator(".tile-value").textContent();
                const counted = await page.locator("#facets label", { has: page.locator(`.value:text-is("${facet}")`) }).locator(".n").allTextContents();
                const nowhere = tile === "findings" ? document_of(name).findings.filter((f) => !f.layers.length && !f.nodes.length).length : 0;
                equal(`${name}: tile and filter count ${tile} alike`, parseInt(counted[0] ?? "0", 10) + nowhere, parseInt(shown, 10));
                if (nowhere) check(`${name}: the tile states what no row has`, (await page.locator(".tile-note", { hasText: `${nowhere} of the whole` }).count()) === 1);
            }
            const letters = new Set((await texts(page, "#rows .evidence")).join(""));
            equal(`${name}: the letters of evidence are explained`, [...letters].filter((letter) => !["m", "n", "l", "t", "p", "s"].includes(letter)), []);
            const legend = await texts(page, "#legend .evidence b");
            equal(`${name}: each of them below the rows`, [...letters].filter((letter) => !legend.includes(letter)), []);
            for (const view of ["1", "3"]) {
                await page.keyboard.press(view);
                const words = await page.locator("#advice, #tiles, #overview .faint, #legend").allInnerTexts();
                check(`${name}: no option of a command line is named`, !/(^|\s)--(?!inputIOFormats|outputIOFormats)[a-z]|fusiondiff [a-z]/.test(words.join("\n")), words.join("\n"));
            }
        });
    await open("run", "#view=graph", async (page) => {
        const beyond = await page.locator(".stage .box").evaluateAll((all) => all.flatMap((box) => {
            const shape = box.querySelector("path, polygon, ellipse").getBoundingClientRect();
            return [...box.querySelectorAll("text")].filter((text) => text.getBoundingClientRect().right > shape.right + 1 || text.getBoundingClientRect().left < shape.left - 1).map((text) => text.textContent);
        }));
        equal("graph: each text is in its box", beyond, []);
    });
    await open("run", "", async (page) => {
        const { y } = await page.locator("#rows").boundingBox();
        check("phone: the rows begin in the upper half", y < 340, String(y));
        await page.locator("#advice .todo summary").click();
        check("phone: what to do opens", await page.locator("#advice .todo ol").isVisible());
        await accessible(page, "run, on a phone");
    }, { width: 390 });
}

/** Two exports: a row for each node that changed, and both drawn side by side. */
async function check_exports() {
    await open("exports", "", async (page) => {
        const { changes } = document_of("exports");
        const shown_text = await page.locator("#rows").innerText();
        for (const c of changes) check(`exports: ${c.what} of ${c.new ?? c.old ?? c.of}`, [c.new, c.was, c.now].every((word) => !word || shown_text.includes(word)), shown_text);
        await accessible(page, "exports");
        await page.keyboard.press("2");
        check("exports: the drawing", (await page.locator(".stage .box").count()) > 2);
        const changed = changes.find((c) => c.new !== undefined && c.old !== undefined);
        await led(page, () => page.evaluate((name) => (location.hash = `view=graph&node=${encodeURIComponent(name)}`), changed.new));
        check("exports: what is chosen is chosen in it", (await page.locator(".stage .chosen").count()) === 1);
        await page.keyboard.press("4");
        check("exports: why and fix of each kind of change", /why\s+.*fix\s+/s.test(await page.locator("#rules").innerText()));
        await accessible(page, "exports, findings");
    });
}

/** The checks of a list: a row for each build, whose record has its command. */
async function check_checks() {
    const { builds, verdict } = document_of("checks");
    const failed = builds.find((b) => b.verdict === "failed");
    await open("checks", "", async (page) => {
        equal("checks: a row for each build", await names_left(page), builds.map((b) => b.name));
        equal("checks: the verdict of each", await texts(page, "#rows .left .chip"), builds.map((b) => b.verdict));
        check("checks: that of all", (await page.locator("#title .verdict").textContent()) === verdict);
        const advice = await page.locator("#advice li").allInnerTexts();
        equal("checks: what to do for each that did not pass", builds.filter((b) => b.verdict !== "passed").map((b) => b.name), advice.map((line) => line.split(": ")[0].trim()));
        for (const { error } of builds) if (error) check(`checks: why it could not be checked: ${error.message}`, advice.some((line) => line.includes(error.message)), String(advice));
        await page.locator("#rows .row.changed").first().click();
        const record = await page.locator("#record").innerText();
        for (const words of [...failed.check.findings.map((f) => plain(f.message)), ...failed.check.brief.map(({ text }) => plain(text)), failed.check.accept]) check(`checks: the record shows ${words.slice(0, 60)}`, plain(record).replace(/\s+/g, " ").includes(words.replace(/\s+/g, " ")), record);
        const { builds: commands } = await page.evaluate(() => JSON.parse(document.getElementById("data-command").textContent));
        check("checks: and the command of this check alone", record.includes(commands.find((one) => one.name === failed.name).command), record);
        await accessible(page, "checks, record");
        await page.keyboard.press("3");
        equal("checks: every finding, with its build", await page.locator("#rules li").count(), builds.flatMap((b) => b.check?.findings ?? []).length);
        await page.locator("#rules a").first().click();
        check("checks: which is a link", (await hash_of(page)).includes(`check=${failed.name}`), await hash_of(page));
    });
}

/* ---------------------------------------------------------------- two builds, a gate */

async function check_compare() {
    await open("compare", "", async (page) => {
        check("compare: begins with what changed", (await hash_of(page)).includes("show=changed"));
        const row = await page.locator("#rows .row.changed").first().evaluate((row) => [row, ...row.querySelectorAll(".name")].map((one) => one.title || one.textContent).join(" "));
        for (const word of ["fusion-lost", "widened", "Conv_13", "Add_15"]) check(`compare: the row shows ${word}`, row.includes(word), row);
        await page.locator("#rows .row.changed").first().click();
        const shown_text = await page.locator("#record").innerText();
        check("compare: the record shows times and inserted layers", shown_text.includes("0.1100 ms → 0.2200 ms (+0.1100 ms, 100.0 %)") && shown_text.includes("dtype+layout"), shown_text);
        const tables = Object.fromEntries(await page.locator("#record section:has(table)").evaluateAll((all) => all.map((one) => [one.querySelector("h3").textContent, [...one.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => cell.textContent))])));
        equal("compare: old and new values stand in one column", tables.Precisions, [["node", "before → after", "change"], ["Add_15", "int8 → fp16", "widened"], ["Relu_16", "int8 → fp16", "widened"]]);
        equal("compare: a column in which no row has anything is left out", tables["In the new build"]?.map((row) => row.length), [6, 6, 6]);
        await accessible(page, "compare");
        await page.keyboard.press("3");
        const steps = await texts(page, "#overview .value");
        equal("compare: the waterfall's ends and causes", [steps[0], steps[1], steps[steps.length - 1]], ["0.2300 ms", "+0.1100 ms", "0.3400 ms"]);
        await accessible(page, "compare, overview");
        await page.keyboard.press("2");
        check("compare: the drawing", (await page.locator(".stage .box").count()) > 2);
        equal("compare: what is chosen in the rows is chosen in it", await page.locator(".stage .chosen").count(), 1);
    });
    await open("check", "", async (page) => {
        const { rules, verdict } = document_of("check");
        const shown_text = await page.locator("#rules").innerText();
        check("check: the tiles have room for their figures", await page.locator(".tile-value").evaluateAll((all) => all.every((one) => one.scrollWidth <= one.clientWidth)));
        check("check: begins with the rules", await page.locator("#rules").isVisible());
        check("check: the verdict", (await page.locator("#title .verdict").textContent()) === verdict);
        for (const rule of rules) check(`check: ${rule.rule} with its budget`, shown_text.includes(rule.rule) && (!rule.budget || shown_text.includes(rule.budget)));
        await accessible(page, "check");
        await page.keyboard.press("2");
        check("check: what changed since the snapshot", (await page.locator("#rows .row.changed, #rows .row.added").count()) > 0);
    });
}

async function check_lint() {
    await open("lint", "", async (page) => {
        const { rules, verdict, edits, findings } = document_of("lint");
        const shown_text = await page.locator("#rules").innerText();
        check("lint: begins with the rules", await page.locator("#rules").isVisible());
        check("lint: the verdict", (await page.locator("#title .verdict").textContent()) === verdict);
        for (const { rule } of rules) check(`lint: ${rule} is shown`, shown_text.includes(rule));
        equal("lint: every finding", await page.locator("#rules li").count(), findings.length);
        check("lint: no drawing of what is not built", !(await page.locator("#views").innerText()).includes("Graph"));
        await accessible(page, "lint");
        await led(page, () => page.locator("#rules li a", { hasText: edits[0].node_name }).first().click());
        const record = await page.locator("#record").innerText();
        for (const word of ["What to change", edits[0].scale_of, edits[0].effect, plain(findings[edits[0].finding].message)]) check(`lint: the record shows ${word}`, record.includes(word), record);
        await page.keyboard.press("Escape");
        await page.keyboard.press("2");
        check("lint: the model's nodes, none missed", (await page.locator("#rows .left .name").first().isVisible()) && (await page.locator("#rows .alarm").count()) === 0);
        await accessible(page, "lint, rows");
    });
    await open("linted", "", async (page) => {
        const shown_text = await page.locator("#rules").innerText();
        for (const { message } of document_of("linted").findings.filter((f) => f.severity !== "info")) check(`lint of an engine: ${message}`, shown_text.includes(plain(message)));
        await page.keyboard.press("2");
        check("lint of an engine: its layers", (await page.locator("#rows .right .name").count()) > 3);
    });
}

/** A failed build: why, where and what to try, before the model's nodes, of which those that fail are marked. */
async function check_failed() {
    await open("failed", "", async (page) => {
        const { conclusion, class: is, nodes, tries, values, log } = document_of("failed");
        const tile = (title) => page.locator(".tile", { has: page.locator(`.tile-title:text-is("${title}")`) }).locator(".tile-value").textContent();
        check("failed: the verdict", (await page.locator("#title .verdict").textContent()) === "failed");
        check("failed: the title names the log", (await page.title()).includes(log.split("/").pop()), await page.title());
        const advice = (await page.locator("#advice").innerText()).replace(/\s+/g, " ");
        check("failed: the conclusion", advice.includes(plain(conclusion)), advice);
        equal("failed: its class, place and values", [await tile("class"), await tile("where"), await tile(values[0].what)], [is, nodes[0].name, values[0].value]);
        const steps = await page.locator("#advice .todo li").allInnerTexts();
        equal("failed: all that is to try, in order", steps.map((step, i) => step.includes(tries[i].text) && step.includes(tries[i].command ?? "")), tries.map(() => true));
        equal("failed: begins with the nodes that fail", await names_left(page), nodes.map((n) => n.name));
        equal("failed: which are marked", await texts(page, "#rows .left .alarm"), nodes.map(() => "fails"));
        await page.locator('#facets label[title="fails"]').click();
        check("failed: without the filter all are there", (await page.locator("#rows .left .name").count()) > nodes.length);
        check("failed: no drawing of what is not built", !(await page.locator("#views").innerText()).includes("Graph"));
    });
}

/* Several builds: each row and cell is what the JSON says, and so what the text shows. */
async function check_matrix() {
    const { rows, builds } = document_of("matrix");
    const differing = rows.filter((r) => r.differs);
    await open("matrix", "", async (page) => {
        equal("matrix: a column for each build", (await texts(page, "#rows-head .right")).map((head) => head[0]), builds.map((b) => b.build));
        equal("matrix: begins with what differs", await names_left(page), differing.map((r) => r.name));
        const marked = await page.locator("#rows .rows-body .row.first, #rows .rows-body .row.only").evaluateAll((all) => all.map((row) => [...row.querySelectorAll(".right")].map((cell) => cell.className.match(/is-(\w+)/)[1])));
        equal("matrix: what differs is marked", marked, differing.map((r) => r.cells.map((c) => c.is)));
        const cell = page.locator("#rows .rows-body .row").first().locator(".right").nth(1);
        for (const word of ["int8", "≠ groups", "0.2200 ms"]) check(`matrix: the cell shows ${word}`, (await cell.textContent()).includes(word), await cell.textContent());
        await accessible(page, "matrix");
        await page.locator('#facets label[title="B"]').click();
        equal("matrix: a filter by build", await names_left(page), differing.filter((r) => r.cells[1].is !== "same").map((r) => r.name));
        await led(page, () => page.goBack());
        await page.locator("#search").fill("globalaverage");
        await comes("matrix: search", async () => JSON.stringify(await names_left(page)) === '["GlobalAveragePool_18"]');
        await page.keyboard.press("Escape");
        await page.keyboard.press("Home");
        await page.keyboard.press("Enter");
        check("matrix: enter opens the row's record", (await hash_of(page)).includes(`row=${differing[0].row}`));
        const shown_text = await page.locator("#record").innerText();
        for (const c of differing[0].cells) for (const word of [c.what.split(" ")[0], ...c.by, ...c.groups.map((g) => g.tactic ?? g.precision), ...c.moves.map((m) => m.kind)]) check(`matrix: the record shows ${c.build} ${word.slice(0, 40)}`, shown_text.includes(word), shown_text.slice(0, 300));
        await accessible(page, "matrix, record");
        await page.keyboard.press("2");
        equal("matrix: a drawing for each build beside the first", (await page.locator(".crumbs").innerText()).match(/A and \w/g), builds.slice(1).map((b) => `A and ${b.build}`));
        equal("matrix: what is chosen in the rows is chosen in it", await page.locator(".stage .chosen").count(), 1);
        await led(page, () => page.locator(".crumbs a", { hasText: "A and C" }).click());
        check("matrix: another drawing", (await page.locator(".crumbs [aria-current]").textContent()) === "A and C");
        await page.locator('.stage [data-box="n1"]').dispatchEvent("click");
        const choice = (await hash_of(page)).match(/row=(\d+)/)?.[1];
        const drawn = await page.locator('.stage [data-box="n1"]').textContent();
        check("matrix: a box leads to its row", rows.find((r) => String(r.row) === choice)?.cells[2].groups.some((g) => g.nodes.some((name) => drawn.includes(name))), `${choice} ${drawn}`);
        await page.keyboard.press("3");
        const overview = await page.locator("#overview").innerText();
        for (const b of builds) check(`matrix: the overview shows ${b.build}`, overview.includes(b.engine) && overview.includes(String(b.layers)));
        await accessible(page, "matrix, overview");
    });
    await open("matrix", "#", async (page) => {
        await page.emulateMedia({ media: "print" });
        await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
        const beyond = await page.locator("#rows .right").evaluateAll((all) => all.filter((cell) => cell.getBoundingClientRect().right > innerWidth).length);
        equal("matrix: all builds are on paper", beyond, 0);
    }, { width: 700 });
    await open("matrix", "#node=Add_15", async (page) => check("matrix: a link to a node", (await page.locator("#record").innerText()).includes("Conv_13 + Add_15 + Relu_16")), { width: 700, colors: "dark" });
    await open("untimed", "", async (page) => accessible(page, "compare without times"));
}

/* Operators and modules, which the views also list. */
async function check_scopes() {
    for (const name of ["blocks", "scopes"])
        await open(name, "#view=overview", async (page) => {
            const { model, engine } = document_of(name);
            const profile = name === "scopes" ? ["--profile", join(engine.path, "..", "profile.json")] : [];
            const { scopes } = JSON.parse(execFileSync(binary, ["scopes", model.path, engine.path, ...profile, "-f", "json"]));
            await page.locator("#facets summary", { hasText: /^Module$/ }).click();
            for (const more of await page.locator("#facets details[open] .more").all()) await more.click();
            const facets = await texts(page, "#facets details:has(summary:text-is('Module')) .value");
            equal(`${name}: the modules that scopes shows`, facets.sort(), scopes.map((m) => m.name || "(none)").sort());
            const card = page.locator("#overview .card", { has: page.locator("h3", { hasText: /^Module/ }) });
            const bars = Object.fromEntries(await card.locator("a").evaluateAll((all) => all.map((a) => [a.title, a.querySelector(".number").textContent])));
            if (name === "scopes")
                for (const m of scopes.filter((one) => one.name && bars[one.name]))
                    check(`scopes: as much time in ${m.name}`, Math.abs(parseFloat(bars[m.name]) - m.ms - m.reformat_ms) < 0.0001, `${bars[m.name]}, not ${m.ms}`);
        });
    await open("compare", "#op=Gemm&op=MatMul", async (page) => {
        const found = document_of("compare").regions.filter((r) => r.new.some((g) => g.nodes.some((n) => /^(Gemm|MatMul)/.test(n))));
        check("compare: a filter by operator", found.length > 0 && (await names_left(page)).length === found.reduce((n, r) => n + r.old.length, 0), JSON.stringify(await names_left(page)));
    });
}

/** Source, nodes and layers: what is pointed at or chosen on one side is lit on the others. */
async function check_source() {
    await open("blocks", "#view=source", async (page) => {
        const { nodes } = document_of("blocks");
        const line_of = (n) => n.source?.replace(/, line (\d+)(: .*)?$/s, ":$1");
        const lines = [...new Set(nodes.map(line_of).filter(Boolean))];
        equal("source: a row for each line that has nodes", (await page.locator("[data-key^='source ']").evaluateAll((all) => all.map((one) => one.dataset.key.slice(7)))).sort(), lines.sort());
        const lit = () => page.locator("#source .lit").evaluateAll((all) => all.map((one) => one.dataset.key).sort());
        const around = (of) => [...new Set(of.flatMap((n) => [`node ${n.name}`, ...n.layers.map((i) => `layer ${i}`), ...(line_of(n) ? [`source ${line_of(n)}`] : [])]))].sort();
        const line = lines.find((one) => nodes.some((n) => line_of(n) === one && n.layers.length));
        await page.locator(`[data-key="source ${line}"]`).hover();
        const wanted = around(nodes.filter((n) => line_of(n) === line));
        equal("source: pointing at a line lights its nodes and their layers", await lit(), wanted);
        const layer = wanted.find((key) => key.startsWith("layer ")).slice(6);
        await led(page, () => page.locator(`[data-key="layer ${layer}"]`).click());
        await page.mouse.move(2, 2);
        await comes("source: choosing a layer lights its nodes and their lines", async () => JSON.stringify(await lit()) === JSON.stringify([...new Set([`layer ${layer}`, ...around(nodes.filter((n) => n.layers.includes(Number(layer))))])].sort()));
        check("source: and opens its record", (await page.locator("#record").innerText()).includes(`layer ${layer}`));
        await led(page, () => page.locator(`[data-key="source ${line}"]`).click());
        check("source: the record of a line has its nodes", (await texts(page, "#record td a")).length >= wanted.filter((key) => key.startsWith("node ")).length);
        const [file, number] = line.split(":");
        const text = Array.from({ length: Number(number) + 2 }, (_, i) => `line ${i + 1} <img src=x>`).join("\n");
        await page.locator("#source-files").setInputFiles({ name: file, mimeType: "text/x-python", buffer: Buffer.from(text) });
        await comes("source: a file that is opened is shown whole", async () => (await page.locator("#source").innerText()).includes(`line ${Number(number) + 2} <img src=x>`));
        check("source: as text", (await page.locator("#source img").count()) === 0);
        await accessible(page, "source");
        await led(page, () => page.goto(`file://${path_of("blocks")}#view=overview&source=${line}`));
    });
    await open("run", "", async (page) => equal("source: no view where nothing states it", (await texts(page, "#views a")).includes("Source"), false));
}

async function check_modules() {
    await open("modules", "#view=graph", async (page) => {
        const pictures = await page.evaluate(() => JSON.parse(document.getElementById("data-pictures").textContent));
        check("modules: a large drawing is of modules", pictures.length > 2 && pictures[0].note.includes("too large"));
        const [box, opened] = Object.entries(pictures[0].opens)[0];
        await page.locator(`.stage [data-box="${box}"]`).first().dispatchEvent("click");
        check("modules: a click on a box opens it", (await hash_of(page)).includes(`picture=${opened}`) && (await page.locator(".crumbs [aria-current]").textContent()) === pictures[opened].title);
        const layer = pictures[0].boxes[box][0];
        check("modules: what is in it is drawn", (await page.locator(".stage .box").count()) > 2);
        await accessible(page, "modules");
        await led(page, () => page.locator(".crumbs a").click());
        check("modules: and the way back", !(await hash_of(page)).includes("picture="));
        await led(page, () => page.goto(`file://${path_of("modules")}#view=graph&layer=${box[0] === "l" ? layer : 0}`));
        check("modules: of what is chosen the box that holds it is marked", (await page.locator(".stage .chosen").count()) === 1);
    });
}

/* Where what is in a box was not drawn in time, the box leads to rows, and the drawing says so. */
async function check_late() {
    await open("late", "#view=graph", async (page) => {
        const pictures = await page.evaluate(() => JSON.parse(document.getElementById("data-pictures").textContent));
        const [box] = Object.entries(pictures[0].opens).find(([name, opened]) => name[0] === "l" && !pictures[opened].svg);
        const missing = pictures.filter((p) => p.within === 0 && !p.svg).length;
        check("late: how many are missing is said", (await page.locator("#graph .note").allTextContents()).some((text) => text.startsWith(`${missing} drawing`)), String(missing));
        await page.locator(`.stage [data-box="${box}"]`).first().dispatchEvent("click");
        await comes("late: a box without a drawing leads to its rows", async () => (await hash_of(page)).includes("layer=") && !(await hash_of(page)).includes("picture="));
        await accessible(page, "late");
    });
}

/* What is in a box of thousands of layers is drawn as boxes again, and takes little of the page. */
async function check_levels() {
    const [page_size, json_size] = ["html", "json"].map((ending) => statSync(join(folder, `levels.${ending}`)).size);
    check("levels: drawings are less than the data", page_size <= 2 * json_size, `${page_size} of ${json_size}`);
    await open("levels", "#view=graph", async (page) => {
        const pictures = await page.evaluate(() => JSON.parse(document.getElementById("data-pictures").textContent));
        const first = pictures[0].opens.l0;
        check("levels: a box opens, and so do those in it", Object.keys(pictures[first].opens ?? {}).length > 10, JSON.stringify(pictures[first].opens));
        await page.locator('.stage [data-box="l0"]').first().dispatchEvent("click");
        await comes("levels: the first", async () => (await hash_of(page)).includes(`picture=${first}`));
        await page.locator('.stage [data-box="l0"]').first().dispatchEvent("click");
        await comes("levels: the second", async () => (await page.locator(".crumbs a").count()) === 2);
    });
}

/* ------------------------------------------------------------------ without Graphviz */

/** All but the drawings is there, and the page says why they are not. */
async function check_plain() {
    for (const name of ["plain_run", "plain_compare", "plain_matrix"]) {
        if (!existsSync(path_of(name))) return console.log("skipped: no program without Graphviz was built, so no page of it was opened");
        await open(name, "#view=graph", async (page) => {
            check(`${name}: says why there is no drawing`, /built without Graphviz/.test(await page.locator("#graph .note").textContent()) && (await page.locator(".stage").isHidden()));
            equal(`${name}: offers nothing to zoom`, await page.locator("#graph button").count(), 0);
            await accessible(page, name);
            await page.keyboard.press("1");
            await page.locator("#rows .rows-body .right").first().click();
            check(`${name}: has its rows and records`, await page.locator("#record h2").isVisible());
        });
    }
}

/* ------------------------------------------------------------------ hostile, and large */

async function check_hostile() {
    await open("hostile", "", async (page) => {
        check("hostile: no name became an element", (await page.locator("script:not([id^=data-])").count()) === 1 && (await page.locator("img").count()) === 0 && !(await page.title()).includes("broken"));
        await page.keyboard.press("Control+End");
        const shown_text = (await page.locator("#rows").innerText()).replaceAll("\u00a0", " ");
        for (const shown of ["</script><script>", 'quote " and \'', "\\u{202e}rtl\\u{200b}", "bell\\u{7} esc", "emoji \u{1f600}", "\\u{2028}", "日本語の名前"]) check(`hostile: shows ${shown}`, shown_text.includes(shown));
        const long = await page.locator("#rows .name", { hasText: "xxxx" }).first();
        check("hostile: a long name is shortened", (await long.textContent()).length < 200);
        await long.click();
        check("hostile: and whole in its record", (await page.locator("#record h2").textContent()).length === 20000);
        await accessible(page, "hostile");
    });
}

/** Of two builds of the hostile model, and of three. */
async function check_hostile_builds() {
    for (const name of ["hostile_compare", "hostile_matrix"])
        await open(name, "#", async (page) => {
            check(`${name}: no name became an element`, (await page.locator("script:not([id^=data-])").count()) === 1 && (await page.locator("img").count()) === 0 && !(await page.title()).includes("broken"));
            const shown_text = (await page.locator("#rows").innerText()).replaceAll("\u00a0", " ");
            for (const shown of ["</script><script>", "\\u{202e}rtl\\u{200b}", "bell\\u{7} esc"]) check(`${name}: shows ${shown}`, shown_text.includes(shown), shown_text.slice(0, 400));
            await page.locator("#rows .rows-body .right").first().click();
            check(`${name}: has a record`, await page.locator("#record h2").isVisible());
            await accessible(page, name);
        });
}

async function check_large() {
    const [page_size, json_size] = ["html", "json"].map((ending) => statSync(join(folder, `large.${ending}`)).size);
    check("large: at most 1.2 times its JSON", page_size <= 1.2 * json_size, `${page_size} of ${json_size}`);
    await open("large", "#layer=9000", async (page) => {
        check("large: a link leads deep into it", await page.locator('#rows [aria-selected="true"]').first().isVisible());
        const head = await page.locator("#rows-head").boundingBox();
        const grid = await page.locator("#rows").boundingBox();
        check("large: the heads of columns stay in sight", Math.abs(head.y - grid.y) < 2, `${head.y} ${grid.y}`);
        check("large: only what is in sight is in the document", (await page.locator("#rows [role=row]").count()) < 120);
        const [count, layers] = [await page.locator("#rows").getAttribute("aria-rowcount"), document_of("large").layers.length];
        check("large: and the rest is counted", Number(count) > layers, count);
        await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
        const printed = await page.locator("#rows .rows-body [role=row]").count();
        const left = (await page.locator("#diff > .note").textContent()).match(/[\d,]+/g).map((n) => Number(n.replaceAll(",", "")));
        equal("large: paper shows what it leaves out", [left[0] + printed, left[1], await page.locator("#diff > .note").isVisible()], [Number(count) - 1, Number(count) - 1, true]);
        equal("large: and has no empty pages", await page.locator("#rows .rows-body").evaluate((body) => body.getBoundingClientRect().height), printed * 28);
        await page.evaluate(() => dispatchEvent(new Event("afterprint")));
        check("large: which the screen does not", (await page.locator("#diff > .note").isHidden()) && (await page.locator("#rows [role=row]").count()) < 120);
        await led(page, () => page.goto(`file://${path_of("large")}#view=graph`));
        const pictures = await page.evaluate(() => JSON.parse(document.getElementById("data-pictures").textContent));
        const boxes = Object.keys(pictures[0].boxes).filter((box) => box.startsWith("l"));
        equal("large: each box of the whole opens", boxes.map((box) => !!pictures[pictures[0].opens[box]]?.svg), boxes.map(() => true));
        await page.locator('.stage [data-box="l0"]').first().dispatchEvent("click");
        await comes("large: a box is opened", async () => (await page.locator(".crumbs [aria-current]").textContent()) === pictures[pictures[0].opens.l0].title);
        await page.keyboard.press("1");
        await page.locator("#rows").focus();
        await page.keyboard.press("End");
        equal("large: end leads to the last row", await page.locator("#rows .current").getAttribute("aria-rowindex"), count);
    });
}

/* Each check has pages of its own, so that two of them run at once; the longest begin. */
const checks = [
    check_axe, check_run, check_matrix, check_large, check_compare, check_moves, check_lint, check_modules, check_hostile_builds, check_aloud,
    check_walk, check_names, check_first_sight, check_source, check_exports, check_failed, check_checks, check_late, check_advice, check_hostile, check_scopes, check_levels, check_strong, check_plain, check_commands,
];
const lane = async () => {
    for (let check = checks.shift(); check; check = checks.shift()) await check();
};
await Promise.all([lane(), lane()]);
await browser.close();
process.exit(failures ? 1 : 0);
