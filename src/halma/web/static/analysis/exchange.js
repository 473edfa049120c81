/** Games in and out: PDN, JSON lines, pictures. */

import { post } from "../api.js";
import { button, field, h, put } from "../dom.js";
import { attempt, toast } from "../messages.js";
import { address } from "../router.js";
import { agentName } from "../seats.js";

const PICTURE = 1000;

/** Return the panel; `game()` says what is shown, `load(game)` takes an imported one. */
export function exchangePanel({ game, load }) {
  const text = h("textarea", { placeholder: "Paste PDN, or a record of halma", spellcheck: "false" });
  const file = h("input", {
    type: "file",
    accept: ".pdn,.jsonl,.json,.txt",
    "aria-label": "A file of games",
  });
  const found = h("ul", {});
  file.addEventListener("change", async () => {
    if (file.files[0]) text.value = await file.files[0].text();
  });

  async function read() {
    const answer = await attempt(() => post("import", { text: text.value, variant: null }));
    if (!answer) return;
    for (const error of answer.errors.slice(0, 3)) toast(error, "error");
    if (answer.games.length === 1) load(answer.games[0]);
    else
      put(
        found,
        answer.games.map((each, at) =>
          h(
            "li",
            {},
            button(name(each, at), () => load(each)),
          ),
        ),
      );
  }

  async function write(format) {
    const { variant, start, moves } = game();
    const answer = await attempt(() => post("export", { variant, start, moves, agents: [], format }));
    if (answer !== undefined)
      save(new Blob([typeof answer === "string" ? answer : JSON.stringify(answer)]), `game.${format}`);
  }

  return h(
    "details",
    {},
    h("summary", {}, "Import and export"),
    field("Games", text),
    h("div", { class: "row" }, file, button("Import", read)),
    found,
    h(
      "div",
      { class: "row" },
      button("Save PDN", () => write("pdn")),
      button("Save record", () => write("jsonl")),
      button("Save SVG", () => savePicture(game().picture, "svg")),
      button("Save PNG", () => savePicture(game().picture, "png")),
      button("Copy link", async () => {
        // Browsers have a clipboard only for pages of this machine or of https.
        const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
        toast(
          copied
            ? "The address of this position was copied."
            : "Copy it from the address bar: the browser gives no access to the clipboard.",
        );
      }),
    ),
  );
}

function name(each, at) {
  const players = each.agents?.length
    ? each.agents.map((agent) => agentName(agent)).join(" – ")
    : `game ${at + 1}`;
  return `${each.variant}: ${players}, ${each.moves.length} moves`;
}

/** Save a drawing of the server; PNG is made from its SVG here. */
async function savePicture(picture, format) {
  const answer = await attempt(async () => {
    const response = await fetch(address("/api/picture.svg", { ...picture, size: PICTURE }));
    if (!response.ok) throw new Error((await response.json()).error);
    return response.blob();
  });
  if (!answer) return;
  save(format === "svg" ? answer : await rasterise(answer), `position.${format}`);
}

async function rasterise(svg) {
  const image = new Image();
  const source = URL.createObjectURL(svg);
  image.src = source;
  await image.decode();
  const canvas = h("canvas", { width: image.naturalWidth, height: image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0);
  URL.revokeObjectURL(source);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function save(blob, filename) {
  const source = URL.createObjectURL(blob);
  const link = h("a", { href: source, download: filename });
  link.click();
  setTimeout(() => URL.revokeObjectURL(source), 1000);
}
