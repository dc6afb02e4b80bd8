// Single keys, which a reader can switch off in the dialog that lists them.
const LIST_KEYS = {
  j: () => step(1),
  k: () => step(-1),
  r: () => change(DEFAULTS),
  "/": () => byId("q").focus(),
};

const CONVERSATION_KEYS = {
  j: () => stepTurn(1),
  k: () => stepTurn(-1),
  n: () => document.querySelector(".crumbs a[rel=next]")?.click(),
  p: () => document.querySelector(".crumbs a[rel=prev]")?.click(),
  f: () => byId("jump")?.click(),
  u: () => byId("back").click(),
  Escape: () => byId("back").click(),
};

const showKeys = () => byId("keys").showModal();

function pressed(event) {
  const typing = event.target.closest("input:not([type=checkbox]), select, textarea");
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (!byId("keys-on").checked) return;
  const action =
    event.key === "?" ? showKeys : (open < 0 ? LIST_KEYS : CONVERSATION_KEYS)[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

function setUpKeys() {
  document.addEventListener("keydown", pressed);
  byId("help").addEventListener("click", showKeys);
  byId("keys-close").addEventListener("click", () => byId("keys").close());
}
