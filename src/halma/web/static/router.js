/** Pages by address. Links are followed without loading the page anew; the back button works. */

const routes = [];
let outlet = null;
let leave = null;
let turn = 0;
/** the address that is shown, without the place in the page */
let shown = null;

/**
 * Add a page: `show(outlet, {match, query, alive})` fills the outlet and may return a function that is
 * called when the page is left. `pattern` is matched with the path.
 */
export function route(pattern, title, show) {
  routes.push({ pattern, title, show });
}

/** Start: show the page of the address and follow links and the back button. */
export function start(element) {
  outlet = element;
  addEventListener("popstate", () => {
    // Links to a place in the page lead here as well.
    if (here() !== shown) render();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (!link || !plain || link.target || link.hasAttribute("download")) return;
    const address = new URL(link.href);
    if (address.origin !== location.origin || address.pathname.startsWith("/api/")) return;
    if (link.getAttribute("href").startsWith("#")) return;
    event.preventDefault();
    go(address.pathname + address.search + address.hash);
  });
  return render();
}

function here() {
  return location.pathname + location.search;
}

/** Go to an address. */
export function go(address) {
  if (address !== here()) history.pushState(null, "", address);
  scrollTo(0, 0);
  return render(true);
}

/** Change the address of the page that is shown; `keep` adds an entry for the back button. */
export function note(address, keep = false) {
  // A page that was left before it was complete does not change the address of the next one.
  if (new URL(address, location).pathname !== location.pathname) return;
  if (address === here()) return;
  if (keep) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  shown = here();
}

/** Write an address with a query; values that are empty are left out. */
export function address(path, query = {}) {
  const pairs = Object.entries(query).filter(
    ([, value]) => value !== null && value !== undefined && value !== "",
  );
  return pairs.length ? `${path}?${new URLSearchParams(pairs)}` : path;
}

async function render(focus = false) {
  const mine = (turn += 1);
  shown = here();
  const path = location.pathname.replace(/\/$/, "") || "/play";
  const found = routes.find(({ pattern }) => pattern.test(path)) ?? routes[0];
  leave?.();
  leave = null;
  document.title = `${found.title} · halma`;
  for (const link of document.querySelectorAll("header nav a")) {
    const here = path === link.getAttribute("href") || path.startsWith(`${link.getAttribute("href")}/`);
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const page = document.createElement("div");
  page.className = "page";
  // Controls of a page do nothing before it has what it asked the server for.
  page.inert = true;
  outlet.replaceChildren(page);
  const query = Object.fromEntries(new URLSearchParams(location.search));
  const done = await found.show(page, { match: found.pattern.exec(path), query, alive: () => mine === turn });
  page.inert = false;
  if (mine === turn && location.hash)
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  if (mine !== turn) done?.();
  else leave = done ?? null;
  if (focus && mine === turn && !page.contains(document.activeElement)) outlet.focus({ preventScroll: true });
}
