/** What screen readers speak: one polite live region for the whole page. */

let region = null;
let pending = [];

/** Name the element whose changes are spoken. */
export function speakThrough(element) {
  region = element;
}

/** Speak a sentence; several at once are spoken as one text. */
export function announce(sentence) {
  if (!sentence || !region) return;
  pending.push(sentence);
  if (pending.length > 1) return;
  setTimeout(() => {
    region.textContent = pending.join(" ");
    pending = [];
  }, 60);
}
