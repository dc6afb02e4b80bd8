// Ties everything together: the address says what is shown.
function route() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const wanted = parameters.get("c");
  if (wanted !== null) {
    const place = parameters.has("n") ? Number(parameters.get("n")) - 1 : firstOf.get(wanted);
    if (rows[place]) return showConversation(place, Number(parameters.get("t")) || 0);
    byId("status").textContent = "The conversation of this link is not in this report.";
    return closeConversation();
  }
  const target = location.hash.length > 1 && byId(location.hash.slice(1));
  if (target) {
    closeConversation();
    return target.scrollIntoView();
  }
  const next = viewOf(parameters);
  const filtered = addressOf(next) !== addressOf(view);
  const returning = open >= 0;
  view = next;
  showControls();
  if (filtered) showList();
  closeConversation();
  if (filtered && !returning) byId("conversations").scrollIntoView();
}

function setUpProblems() {
  const button = byId("all-problems");
  if (!button) return;
  button.addEventListener("click", () => {
    const all = embedded("problems").flat();
    byId("problem-table").tBodies[0].replaceChildren(...all.map(problemRow));
    byId("problem-count").textContent = `All ${count(all.length)}.`;
    button.remove();
  });
}

function problemRow(problem) {
  let where = problem.line === undefined ? problem.path : `${problem.path}:${problem.line}`;
  if (problem.conversation !== undefined) where += ` conversation ${problem.conversation}`;
  if (problem.turn !== undefined) where += ` turn ${problem.turn}`;
  const style = problem.severity === "error" ? "block" : "undecided";
  return el(
    "tr",
    {},
    el("td", {}, el("span", { class: `badge ${style}` }, problem.severity)),
    el("td", { class: "where" }, el("bdi", {}, where)),
    el("td", {}, el("bdi", {}, problem.message)),
  );
}

document.documentElement.classList.add("scripted");
setUpFilters();
setUpList();
setUpKeys();
setUpProblems();
showControls();
showList();
route();
addEventListener("hashchange", route);
document.documentElement.dataset.ready = "true";
