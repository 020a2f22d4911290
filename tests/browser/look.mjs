// Opens a page from disk in Debian's Chromium and does what it is told:
//   node look.mjs PAGE.html '{"viewport": {"width": 1280, "height": 900}, "scheme": "light", "steps": [["chart", "curve"], …]}'
// Prints JSON: what each step returned, console messages, requests, dialogs, and how long the page took to show its
// first chart.
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [path, instructions] = process.argv.slice(2);
const { viewport = { width: 1280, height: 900 }, scheme = 'light', steps } = JSON.parse(instructions);

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
const page = await (await browser.newContext({ viewport, colorScheme: scheme })).newPage();
const seen = { console: [], errors: [], requests: [], dialogs: 0 };
page.on('console', (message) => seen.console.push(`${message.type()}: ${message.text()}`));
page.on('pageerror', (error) => seen.errors.push(String(error)));
page.on('request', (request) => {
  if (!/^(data|blob):/.test(request.url())) seen.requests.push(request.url());
});
page.on('dialog', (dialog) => {
  ++seen.dialogs;
  dialog.dismiss();
});

// A chart is drawn when it comes near the window.
async function chart(id) {
  await page.locator(`#${id}`).scrollIntoViewIfNeeded();
  await page.waitForSelector(`#${id} svg.main-svg`);
  return page.evaluate((name) => {
    const { data, layout } = document.getElementById(name);
    const list = (values) => (values === undefined ? undefined : Array.from(values));
    return {
      traces: data.map(({ type, name: label, x, y, z, fill }) =>
        ({ type, name: label, fill, x: list(x), y: list(y), z: z && z.map(list) })),
      shapes: (layout.shapes ?? []).length,
      drawn: document.querySelectorAll(`#${CSS.escape(name)} .trace, #${CSS.escape(name)} .hm image`).length,
    };
  }, id);
}

// Every chart of the page, by its name.
async function charts() {
  const names = await page.evaluate(() => [...document.querySelectorAll('.chart')].map(({ id }) => id));
  const found = {};
  for (const name of names) found[name] = await chart(name);
  return found;
}

const actions = {
  chart,
  charts,
  text: (selector) => page.locator(selector).first().textContent(),
  // Sets a slider or a choice as a user would, with the events that follow.
  set: (id, value) => page.evaluate(([name, to]) => {
    const control = document.getElementById(name);
    control.value = to;
    control.dispatchEvent(new Event('input', { bubbles: true }));
    control.dispatchEvent(new Event('change', { bubbles: true }));
  }, [id, String(value)]),
  click: (selector) => page.locator(selector).first().click(),
  press: (key) => page.keyboard.press(key),
  evaluate: (expression) => page.evaluate(expression),
  screenshot: (file, fullPage = false) => page.screenshot({ path: file, fullPage }).then(() => null),
  pdf: (file) => page.pdf({ path: file, format: 'A4' }).then(() => null),
  wait: (milliseconds) => page.waitForTimeout(milliseconds),
};

const start = Date.now();
await page.goto(pathToFileURL(path).href);
await page.waitForSelector('html[data-ready]');
if (await page.locator('.chart').count() > 0) {
  await page.locator('.chart').first().scrollIntoViewIfNeeded();
  await page.waitForSelector('.chart svg.main-svg');
}
seen.seconds = (Date.now() - start) / 1000;
seen.steps = [];
for (const [name, ...values] of steps) seen.steps.push((await actions[name](...values)) ?? null);
await browser.close();
process.stdout.write(JSON.stringify(seen));
