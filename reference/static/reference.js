// The matrix shows the rows whose function has the typed text in its name; the address keeps it.
addEventListener("DOMContentLoaded", () => {
  const input = document.getElementById("matrix-filter");
  if (!input) return;
  const rows = document.querySelectorAll(".matrix tbody tr");
  const count = document.getElementById("matrix-count");
  const filter = () => {
    const wanted = input.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
      shown += !row.hidden;
    }
    count.textContent = `${shown} function${shown === 1 ? "" : "s"}`;
    const address = new URL(location.href);
    if (wanted) address.searchParams.set("functions", wanted);
    else address.searchParams.delete("functions");
    history.replaceState(null, "", address);
  };
  input.addEventListener("input", filter);
  input.value = new URL(location.href).searchParams.get("functions") ?? "";
  if (input.value) filter();
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
