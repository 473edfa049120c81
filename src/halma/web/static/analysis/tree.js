/** A game with variations: nodes are positions, reached by a move or an outcome of chance. */

export class GameTree {
  /** @param {string} variant @param {string|null} start the first position; null: the variant's */
  constructor(variant, start = null) {
    this.variant = variant;
    this.start = start || null;
    this.root = new TreeNode(null, null);
    this.current = this.root;
  }

  /** Add a line of steps `{text, player, chance, cells}` below a node; return its last node. */
  extend(steps, from = this.root) {
    let node = from;
    for (const step of steps) node = node.child(step.text) ?? node.add(step);
    return node;
  }

  /** The nodes from the root through the current one to the end of its line, without the root. */
  get line() {
    const nodes = this.current.path;
    for (let node = this.current.children[0]; node; node = node.children[0]) nodes.push(node);
    return nodes;
  }

  /** Remove a node and everything after it. */
  remove(node) {
    if (node === this.root) return;
    node.parent.children = node.parent.children.filter((each) => each !== node);
    if (this.current.path.includes(node)) this.current = node.parent;
  }

  /** Make the line through a node the main line. */
  promote(node) {
    for (const each of node.path) {
      const others = each.parent.children.filter((child) => child !== each);
      each.parent.children = [each, ...others];
    }
  }
}

class TreeNode {
  constructor(parent, step) {
    this.parent = parent;
    this.step = step;
    this.children = [];
    /** the position as the server describes it, once it was asked for */
    this.board = null;
    /** what a review said of the move that led here */
    this.mistake = null;
  }

  add(step) {
    const node = new TreeNode(this, step);
    this.children.push(node);
    return node;
  }

  child(text) {
    return this.children.find((node) => node.step.text === text) ?? null;
  }

  /** The nodes from the root to this one, without the root. */
  get path() {
    const nodes = [];
    for (let node = this; node.parent; node = node.parent) nodes.unshift(node);
    return nodes;
  }

  /** The texts of moves and outcomes that lead here. */
  get moves() {
    return this.path.map((node) => node.step.text);
  }
}
