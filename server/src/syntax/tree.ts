// The parser's tree copied into plain objects in one walk, so that nothing of the parser is held or asked again.
import type { Language, Node as ParserNode, Parser, Tree } from 'web-tree-sitter';

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
export interface Vocabulary {
  readonly types: readonly string[];
  readonly named: readonly boolean[];
  readonly fields: readonly (string | null)[];
}

const ERROR_ID = 65535;

export function vocabularyOf(language: Language): Vocabulary {
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
 * The parser reports after every so many steps of its own; a text gets so many reports a character, and this many in
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
    return copyTree(tree.rootNode, vocabulary);
  } finally {
    tree.delete();
  }
}

function copyTree(rootNode: ParserNode, vocabulary: Vocabulary): RawTree {
  const cursor = rootNode.walk();
  const errors: RawNode[] = [];
  const hasError = rootNode.hasError;
  const comment = vocabulary.types.indexOf('comment');
  const copy = (): RawNode => {
    const id = cursor.nodeTypeId;
    const error = id === ERROR_ID;
    const missing = hasError && !error && cursor.nodeIsMissing;
    const node: RawNode = {
      type: error ? 'ERROR' : (vocabulary.types[id] ?? ''),
      named: error || (vocabulary.named[id] ?? false),
      start: cursor.startIndex,
      end: cursor.endIndex,
      field: vocabulary.fields[cursor.currentFieldId] ?? undefined,
      missing,
      children: [],
    };
    if (error || missing) errors.push(node);
    return node;
  };
  try {
    const root = copy();
    const stack: RawNode[] = [root];
    if (cursor.gotoFirstChild()) {
      for (;;) {
        if (cursor.nodeTypeId === comment) {
          if (cursor.gotoNextSibling()) continue;
        } else {
          const node = copy();
          stack[stack.length - 1]!.children.push(node);
          if (cursor.gotoFirstChild()) {
            stack.push(node);
            continue;
          }
          if (cursor.gotoNextSibling()) continue;
        }
        let ended = false;
        do {
          if (!cursor.gotoParent()) {
            ended = true;
            break;
          }
          stack.pop();
          if (stack.length === 0) {
            ended = true;
            break;
          }
        } while (!cursor.gotoNextSibling());
        if (ended || stack.length === 0) break;
      }
    }
    return { root, hasError, errors };
  } finally {
    cursor.delete();
  }
}
