// The door of the syntax layer: text in, plain translation units out.
import { Language, Parser } from 'web-tree-sitter';
import type { TranslationUnit } from './ast';
import { makeChunkParser } from './chunkParser';
import { makeUnitParser, type IncludeHost, type ParseSettings } from './unit';

export type * from './ast';
export type { IncludeHost, ParseSettings } from './unit';
export { lineTable, type LineTable, type Position } from './lines';

export interface Syntax {
  /** Parses a file and what it includes; what was not changed since the last call for `uri` is the same objects. Never throws. */
  parse(uri: string, text: string, version: number, settings: ParseSettings, host: IncludeHost): TranslationUnit;
  /** Lets go of what is held for a file. */
  forget(uri: string): void;
  /** Parser trees alive, and chunks held. */
  stats(): { readonly trees: number; readonly chunks: number };
}

/** Makes the parser from the bytes of `web-tree-sitter.wasm` and `tree-sitter-cuda.wasm`. */
export async function createSyntax(wasm: { core: Uint8Array; cuda: Uint8Array }): Promise<Syntax> {
  await Parser.init({ wasmBinary: wasm.core, locateFile: (name: string) => name });
  const language = await Language.load(wasm.cuda);
  return makeUnitParser(makeChunkParser(language));
}
