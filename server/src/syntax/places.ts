// Where a node of the tree was written, and what the preprocessor reads: macros and includes.

/**
 * Offsets are UTF-16 code units. Inside a function (its parameters, body and everything below) they are relative to
 * `FunctionDecl.base`, so that an unchanged function keeps its tree when text before it moves; at the top level they
 * are offsets into the file. `macro` marks a node that begins or ends inside a macro's expansion (or whose tokens the
 * macro rearranged): its span is the macro invocation's, and no edit may be built from its parts. A node that merely
 * contains a macro's use is not marked: its span is exact, and the part that is the use carries the mark.
 */
export interface Node {
  readonly start: number;
  readonly end: number;
  readonly macro?: boolean;
}

export interface MacroDef {
  readonly name: string;
  readonly params?: readonly string[]; // absent for an object-like macro
  readonly variadic?: boolean;
  readonly body: string;
  readonly uri: string;
  readonly start: number; // of the name in its file; -1 for a predefined or configured macro
}
export interface IncludeDirective extends Node {
  readonly path: string;
  readonly system: boolean;
  readonly resolved?: string;
}
