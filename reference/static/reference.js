// A table with filters shows the rows that have what is typed or chosen; the address keeps it. A filter
// looks at a column, or at the whole row.
addEventListener("DOMContentLoaded", () => {
  const filters = document.querySelectorAll(".matrix-filter [name]");
  if (!filters.length) return;
  const rows = document.querySelectorAll(".matrix tbody tr");
  const count = document.getElementById("matrix-count");
  const filter = () => {
    const address = new URL(location.href);
    const wanted = [...filters].map((each) => [each.value.trim().toLowerCase(), each]);
    for (const [text, each] of wanted) {
      if (text) address.searchParams.set(each.name, text);
      else address.searchParams.delete(each.name);
    }
    let shown = 0;
    for (const row of rows) {
      row.hidden = !wanted.every(([text, each]) => {
        const cell = each.dataset.column ? row.cells[each.dataset.column] : row;
        return cell.textContent.toLowerCase().includes(text);
      });
      shown += !row.hidden;
    }
    count.textContent = `${shown} ${count.dataset.noun}${shown === 1 ? "" : "s"}`;
    history.replaceState(null, "", address);
  };
  const given = new URL(location.href).searchParams;
  for (const each of filters) {
    each.addEventListener("input", filter);
    each.value = given.get(each.name) ?? "";
  }
  if ([...filters].some((each) => each.value)) filter();
});

// What is wider than the page can be scrolled with the keyboard, too.
const reach = () => {
  for (const each of document.querySelectorAll(".table-wrapper, .highlight pre")) {
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
    else each.removeAttribute("tabindex");
  }
};
addEventListener("load", reach);
addEventListener("resize", reach);

// The columns at the sides have names.
addEventListener("DOMContentLoaded", () => {
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "All pages");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "This page");
});
