/* page.mjs PAGE: see bench/page. */
import { writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const TURNS = 5;
const [large] = process.argv.slice(2);
/* A page of the same height, with nothing on it. */
const empty = large.replace(/[^/]*$/, "empty.html");
writeFileSync(empty, '<!DOCTYPE html><title>empty</title><div id="rows" style="height:800px;overflow:auto"><div style="height:900000px"></div></div>');

/** Milliseconds until the page has run and been painted, and the 95th percentile of frames. */
async function measure(browser, path, ready) {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const start = performance.now();
    await page.goto(`file://${path}`);
    await page.waitForSelector(ready, { state: "attached" });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    const usable = performance.now() - start;
    const frames = await page.evaluate(async () => {
        const rows = document.getElementById("rows");
        const took = [];
        let last = await new Promise(requestAnimationFrame);
        for (let i = 0; i < 240; i++) {
            rows.scrollTop += 137;
            const now = await new Promise(requestAnimationFrame);
            took.push(now - last);
            last = now;
        }
        return took.sort((a, b) => a - b);
    });
    await page.close();
    return [usable, frames[Math.floor(frames.length * 0.95)]];
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const least = (pairs, i) => Math.min(...pairs.map((p) => p[i]));
await measure(browser, empty, "title"); /* the first page warms the browser */
const turns = { empty: [], large: [] };
for (let i = 0; i < TURNS; i++) {
    turns.empty.push(await measure(browser, empty, "title"));
    turns.large.push(await measure(browser, large, "html[data-ready]"));
}
await browser.close();
for (const [i, what] of ["until it can be used", "95th percentile of frames"].entries()) {
    const [a, b] = [least(turns.empty, i), least(turns.large, i)];
    console.log(`${what.padEnd(28)} ${b.toFixed(1).padStart(8)} ms, empty page ${a.toFixed(1).padStart(6)} ms: ${(b / a).toFixed(1)} times`);
}
