/** The start of the page: routes, theme, spoken messages. Pages are loaded when they are opened. */

import { speakThrough } from "./announce.js";
import { h, put } from "./dom.js";
import { route, start } from "./router.js";
import { themeButton } from "./theme.js";

/** Load the module of a page and show it; what goes wrong is shown in its place. */
const page = (name) => async (outlet, request) => {
  try {
    const { show } = await import(`./pages/${name}.js`);
    return await show(outlet, request);
  } catch (error) {
    put(
      outlet,
      h(
        "div",
        { class: "panel" },
        h("h1", {}, "This page cannot be shown"),
        h("p", { role: "alert" }, error.message),
      ),
    );
    return null;
  }
};

route(/^\/(play)?$/, "Play", page("play"));
route(/^\/play\/([\w-]+)$/, "Play", page("game"));
route(/^\/analyse$/, "Analyse", page("analyse"));
route(/^\/watch$/, "Watch", page("watch"));
route(/^\/watch\/game\/([\w-]+)$/, "Watch", page("game"));
route(/^\/watch\/run$/, "Watch", page("run"));
route(/^\/league$/, "League", page("league"));
route(/^\/learn$/, "Learn", page("learn"));
route(/^\/papers(?:\/(.+))?$/, "Papers", page("papers"));

themeButton(document.getElementById("theme"));
speakThrough(document.getElementById("spoken"));
start(document.getElementById("main"));
