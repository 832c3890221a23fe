// Walks the parser's tree. The parser's own cursor writes its place into the parser's memory before each question and
// reads it back after each step, a value at a time: half of the cost of copying a tree. No other code uses that memory
// during a walk, so here the place is written once and stays there.
import type { Node as ParserNode, TreeCursor } from 'web-tree-sitter';

/** A place in a tree, moved from node to node. */
export interface Walker {
  typeId(): number;
  isMissing(): boolean;
  /** UTF-16 units from the start of the text. */
  start(): number;
  end(): number;
  fieldId(): number;
  /** The steps say whether there was such a node; where there was none, the place stays. */
  firstChild(): boolean;
  nextSibling(): boolean;
  parent(): boolean;
  /** Gives the parser's memory back; the walker must not be used any more. */
  delete(): void;
}

/** The functions of web-tree-sitter.wasm that its cursor calls: each takes its place from the buffer for transfers. */
const functionsOfTree = [
  '_ts_tree_cursor_current_node_type_id_wasm',
  '_ts_tree_cursor_current_node_is_missing_wasm',
  '_ts_tree_cursor_start_index_wasm',
  '_ts_tree_cursor_end_index_wasm',
  '_ts_tree_cursor_current_field_id_wasm',
  '_ts_tree_cursor_goto_first_child_wasm',
  '_ts_tree_cursor_goto_next_sibling_wasm',
  '_ts_tree_cursor_goto_parent_wasm',
] as const;
type Binding = Readonly<Record<(typeof functionsOfTree)[number], (tree: number) => number>> & {
  readonly HEAP32: Int32Array;
  readonly _ts_init: () => number;
};

/** What the cursor holds of its place, by numbers: as many words as are written into the buffer. */
const wordsOfPlace = 4;
type Place = { [word: number]: number };

let binding: Binding | undefined;
let buffer = 0;

/**
 * `module` is what `Parser.init` was given: the first time it becomes the module itself, with its functions. A module
 * that has not all of them (another version's) leaves the parser's own cursor in use.
 */
export function useBinding(module: object): void {
  const has = (name: string): boolean => typeof (module as Record<string, unknown>)[name] === 'function';
  if (binding !== undefined || !['_ts_init', ...functionsOfTree].every(has)) return;
  binding = module as Binding;
  // The same place every time: a static array of the module.
  buffer = binding._ts_init() >> 2;
}

export function walkerOf(root: ParserNode): Walker {
  return (binding && throughBinding(root, binding)) ?? throughCursor(root.walk());
}

/** The same by the parser's public functions. */
export function throughCursor(cursor: TreeCursor): Walker {
  return {
    typeId: () => cursor.nodeTypeId,
    isMissing: () => cursor.nodeIsMissing,
    start: () => cursor.startIndex,
    end: () => cursor.endIndex,
    fieldId: () => cursor.currentFieldId,
    firstChild: () => cursor.gotoFirstChild(),
    nextSibling: () => cursor.gotoNextSibling(),
    parent: () => cursor.gotoParent(),
    delete: () => cursor.delete(),
  };
}

function throughBinding(root: ParserNode, module: Binding): Walker | undefined {
  const cursor = root.walk();
  const tree = (root.tree as unknown as Place)[0];
  const place = cursor as unknown as Place;
  if (tree === undefined || place[wordsOfPlace - 1] === undefined) {
    cursor.delete();
    return undefined;
  }
  // Memory moves as it grows: it is asked for at each use.
  for (let word = 0; word < wordsOfPlace; word++) module.HEAP32[buffer + word] = place[word]!;
  return {
    typeId: () => module._ts_tree_cursor_current_node_type_id_wasm(tree),
    isMissing: () => module._ts_tree_cursor_current_node_is_missing_wasm(tree) === 1,
    start: () => module._ts_tree_cursor_start_index_wasm(tree),
    end: () => module._ts_tree_cursor_end_index_wasm(tree),
    fieldId: () => module._ts_tree_cursor_current_field_id_wasm(tree),
    firstChild: () => module._ts_tree_cursor_goto_first_child_wasm(tree) === 1,
    nextSibling: () => module._ts_tree_cursor_goto_next_sibling_wasm(tree) === 1,
    parent: () => module._ts_tree_cursor_goto_parent_wasm(tree) === 1,
    delete() {
      // What the cursor holds may have moved with its steps: it gives back what it has now.
      for (let word = 0; word < wordsOfPlace; word++) place[word] = module.HEAP32[buffer + word]!;
      cursor.delete();
    },
  };
}
