// Looks at the finished site in a headless Chromium: node check.cjs HTML [PICTURES].
// Needs axe-core and puppeteer-core; CHROMIUM names the browser, if it is not found by itself.
"use strict";
const fs = require("fs");
const http = require("http");
const path = require("path");
const puppeteer = require("puppeteer-core");

const [html, pictures] = process.argv.slice(2);
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const { pages, searches, copied } = JSON.parse(fs.readFileSync(path.join(__dirname, "pages.json"), "utf8"));
const widths = [1400, 800, 390];
const themes = ["light", "dark"];
const types = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript",
  ".svg": "image/svg+xml", ".json": "application/json" };
const wrong = new Set();
const own = JSON.parse(fs.readFileSync(path.join(html, "versions.json"), "utf8")).versions[0];
const made = new Map(); // what the server has beside the files, by path

function tell(text) {
  if (!wrong.has(text)) console.log(text);
  wrong.add(text);
}

function chromium() {
  const found = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome"].find((each) => each && fs.existsSync(each));
  if (!found) throw new Error("no Chromium: name it in the environment variable CHROMIUM");
  return found;
}

function serve() {
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://x").pathname);
    if (made.has(name)) {
      response.writeHead(200, { "Content-Type": types[path.extname(name)] });
      response.end(made.get(name));
      return;
    }
    const file = path.join(html, path.normalize(name));
    fs.readFile(file, (error, content) => {
      response.writeHead(error ? 404 : 200, { "Content-Type": types[path.extname(file)] || "text/plain" });
      response.end(error ? "" : content);
    });
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

// What is looked at on every page, at each width: axe, whether it is wider than the window.
async function look(page, url, name, theme) {
  await page.goto(url, { waitUntil: name.startsWith("search") ? "networkidle0" : "load" });
  await page.evaluate(axe);
  for (const width of widths) {
    await page.setViewport({ width, height: 900 });
    await view(page, name, theme, width);
  }
}

async function view(page, name, theme, width) {
  const where = `${name} (${theme}, ${width} px)`;
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const far = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (far > 0) tell(`${where}: is ${far} px wider than the window`);
  const { violations } = await page.evaluate(() => axe.run(document));
  for (const each of violations) {
    const node = each.nodes[0];
    tell(`${where}: axe ${each.id}, ${each.nodes.length} times: ${node.target} ${node.html.slice(0, 150)} ${node.failureSummary.replace(/\s+/g, " ").slice(0, 200)}`);
  }
  if (!pictures) return;
  const file = `${name.replace(/\W+/g, "-")}-${theme}-${width}.png`;
  await page.screenshot({ path: path.join(pictures, file) });
}

// The matrix scrolls within its box; its first row and column stay; the filter hides rows.
async function scroll(page, url, width) {
  await page.goto(url, { waitUntil: "load" });
  const found = await page.evaluate(async () => {
    const box = document.querySelector(".matrix");
    const head = box.querySelector("thead th:nth-child(2)"), side = box.querySelector("tbody th");
    const before = [head.getBoundingClientRect().top, side.getBoundingClientRect().left];
    box.scrollTo(400, 900);
    await new Promise(requestAnimationFrame);
    const after = [head.getBoundingClientRect().top, side.getBoundingClientRect().left];
    const input = document.getElementById("matrix-filter");
    input.value = "ctcloss";
    input.dispatchEvent(new Event("input"));
    const shown = [...box.querySelectorAll("tbody tr")].filter((row) => !row.hidden);
    return { scrolled: [box.scrollLeft, box.scrollTop], page: [scrollX, scrollY], before, after,
      shown: shown.map((row) => row.cells[0].textContent) };
  });
  const stays = found.before.every((value, place) => Math.abs(value - found.after[place]) < 2);
  if (found.scrolled[0] < 100 || !stays || found.page[0] || found.page[1])
    tell(`matrix (${width} px): ${JSON.stringify(found)}`);
  if (!found.shown.length || !found.shown.every((name) => /ctcloss/i.test(name)))
    tell(`matrix (${width} px): the filter shows ${found.shown}`);
}

// The version in the header: alone it is text; else it leads to the same page, or the start page.
async function versions(page, site, width) {
  const start = `${site}/${own}/guide/install.html`;
  await page.goto(start, { waitUntil: "networkidle0" });
  const alone = await page.$eval(".version", (each) => [each.innerText.trim(), each.children.length]);
  const several = JSON.parse(fs.readFileSync(path.join(html, "versions.json"), "utf8")).versions.length > 1;
  if (!several && (alone[0] !== own || alone[1])) tell(`version (${width} px): ${alone} for ${own} alone`);
  const other = "99.0.0";
  made.set("/versions.js", `siteVersions = ["${other}", "${own}"];`);
  made.set(`/${other}/pages.js`, 'sitePages = ["index.html", "guide/install.html"];');
  for (const name of ["index", "guide/install"]) made.set(`/${other}/${name}.html`, `<title>${name}</title><link rel=icon href=data:,>`);
  for (const [from, to] of [["guide/install", "guide/install"], ["names/cudnnCreate", "index"], ["matrix", "index"]]) {
    await page.goto(`${site}/${own}/${from}.html`, { waitUntil: "networkidle0" });
    const shown = await page.$eval(".version select", (each) => each.value);
    await Promise.all([page.waitForNavigation(), page.select(".version select", other)]);
    if (shown !== own || page.url() !== `${site}/${other}/${to}.html`)
      tell(`version (${width} px): ${from} of ${shown} leads to ${page.url()}`);
  }
  made.clear();
}

// Read from files, without a server: the start page leads to a version, which shows which it is.
async function files(page) {
  await page.goto(`file://${path.resolve(html)}/index.html`, { waitUntil: "networkidle0" });
  await page.waitForFunction(() => document.querySelector(".version"));
  const shown = await page.$eval(".version", (each) => each.querySelector("select")?.value ?? each.innerText.trim());
  if (!page.url().endsWith(`/${shown}/index.html`)) tell(`a file: ${page.url()} shows version ${shown}`);
}

// A link to a part of the matrix shows that part.
async function parts(page, base) {
  for (const query of ["state=gone", "functions=rnn"]) {
    await page.goto(`${base}/matrix.html`, { waitUntil: "load" });
    await Promise.all([page.waitForNavigation(), page.click(`.matrix-links a[href$="${query}"]`)]);
    const shown = await page.$$eval(".matrix tbody tr:not([hidden])", (rows) =>
      rows.map((row) => `state=${row.dataset.state} functions=${row.cells[0].textContent.toLowerCase()}`));
    const [key, value] = query.split("=");
    if (!shown.length || !shown.every((row) => row.split(`${key}=`)[1].includes(value)))
      tell(`matrix.html?${query} shows ${shown.slice(0, 3)}`);
  }
}

// A button copies a block of code as it stands.
async function copy(page, base, name) {
  await page.goto(`${base}/${name}`, { waitUntil: "load" });
  await page.evaluate(() => document.addEventListener("copy", (event) => {
    window.copied = event.target.value ?? getSelection().toString();
  }, true));
  const code = await page.$eval("div.highlight pre", (each) => each.innerText.trim());
  await page.hover("div.highlight");
  await page.click("div.highlight button.copybtn");
  await new Promise((done) => setTimeout(done, 100));
  const copied = await page.evaluate(() => window.copied ?? "");
  if (copied.trim() !== code) tell(`${name}: the button copies ${JSON.stringify(copied.slice(0, 80))}`);
}

// What is typed into the box at the side leads to the page, which is among the first found.
async function search(page, base, words, target, among) {
  await page.goto(`${base}/guide/install.html`, { waitUntil: "load" });
  await page.type(".sidebar-search", words);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  await page.waitForFunction(() => document.querySelector("#search-results p.search-summary")?.textContent
    .match(/finished|found|did not match/));
  const hrefs = await page.$$eval("#search-results li a", (all) => all.slice(0, 10).map((a) => a.getAttribute("href")));
  const place = hrefs.findIndex((href) => href.split(/[?#]/)[0].endsWith(target));
  if (place < 0 || place >= among) tell(`search for ${words}: ${target} is no. ${place + 1} of ${hrefs}`);
}

async function main() {
  if (pictures) fs.mkdirSync(pictures, { recursive: true });
  const server = await serve();
  const site = `http://127.0.0.1:${server.address().port}`;
  const base = `${site}/${own}`;
  const browser = await puppeteer.launch({ executablePath: chromium(), args: ["--no-sandbox"],
    protocolTimeout: 600000 });
  const page = await browser.newPage();
  page.setDefaultTimeout(120000);  // for a machine that does other work, too
  page.on("pageerror", (error) => tell(`${page.url()}: ${error}`));
  page.on("requestfailed", (request) => tell(`${page.url()}: ${request.url()} failed`));
  page.on("request", (request) => {
    if (!request.url().startsWith(site) && !request.url().startsWith("file:") && !request.url().startsWith("data:"))
      tell(`${page.url()}: asks ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) tell(`${page.url()}: ${response.status()} for ${response.url()}`);
  });
  for (const theme of themes) {
    await page.evaluateOnNewDocument((name) => localStorage.setItem("theme", name), theme);
    for (const name of pages) await look(page, `${base}/${name}`, name, theme);
  }
  for (const width of widths) {
    await page.setViewport({ width, height: 900 });
    await scroll(page, `${base}/matrix.html`, width);
  }
  for (const width of widths) {
    await page.setViewport({ width, height: 900 });
    await versions(page, site, width);
  }
  await parts(page, base);
  await files(page);
  for (const name of copied) await copy(page, base, name);
  await page.setViewport({ width: 1400, height: 900 });
  for (const [words, target, among] of searches) await search(page, base, words, target, among);
  await browser.close();
  server.close();
  const looked = pages.length * themes.length * widths.length;
  console.log(`${looked} views of ${pages.length} pages and ${searches.length} searches: ${wrong.size} wrong`);
  process.exit(wrong.size ? 1 : 0);
}

main().catch((error) => { console.error(error); process.exit(2); });
