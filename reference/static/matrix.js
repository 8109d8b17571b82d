// Shows the rows of the matrix whose function has the typed text in its name.
addEventListener("DOMContentLoaded", () => {
  const input = document.getElementById("matrix-filter");
  if (!input) return;
  const rows = document.querySelectorAll(".matrix tbody tr");
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
});
