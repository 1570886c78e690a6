// Every page and report in light and dark, wide and on a phone: no fault that axe, the content policy or the console knows,
// nothing asked of another place, complete without scripts, reachable by keyboard, and live through the death of a coordinator.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { LOOKS, expect, faults, inspect, launch, watched } from "./looking.mjs";
import { KINDS, SHOWN_NAME, coordinator, end, freePort, kill, runs, submit, view, worker } from "./programs.mjs";

const [program, path, pictures] = process.argv.slice(2);
const place = mkdtempSync(join(tmpdir(), "redqueen-browser-"));

/** The shape of an address: pages that differ in it alone look alike. */
const shape = (address, kinds) =>
  new URL(address).pathname.replace(/\/runs\/([^/]+)/, (_, id) => `/runs/${kinds.get(id) ?? "ID"}`).replace(/\/\d+/g, "/N") +
  [...new URL(address).searchParams.keys()].map((key) => `?${key}`).join("");

const SHOWN = /^text\/html/;

/** Visits every kind of page that can be reached from `start`; gives one address of each. */
const crawl = async (browser, home) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const kinds = new Map();
  const waiting = [`${home}/`];
  const seen = new Map();
  while (waiting.length > 0) {
    const address = waiting.shift();
    const key = shape(address, kinds);
    if (seen.has(key)) continue;
    const response = await context.request.get(address, { maxRedirects: 0 });
    if (response.status() === 303 || response.status() === 302) continue;
    const kept = /^attachment/.test(response.headers()["content-disposition"] ?? "");
    if (kept || !SHOWN.test(response.headers()["content-type"] ?? "")) {
      expect(response.ok(), `${address}: ${response.status()}`);
      seen.set(key, null);
      continue;
    }
    if (!expect(response.ok(), `${address}: ${response.status()}`)) continue;
    await page.goto(address);
    const run = new URL(address).pathname.match(/^\/runs\/([^/]+)$/);
    if (run) {
      const heading = await page.locator("h1").first().textContent();
      kinds.set(run[1], heading.trim().toLowerCase().replace(/[^a-z]+/g, "-").slice(0, 24));
    }
    seen.set(shape(address, kinds), address);
    const links = await page.$$eval("a[href]", (all) => all.map((link) => new URL(link.getAttribute("href"), document.baseURI).href));
    for (const link of links) {
      const url = new URL(link);
      url.hash = "";
      if (url.origin === home && !url.pathname.startsWith("/theme")) waiting.push(url.href);
    }
  }
  await context.close();
  return [...seen.values()].filter(Boolean);
};

const picture = (look, address) =>
  join(pictures, `${look}${new URL(address).pathname.replace(/[^A-Za-z0-9]+/g, "_").slice(0, 90)}${new URL(address).search.replace(/[^a-z]+/gi, "_").slice(0, 30)}.png`);

/** Every address in every look. */
const lookAt = async (browser, home, addresses) => {
  for (const look of LOOKS) {
    const context = await browser.newContext({ colorScheme: look.colorScheme, viewport: look.viewport, reducedMotion: "reduce" });
    let at = "";
    const page = await watched(context, home, () => at);
    for (const address of addresses) {
      at = `${look.name} ${address}`;
      await page.goto(address, { waitUntil: "load" });
      const found = await inspect(page, at);
      expect(found.elements <= 2500 || home === "file:", `${at}: ${found.elements} elements`);
      await page.screenshot({ path: picture(look.name, address), fullPage: true });
    }
    await context.close();
  }
};

/** Every address without scripts: the page has its heading and says as much as with them. */
const withoutScripts = async (browser, addresses) => {
  const [plain, full] = await Promise.all([browser.newContext({ javaScriptEnabled: false }), browser.newContext()]);
  const [without, within] = await Promise.all([plain.newPage(), full.newPage()]);
  for (const address of addresses) {
    // Tables that are being made come later; a page without scripts says so.
    await within.goto(address);
    await within.waitForFunction(() => !document.querySelector("main [data-again]"), null, { timeout: 20000 });
    await without.goto(address);
    expect((await without.locator("h1").count()) === 1, `without scripts ${address}: no heading`);
    const [rows, wanted] = await Promise.all([without, within].map((page) => page.locator("main tr").count()));
    expect(rows === wanted, `without scripts ${address}: ${rows} rows of tables instead of ${wanted}`);
  }
  await Promise.all([plain.close(), full.close()]);
};

/** Tab reaches every link, button and field of a page, and shows where it is. */
const byKeyboard = async (browser, address) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  const wanted = await page.evaluate(() => {
    const all = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")];
    const visible = all.filter((element) => element.checkVisibility() && !element.closest("details:not([open]) > :not(summary)"));
    visible.forEach((element, index) => (element.dataset.wanted = index));
    return visible.length;
  });
  const reached = new Set();
  for (let press = 0; press < wanted + 5; press += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      const style = getComputedStyle(element);
      return [element.dataset.wanted, style.outlineStyle !== "none" || style.boxShadow !== "none"];
    });
    if (at[0] !== undefined) {
      reached.add(at[0]);
      expect(at[1], `${address}: focus on element ${at[0]} does not show`);
    }
  }
  expect(reached.size === wanted, `${address}: the keyboard reaches ${reached.size} of ${wanted}`);
  await context.close();
};

/** Names as they are: nothing that a name says becomes a part of the page. */
const asText = async (browser, home, addresses) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  for (const address of addresses) {
    await page.goto(address);
    const strange = await page.evaluate(() => document.querySelectorAll("main img[src='x'], main script:not([type='application/json'])").length);
    expect(strange === 0, `${address}: ${strange} elements that a name has made`);
  }
  await context.close();
};

/** What a report's script offers: the rows with some words, and just those as CSV and as LaTeX. */
const tools = async (browser, reports) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() =>
    Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => (globalThis.copied = text) } }),
  );
  const table = page.locator(".table", { has: page.locator(".tools input") }).first();
  for (const report of reports) {
    await page.goto(report);
    if ((await table.count()) > 0) break;
  }
  const rows = table.locator("tbody tr:visible");
  const all = await rows.count();
  await rows.nth(2).evaluate((row) => (row.cells[0].textContent = '[one_of "these", 5 %'));
  await table.locator("input").fill("5 THESE");
  expect((await rows.count()) === 1, `tools: ${await rows.count()} of ${all} rows have two words of one`);
  for (const [form, lines, wanted] of [["CSV", 3, '\n"[one_of ""these"", 5 %",'], ["LaTeX", 9, '\n{}[one\\_of "these", 5 \\% & ']]) {
    await table.getByRole("button", { name: `Copy as ${form}` }).click();
    await page.waitForFunction((said) => document.querySelector(".tools [role=status]:not(:empty)")?.textContent === said, `copied as ${form}`);
    const copied = await page.evaluate(() => globalThis.copied);
    expect(copied.includes(wanted) && copied.split("\n").length === lines, `tools: as ${form}: ${copied}`);
  }
  await table.locator("input").fill("");
  expect((await rows.count()) === all && all > 5, `tools: ${await rows.count()} of ${all} rows are shown again`);
  await context.close();
};

/** A coordinator's pages: results show within a second, its death is said, and what follows it is shown again. */
const live = async (browser) => {
  const [port, http] = [await freePort(), await freePort()];
  const data = join(place, "data");
  const home = `http://127.0.0.1:${http}`;
  let server = await coordinator(program, data, port, http);
  await worker(program, port);
  const id = submit(program, port, place, 100000, 20000);
  const context = await browser.newContext();
  const page = await watched(context, home, () => "live");
  page.mayLose = true;
  await page.goto(`${home}/runs/${id}`);
  const stored = async () => {
    const shown = await page.locator(`span[data-key$=".stored"]`).first().textContent();
    return Number(shown.replace(/\D/g, ""));
  };
  const more = async (than, within) => {
    const until = Date.now() + within;
    while (Date.now() < until) {
      if ((await stored()) > than) return true;
      await page.waitForTimeout(50);
    }
    return false;
  };
  expect(await more(0, 20000), "live: no result is shown");
  expect(await more(await stored(), 2000), "live: results do not go on");
  await page.goto(`${home}/workers`);
  expect((await page.locator("main").textContent()).includes(SHOWN_NAME), "live: the worker's name is not shown as it is");
  await page.goto(`${home}/runs/${id}`);
  const before = await stored();
  await kill(server);
  await page.waitForFunction(() => /reconnecting|no answer/.test(document.getElementById("connection").textContent), null, { timeout: 20000 });
  server = await coordinator(program, data, port, http);
  await page.waitForFunction(() => document.getElementById("connection").textContent === "live", null, { timeout: 40000 });
  expect(await more(before, 30000), "live: nothing more is shown after the coordinator is back");
  const addresses = await crawl(browser, home);
  await context.close();
  await lookAt(browser, home, addresses);
  await withoutScripts(browser, addresses.filter((address) => !address.includes(id)));
  return addresses.length;
};

const main = async () => {
  const directories = runs(program, place);
  const browser = await launch(path);
  const home = await view(program, [join(place, "runs")]);
  const addresses = await crawl(browser, home);
  expect(addresses.length >= 20, `only ${addresses.length} kinds of pages were found`);
  await lookAt(browser, home, addresses);
  await withoutScripts(browser, addresses);
  await asText(browser, home, addresses);
  for (const address of addresses) await byKeyboard(browser, address);
  const reports = KINDS.map((kind) => pathToFileURL(join(directories[kind], "report.html")).href);
  await lookAt(browser, "file:", reports);
  await withoutScripts(browser, reports);
  await asText(browser, "file:", reports);
  await tools(browser, reports);
  for (const kind of KINDS) {
    const size = statSync(join(directories[kind], "report.html")).size;
    expect(size <= 1e6, `the report of ${kind} has ${size} bytes`);
  }
  const context = await browser.newContext();
  const page = await context.newPage();
  for (const [index, report] of reports.entries()) {
    await page.goto(report);
    await page.pdf({ path: join(pictures, `report-${KINDS[index]}.pdf`), preferCSSPageSize: true });
  }
  await context.close();
  const pages = await live(browser);
  await browser.close();
  console.log(`${addresses.length} pages of directories, ${pages} of a coordinator, ${reports.length} reports; pictures in ${pictures}`);
};

try {
  await main();
} catch (error) {
  faults.push(`${error.stack}`);
} finally {
  await end();
  rmSync(place, { recursive: true, force: true });
}
for (const fault of [...new Set(faults)]) console.error(fault);
console.log(faults.length === 0 ? "nothing is wrong" : `${new Set(faults).size} faults`);
process.exit(faults.length === 0 ? 0 : 1);
