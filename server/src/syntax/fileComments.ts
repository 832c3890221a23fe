// Whose a comment is: the function's that holds it, or the file's.
import type { FunctionDecl, Node, StructDecl } from './ast';
import { firstIndex } from './lines';
import type { LoweredChunk } from './lowering';
import type { Comment } from './tokens';

export function attachComments(lowered: LoweredChunk, all: readonly Comment[], base: number): LoweredChunk {
  if (all.length === 0) return lowered;
  const withComments = new Map<FunctionDecl, FunctionDecl>();
  const functions = lowered.functions.map((declared) => {
    const start = base + declared.base;
    const comments: Node[] = [];
    const first = firstIndex(all.length, (index) => all[index]!.start >= start);
    for (let at = first; at < all.length && all[at]!.start < start + declared.end; at++) {
      comments.push({ start: all[at]!.start - start, end: all[at]!.end - start });
    }
    if (comments.length === 0) return declared;
    const made: FunctionDecl = { ...declared, comments };
    withComments.set(declared, made);
    return made;
  });
  if (withComments.size === 0) return lowered;
  const structs = withMethods(lowered.structs, (method) => withComments.get(method) ?? method);
  return { ...lowered, functions, structs };
}

/** Structures and those in them, with other methods. */
export function withMethods(
  structs: readonly StructDecl[],
  changed: (method: FunctionDecl) => FunctionDecl,
): StructDecl[] {
  return structs.map((struct) => ({
    ...struct,
    methods: struct.methods.map(changed),
    structs: withMethods(struct.structs, changed),
  }));
}

export function commentsOutside(all: readonly Comment[], functions: readonly FunctionDecl[]): Node[] {
  const spans = functions
    .filter((each) => each.comments.length > 0)
    .map((each) => ({ start: each.base + each.start, end: each.base + each.end }))
    .sort((a, b) => a.start - b.start);
  const outside: Node[] = [];
  let next = 0;
  let covered = -1;
  for (const comment of all) {
    while (next < spans.length && spans[next]!.start <= comment.start) {
      covered = Math.max(covered, spans[next]!.end);
      next++;
    }
    if (comment.start >= covered) outside.push({ start: comment.start, end: comment.end });
  }
  return outside;
}
