// The parser's tree copied into plain objects in one walk, so that nothing of the parser is held or asked again.
import type { Language, Parser, Tree } from 'web-tree-sitter';
import { type Walker, walkerOf } from './walker';

/** A node of the concrete tree; offsets are into the text that was parsed. Comments are left out. */
export interface RawNode {
  readonly type: string;
  readonly named: boolean;
  readonly start: number;
  readonly end: number;
  readonly field: string | undefined;
  readonly missing: boolean;
  readonly children: RawNode[];
}

export interface RawTree {
  readonly root: RawNode;
  readonly hasError: boolean;
  /** Error and missing nodes, counted as a measure of how badly the parse went. */
  readonly errors: readonly RawNode[];
}

/** Names of node types and fields by the parser's numbers. */
export type Vocabulary = ReturnType<typeof vocabularyOf>;

const ERROR_ID = 65535;

export function vocabularyOf(language: Language) {
  const types: string[] = [];
  const named: boolean[] = [];
  for (let id = 0; id < language.nodeTypeCount; id++) {
    types.push(language.nodeTypeForId(id) ?? '');
    named.push(language.nodeTypeIsNamed(id));
  }
  const fields: (string | null)[] = [];
  for (let id = 0; id <= language.fieldCount; id++) fields.push(id === 0 ? null : language.fieldNameForId(id));
  return { types, named, fields };
}

/**
 * The parser reports after a number of steps; a text gets a number of reports per character, and this many in
 * any case.
 */
const REPORTS_PER_CHARACTER = 1;
const REPORTS_OF_SHORT_TEXT = 20_000;

/**
 * Parses a text and copies the tree; the parser's own tree is deleted before this returns. Undefined for a text that
 * the parser's recovery from errors would work on for many times as long as on any code.
 */
export function parseToRaw(parser: Parser, vocabulary: Vocabulary, text: string): RawTree | undefined {
  let left = REPORTS_OF_SHORT_TEXT + REPORTS_PER_CHARACTER * text.length;
  // Answered with true the parser stops; its declaration does not say so.
  const progressCallback = (): boolean => --left < 0;
  const tree: Tree | null = parser.parse(text, null, { progressCallback });
  if (!tree) {
    parser.reset();
    return undefined;
  }
  try {
    const { rootNode } = tree;
    // Asked before the walk begins: nothing else may be asked of the parser during it.
    const { hasError } = rootNode;
    return copyTree(walkerOf(rootNode), vocabulary, hasError);
  } finally {
    tree.delete();
  }
}

/** Copies the whole tree below the walker's place, and deletes the walker. */
export function copyTree(at: Walker, vocabulary: Vocabulary, hasError: boolean): RawTree {
  const errors: RawNode[] = [];
  const comment = vocabulary.types.indexOf('comment');
  const copy = (id: number): RawNode => {
    const error = id === ERROR_ID;
    const missing = hasError && !error && at.isMissing();
    const node: RawNode = {
      type: error ? 'ERROR' : (vocabulary.types[id] ?? ''),
      named: error || (vocabulary.named[id] ?? false),
      start: at.start(),
      end: at.end(),
      field: vocabulary.fields[at.fieldId()] ?? undefined,
      missing,
      children: [],
    };
    if (error || missing) errors.push(node);
    return node;
  };
  try {
    const root = copy(at.typeId());
    const stack: RawNode[] = [root];
    if (at.firstChild()) {
      for (;;) {
        const id = at.typeId();
        if (id === comment) {
          if (at.nextSibling()) continue;
        } else {
          const node = copy(id);
          stack[stack.length - 1]!.children.push(node);
          if (at.firstChild()) {
            stack.push(node);
            continue;
          }
          if (at.nextSibling()) continue;
        }
        let ended = false;
        do {
          if (!at.parent()) {
            ended = true;
            break;
          }
          stack.pop();
          if (stack.length === 0) {
            ended = true;
            break;
          }
        } while (!at.nextSibling());
        if (ended || stack.length === 0) break;
      }
    }
    return { root, hasError, errors };
  } finally {
    at.delete();
  }
}
