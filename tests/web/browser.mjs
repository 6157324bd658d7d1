/*
 * The page that opens files, by file:// in Chromium and Firefox:  node browser.mjs BINARY PAGE SHARED FOLDER TESTS [whole]
 *
 * Whatever it writes of dropped files is compared with what the program writes of them.  It may ask
 * for nothing: a request other than of the page itself is a failure, and so is a word to the console.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import puppeteer from "puppeteer-core";

const [binary, page_file, shared, folder, tests, whole] = process.argv.slice(2);
const fixtures = join(tests, "..", "fixtures");
const HANGS = 600000; // milliseconds: what comes comes sooner, on a machine however busy
let failures = 0;

function check(what, holds, detail = "") {
    console.log(`${holds ? "ok      " : "FAILED  "}${what}${holds ? "" : ` ${String(detail).slice(0, 600)}`}`);
    failures += !holds;
}

/* ------------------------------------------------------------------------- the inputs */

/** Pairs of model and engine, as users have them. */
function cases() {
    const own = [
        { name: "qat_block", files: ["model.onnx", "engine.graph.json", "profile.json"].map((name) => join(fixtures, "qat_block", name)) },
        { name: "build_log", files: [join(fixtures, "build_log", "build.log")] },
    ];
    const found = [];
    for (const [kind, most] of [["corpus", 100], ["zoo/cases", 20]]) {
        const root = join(shared, kind);
        if (!existsSync(root)) continue;
        for (const name of readdirSync(root).slice(0, 400)) {
            if (found.filter((one) => one.kind === kind).length >= most || !statSync(join(root, name)).isDirectory()) continue;
            const files = readdirSync(join(root, name));
            const engine = ["engine.graph.json", "build.log", "build.log.xz", "engine.names-only.json", "inspector.txt"].find((file) => files.includes(file));
            if (engine) found.push({ kind, name: `${kind}/${name}`, files: ["model.onnx", engine, "profile.json"].filter((file) => files.includes(file)).map((file) => join(root, name, file)) });
        }
    }
    return [...own, ...(whole ? found : found.filter((_, i) => i % 8 === 3))];
}

/** The program's words for the files of a case. @param {string[]} files */
function words_of(files) {
    const profile = files.filter((file) => basename(file).startsWith("profile"));
    return [...files.filter((file) => !profile.includes(file)).map((file) => basename(file)), ...profile.flatMap((file) => ["--profile", basename(file)])];
}

function program(files, args) {
    const { stdout, status, stderr } = spawnSync(binary, args, { cwd: dirname(files[0]), maxBuffer: 1 << 29, stdio: ["ignore", "pipe", "pipe"] });
    return { text: stdout.toString("utf8"), status, stderr: stderr.toString() };
}

/* ------------------------------------------------------------------------ the browsers */

const BROWSERS = { chrome: "/usr/bin/chromium", firefox: "/usr/bin/firefox-esr" };

async function launch(name) {
    return puppeteer.launch({ browser: name, executablePath: BROWSERS[name], headless: true, protocolTimeout: HANGS, timeout: HANGS, args: name === "chrome" ? ["--no-sandbox"] : [] });
}

/** A page that has been loaded, and what it has said and asked for. */
async function opened(browser) {
    const page = await browser.newPage();
    page.setDefaultTimeout(HANGS);
    const said = [];
    page.on("console", (m) => said.push(m.text()));
    page.on("pageerror", (e) => said.push(String(e)));
    page.on("request", (r) => /^(blob|data|about):/.test(r.url()) || r.url() === `file://${page_file}` || said.push(`asks for ${r.url()}`));
    await page.goto(`file://${page_file}`);
    await settled(page);
    return { page, said };
}

const settled = (page) => page.waitForFunction(() => document.documentElement.dataset.state !== "busy", { polling: 50 });
/** The report, when it shows its rows. */
async function frame_of(page) {
    const frame = await (await page.waitForSelector("iframe#report:not([hidden])")).contentFrame();
    await frame.waitForSelector("html[data-ready]");
    return frame;
}

const status_of = (page) => page.$eval("#status", (p) => p.textContent);

async function give(page, files) {
    const input = await page.$("#files");
    await page.evaluate(() => (document.documentElement.dataset.state = "busy"));
    await input.uploadFile(...files);
    await settled(page);
}

/** What is downloaded in a format: the page makes it a Blob. */
async function downloaded(page, format) {
    return page.evaluate(async (format) => {
        const make = URL.createObjectURL;
        const made = new Promise((done) => {
            URL.createObjectURL = (blob) => {
                done(blob);
                return make.call(URL, new Blob([]));
            };
        });
        document.getElementById("format").value = format;
        document.getElementById("download").click();
        const text = await (await made).text();
        URL.createObjectURL = make;
        return text;
    }, format);
}

/** A report's page without its drawings, of which another version of Graphviz makes others. */
function without_drawings(html) {
    return html.replace(/(id="data-pictures">)(.*?)(<\/script>)/s, (_, head, json, end) => head + JSON.stringify(JSON.parse(json).map(({ title, boxes, within, places }) => ({ title, boxes, within, places }))) + end);
}

/* -------------------------------------------------------------------------- the checks */

async function check_case(browser, name, { name: what, files }) {
    const { page, said } = await opened(browser);
    await give(page, files);
    const error = await status_of(page);
    const words = words_of(files);
    if (error) {
        const { status, stderr } = program(files, [...words, "-f", "json"]);
        check(`${name}: ${what}: refused as by the program`, status === 2 && stderr.includes(error.slice(0, 60)), `${error} | ${stderr}`);
    } else {
        for (const format of ["json", "text", "dot", "html"]) {
            const mine = await downloaded(page, format);
            const theirs = program(files, [...words, "-f", format]).text;
            const same = format === "html" ? without_drawings(mine) === without_drawings(theirs) : mine === theirs;
            check(`${name}: ${what}: ${format} is the program's`, same, `${mine.length} and ${theirs.length} characters, from ${[...mine].findIndex((c, i) => c !== theirs[i])}`);
        }
        const frame = await frame_of(page);
        check(`${name}: ${what}: the report is shown`, (await frame.$$("#rows .row")).length > 1);
        await check_drawing(frame, `${name}: ${what}`);
    }
    check(`${name}: ${what}: asks for nothing, says nothing`, !said.length, said.join("\n"));
    await page.close();
}

/** A picture is laid out when it is looked at, and so is that of a box that opens. */
async function check_drawing(frame, what) {
    if (!(await frame.$('#views a[href*="graph"]'))) return;
    await frame.evaluate(() => document.querySelector('#views a[href*="graph"]').click());
    const drawn = () => frame.waitForSelector(".stage svg > g", { timeout: HANGS });
    await drawn();
    check(`${what}: its picture is drawn`, (await frame.$$(".stage .box")).length > 0);
    const module = await frame.$(".modules nav a");
    if (!module) return;
    await frame.evaluate((a) => a.click(), module);
    await drawn();
    check(`${what}: and that of its first box`, (await frame.$$(".stage .box")).length > 0);
}

/** Two builds, a snapshot, lint, roles; a file dropped as a hand would. */
async function check_uses(browser, name) {
    const { page, said } = await opened(browser);
    const at = (...names) => join(fixtures, ...names);
    await give(page, [at("qat_block", "model.onnx"), at("qat_block", "engine.graph.json"), at("compare", "split.json")]);
    const subjects = () => page.$$eval("#subjects button", (all) => all.map((one) => one.textContent));
    check(`${name}: two engines can be compared`, (await subjects()).join() === "Report,Compare,Lint", await subjects());
    const press = async (text) => {
        await page.evaluate((text) => {
            document.documentElement.dataset.state = "busy";
            [...document.querySelectorAll("#subjects button")].find((one) => one.textContent === text).click();
        }, text);
        await settled(page);
    };
    await press("Compare");
    const theirs = spawnSync(binary, ["compare", "model.onnx,engine.graph.json", `model.onnx,${at("compare", "split.json")}`, "-f", "json"], { cwd: at("qat_block"), maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }).stdout.toString();
    check(`${name}: the comparison is the program's`, (await downloaded(page, "json")) === theirs.replaceAll(at("compare", "split.json"), "split.json"));
    await press("Lint");
    check(`${name}: lint`, JSON.parse(await downloaded(page, "json")).schema.startsWith("fusiondiff"), await status_of(page));
    await give(page, [at("gate", "before.fsd")]);
    check(`${name}: a snapshot can be checked against`, (await subjects()).includes("Check"), await subjects());
    await press("Check");
    check(`${name}: check`, "verdict" in JSON.parse(await downloaded(page, "json")), await status_of(page));
    check(`${name}: uses ask for nothing, say nothing`, !said.length, said.join("\n"));
    await page.close();
    const dropped = await opened(browser);
    const text = readFileSync(at("build_log", "build.log"), "utf8");
    await dropped.page.evaluate((text) => {
        document.documentElement.dataset.state = "busy";
        const data = new DataTransfer();
        data.items.add(new File([text], "build.log"));
        dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, text);
    await settled(dropped.page);
    check(`${name}: a log that is dropped makes a report`, dropped.page.frames().length > 1, await status_of(dropped.page));
    await dropped.page.close();
}

/** Names that would be markup, in a file's name, too. */
async function check_hostile(browser, name, pair) {
    const { page, said } = await opened(browser);
    const evil = join(folder, "<img src=x onerror=document.title='broken'>.onnx");
    copyFileSync(pair[0], evil);
    await give(page, [evil, pair[1]]);
    const frame = await frame_of(page);
    check(`${name}: hostile names run nothing`, !!frame && (await page.$$("img")).length === 0 && (await frame.$$("img")).length === 0 && (await page.title()) !== "broken" && (await frame.title()) !== "broken" && !said.length, `${await status_of(page)} ${said}`);
    await page.close();
}

/** Memory of all processes that the browser has started, in bytes. */
function memory_of(browser) {
    const root = browser.process().pid;
    const parents = new Map();
    let sum = 0;
    for (const pid of readdirSync("/proc").filter((one) => /^\d+$/.test(one)))
        try {
            parents.set(Number(pid), Number(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\) /s, "").split(" ")[1]));
        } catch {} // it has ended
    for (const pid of parents.keys()) {
        let up = pid;
        while (up > 1 && up !== root) up = parents.get(up) ?? 0;
        if (up === root)
            try {
                sum += 1024 * Number(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8").match(/^Pss:\s+(\d+)/m)[1]);
            } catch {}
    }
    return sum;
}

/** The most that it takes more than before, while something is done. */
async function most_memory(browser, act) {
    const before = memory_of(browser);
    let most = before;
    const timer = setInterval(() => (most = Math.max(most, memory_of(browser))), 100);
    await act();
    clearInterval(timer);
    return Math.max(most, memory_of(browser)) - before;
}

/** A model of 2 GB, nearly all of it weights: it is read in windows. */
async function check_sparse(browser, name, sparse) {
    const { page, said } = await opened(browser);
    const used = await most_memory(browser, () => give(page, [sparse]));
    check(`${name}: a model of ${(statSync(sparse).size / 1e9).toFixed(2)} GB takes less than 100 MB (${(used / 1e6).toFixed(0)} MB)`, used < 100e6, used);
    check(`${name}: and is reported`, (await status_of(page)) === "" && !said.length, `${await status_of(page)} ${said}`);
    await page.close();
}

/** A log of a long build, which the library keeps. */
async function check_long(browser, name, [long]) {
    const { page, said } = await opened(browser);
    const used = await most_memory(browser, () => give(page, [long]));
    const same = (await downloaded(page, "json")) === program([long], [basename(long), "-f", "json"]).text;
    check(`${name}: a log of ${(statSync(long).size / 1e6).toFixed(0)} MB is read as by the program`, same && (await status_of(page)) === "" && !said.length, `${await status_of(page)} ${said}`);
    check(`${name}: in less than twice its size (${(used / 1e6).toFixed(0)} MB)`, used < 2 * statSync(long).size, used);
    await page.close();
}

/** 10,000 layers. */
async function check_large(browser, name, pair) {
    const { page } = await opened(browser);
    const used = await most_memory(browser, () => give(page, pair));
    check(`${name}: 10,000 layers take less than 400 MB (${(used / 1e6).toFixed(0)} MB)`, used < 400e6, used);
    check(`${name}: and are reported`, (await status_of(page)) === "", await status_of(page));
    await page.close();
}

mkdirSync(folder, { recursive: true });
const inputs = (kind) => JSON.parse(execFileSync("/usr/bin/python3", ["-E", "-s", join(tests, "web", "inputs.py"), folder, kind], { encoding: "utf8" }));
for (const name of Object.keys(BROWSERS).filter((one) => !process.env.BROWSER || one === process.env.BROWSER)) {
    if (!existsSync(BROWSERS[name])) {
        console.log(`skipped: no ${BROWSERS[name]}, so the page was not opened in it`);
        continue;
    }
    const browser = await launch(name);
    for (const one of cases()) await check_case(browser, name, one);
    await check_uses(browser, name);
    await check_hostile(browser, name, inputs("hostile"));
    await check_sparse(browser, name, inputs("sparse")[0]);
    if (whole) await check_long(browser, name, inputs("long"));
    await check_large(browser, name, inputs("large"));
    await browser.close();
}
process.exit(failures ? 1 : 0);
