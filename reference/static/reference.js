// A table with filters shows the rows that have what is typed or chosen, and that are in the state that
// a link asks for; the address keeps it. A filter looks at a column, or at the whole row.
addEventListener("DOMContentLoaded", () => {
  const filters = document.querySelectorAll(".matrix-filter [name]");
  if (!filters.length) return;
  const rows = document.querySelectorAll(".matrix tbody tr");
  const count = document.getElementById("matrix-count");
  const state = new URL(location.href).searchParams.get("state") ?? "";
  const filter = () => {
    const address = new URL(location.href);
    const wanted = [...filters].map((each) => [each.value.trim().toLowerCase(), each]);
    for (const [text, each] of wanted) {
      if (text) address.searchParams.set(each.name, text);
      else address.searchParams.delete(each.name);
    }
    let shown = 0;
    for (const row of rows) {
      const fits = wanted.every(([text, each]) => {
        const cell = each.dataset.column ? row.cells[each.dataset.column] : row;
        return cell.textContent.toLowerCase().includes(text);
      });
      row.hidden = !fits || (state !== "" && row.dataset.state !== state);
      shown += !row.hidden;
    }
    count.textContent = `${shown} ${count.dataset.noun}${shown === 1 ? "" : "s"}`;
    history.replaceState(null, "", address);
    for (const link of document.querySelectorAll(".matrix-links a")) {
      if (link.search === address.search) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  const given = new URL(location.href).searchParams;
  for (const each of filters) {
    each.addEventListener("input", filter);
    each.value = given.get(each.name) ?? "";
  }
  filter();
});

// Long names in headings, and on a phone in tables of two columns, break between their words.
addEventListener("DOMContentLoaded", () => {
  const found = "article h1, article tr:not(:has(> :nth-child(3))) td .pre";
  for (const { firstChild: text } of document.querySelectorAll(found)) {
    if (!text?.data) continue;
    const parts = text.data.split(/(?<=\s)/).flatMap((word) =>
      word.length < 17 ? [word] : word.split(/(?<=[._])|(?<=[a-z])(?=[A-Z])/));
    text.replaceWith(...parts.flatMap((part) => [document.createElement("wbr"), part]).slice(1));
  }
});

// What is wider than the page can be scrolled with the keyboard, too, and fades where it goes on.
const fade = (each) => {
  const rest = each.scrollWidth - each.clientWidth - each.scrollLeft;
  each.classList.toggle("goes-on", rest > 2);
};
const reach = () => {
  for (const each of document.querySelectorAll(".picture img")) {
    // A drawing without a size of its own is as wide as the page, and wider than it says.
    const own = each.clientWidth > each.naturalWidth ? 576 : each.naturalWidth;
    each.style.minWidth = `${Math.min(own, 576)}px`;
  }
  for (const each of document.querySelectorAll(".table-wrapper, .highlight pre, .matrix, .picture")) {
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
    else each.removeAttribute("tabindex");
    each.onscroll = () => fade(each);
    fade(each);
  }
};
addEventListener("load", reach);
addEventListener("resize", reach);

// Pictures that are wide keep a size at which they can be read, and lead to their whole.
addEventListener("DOMContentLoaded", () => {
  for (const each of document.querySelectorAll("article img")) {
    const [box, link] = ["div", "a"].map((name) => document.createElement(name));
    box.className = "picture";
    link.href = each.src;
    each.replaceWith(box);
    box.append(link);
    link.append(each);
    each.addEventListener("load", reach);
  }
});

// The columns at the sides have names.
addEventListener("DOMContentLoaded", () => {
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "All pages");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "This page");
});

// The version of these pages leads to the same page of another one, or to its start page. Sites lie
// side by side in folders that are named after them; a site that is alone shows its version only.
addEventListener("DOMContentLoaded", () => {
  const shown = document.querySelector(".version");
  const root = new URL(document.documentElement.dataset.content_root, location.href);
  const own = shown?.textContent.trim();
  if (!shown || !root.pathname.endsWith(`/${own}/`)) return;
  const load = (address, then) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = script.onerror = then;
    document.head.append(script);
  };
  const go = (version) => {
    const there = new URL(`../${version}/`, root);
    const page = location.pathname.slice(root.pathname.length) || "index.html";
    window.sitePages = [];
    load(new URL("pages.js", there), () => {
      const same = window.sitePages.includes(decodeURIComponent(page));
      location.href = same ? new URL(page + location.search, there) : new URL("index.html", there);
    });
  };
  load(new URL("../versions.js", root), () => {
    const versions = window.siteVersions ?? [];
    if (!versions.some((each) => each !== own)) return;
    const list = document.createElement("select");
    list.ariaLabel = "Version of these pages";
    for (const each of versions) list.add(new Option(each, each, each === own, each === own));
    list.addEventListener("change", () => go(list.value));
    addEventListener("pageshow", () => { list.value = own; });
    shown.replaceChildren(list);
  });
});
