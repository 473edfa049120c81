/** A game tree as a list of moves; variations are indented below the move they replace. */

import { h, put } from "../dom.js";
import { followCurrent, moveButton } from "../movelist.js";

/** Draw a tree; `choose(node)` is called for a click. */
export function drawTree(element, tree, choose) {
  put(
    element,
    tree.root.children.length ? list(tree.root, tree, choose, 0) : h("p", { class: "soft" }, "No moves yet."),
  );
  followCurrent(element);
}

/** Return the list of the main line below a node, with its variations. */
function list(from, tree, choose, plies) {
  const items = [];
  let ply = plies;
  for (let node = from; node.children.length; node = node.children[0]) {
    const [first, ...others] = node.children;
    items.push(item(first, tree, choose, ply));
    for (const other of others) {
      const rest = list(other, tree, choose, ply + (other.step.chance ? 0 : 1));
      rest.prepend(item(other, tree, choose, ply));
      items.push(h("li", { class: "variation" }, rest));
    }
    if (!first.step.chance) ply += 1;
  }
  return h("ol", {}, items);
}

function item(node, tree, choose, plies) {
  const { step } = node;
  return h(
    "li",
    {},
    step.chance ? null : h("span", { class: "number" }, `${plies + 1}.`),
    moveButton({ kind: step.chance ? "chance" : "move", text: step.text }, 0, {
      at: node === tree.current ? 1 : 0,
      choose: () => choose(node),
      kind: node.mistake?.kind,
    }),
  );
}
