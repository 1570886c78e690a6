// A browser that notes what must not happen on a page: errors, foreign requests, breaches of the content policy.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Faults found so far, a line each. */
export const faults = [];

/** Notes a fault unless `holds`. */
export const expect = (holds, text) => {
  if (!holds) faults.push(text);
  return holds;
};

/** The browser, without networking of its own. */
export const launch = (path) =>
  chromium.launch({
    executablePath: path,
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"],
  });

/** Looks: colours and widths in which every page is shown. */
export const LOOKS = ["light", "dark"].flatMap((colorScheme) =>
  [1280, 360].map((width) => ({ colorScheme, viewport: { width, height: 900 }, name: `${colorScheme}-${width}` })),
);

/** A page that watches itself; `home` is the only origin it may ask. */
export const watched = async (context, home, label) => {
  const page = await context.newPage();
  await page.addInitScript(() => {
    globalThis.breaches = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      globalThis.breaches.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    );
  });
  page.on("console", (message) => {
    const away = /net::ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET)/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !(away && page.mayLose)) {
      faults.push(`${label()}: console: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => faults.push(`${label()}: ${error}`));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    expect(origin === home || protocol === "data:" || (home === "file:" && protocol === "file:"), `${label()}: asks ${request.url()}`);
  });
  return page;
};

/** Faults of the page as it stands: axe, policy, width, names that are used twice. */
export const inspect = async (page, where) => {
  const found = await page.evaluate(() => {
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    return {
      breaches: globalThis.breaches ?? [],
      width: document.scrollingElement.scrollWidth - window.innerWidth,
      doubled: ids.filter((id, index) => ids.indexOf(id) !== index),
      styled: document.querySelectorAll("[style]:not(svg *)").length,
      elements: document.querySelectorAll("*").length,
      scripts: [...document.scripts].filter((script) => script.type !== "application/json").length,
    };
  });
  for (const breach of found.breaches) faults.push(`${where}: content policy: ${breach}`);
  expect(found.width <= 0, `${where}: ${found.width} pixels wider than the window`);
  expect(found.doubled.length === 0, `${where}: ids used twice: ${found.doubled.join(" ")}`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate((values) => globalThis.axe.run(document, { runOnly: { type: "tag", values } }), RULES);
  for (const violation of violations) {
    const nodes = violation.nodes.slice(0, 3).map((node) => node.html.slice(0, 160));
    faults.push(`${where}: axe ${violation.id}: ${violation.help}: ${nodes.join(" | ")}`);
  }
  return found;
};
