// The door of the syntax layer: text in, plain translation units out.
import { Language, Parser } from 'web-tree-sitter';
import type { TranslationUnit } from './ast';
import { useBaselineCompiler } from './baselineCompiler';
import { makeChunkParser } from './chunkParser';
import { makeDirectiveReader, type ReadDirective } from './directives/read';
import {
  makeFortranParser,
  type FortranFile,
  type FortranHost,
  type FortranParser,
  type FortranSettings,
} from './fortran';
import type { ParseSettings } from './predefined';
import { makeUnitParser, type IncludeHost } from './unit';
import { useBinding } from './walker';

export type * from './ast';
export type { ParseSettings } from './predefined';
export type { IncludeHost } from './unit';
export type * from './procedures';
export type { DirectiveSource, ReadDirective } from './directives/read';
export type { FortranFile, FortranHost, FortranModule, FortranSettings } from './fortran';
export { excerptAround, type Excerpt } from './excerpt';
export { lineTable, type LineTable, type Position } from './lines';

export interface Syntax {
  /**
   * Parses a file and what it includes; what was not changed since the last call for `uri` is the same objects. Never
   * throws.
   */
  parse(uri: string, text: string, version: number, settings: ParseSettings, host: IncludeHost): TranslationUnit;
  /** Reads one OpenACC directive of a C or Fortran text. Never throws. */
  readonly readDirective: ReadDirective;
  /**
   * Loads Fortran's grammar, once; who opens no Fortran never pays for it. Rejects with one sentence when its file is
   * missing.
   */
  loadFortran(): Promise<void>;
  /** Parses a Fortran file. Undefined until its grammar is loaded. Never throws. */
  parseFortran(
    uri: string,
    text: string,
    version: number,
    settings: FortranSettings & { readonly fixedForm: boolean },
    host?: FortranHost,
  ): FortranFile | undefined;
  /** Lets go of what is held for a file. */
  forget(uri: string): void;
  /** This file is no longer queried by itself; its parsed form may be used for a while. */
  retire(uri: string): void;
  /** Parser trees alive, chunks held, and chunks parsed so far. */
  stats(): { readonly trees: number; readonly chunks: number; readonly parsed: number };
}

/**
 * The bytes of `web-tree-sitter.wasm` and of the grammars that every session needs; Fortran's are read when it is
 * loaded, and reading may throw one clear sentence.
 */
export interface GrammarFiles {
  readonly core: Uint8Array;
  readonly cuda: Uint8Array;
  readonly openacc: Uint8Array;
  readonly fortran: () => Uint8Array | Promise<Uint8Array>;
}

/** Makes the parsers. Rejects with one sentence when a grammar is damaged. */
export async function createSyntax(wasm: GrammarFiles): Promise<Syntax> {
  useBaselineCompiler();
  const core = { wasmBinary: wasm.core, locateFile: (name: string) => name };
  await whole('web-tree-sitter.wasm', Parser.init(core));
  useBinding(core);
  const [cuda, openacc] = await Promise.all([
    whole('tree-sitter-cuda.wasm', Language.load(wasm.cuda)),
    whole('tree-sitter-openacc.wasm', Language.load(wasm.openacc)),
  ]);
  const readDirective = makeDirectiveReader(openacc);
  let fortran: FortranParser | undefined;
  let loading: Promise<void> | undefined;
  return {
    ...makeUnitParser(makeChunkParser(cuda), readDirective),
    readDirective,
    loadFortran() {
      return (loading ??= (async () => {
        fortran = makeFortranParser(
          await whole('tree-sitter-fortran.wasm', Language.load(await wasm.fortran())),
          readDirective,
        );
      })());
    },
    parseFortran: (uri, text, version, settings, host) => fortran?.parse(uri, text, version, settings, host),
  };
}

/** A file that cannot be compiled was cut short or is of another version; the engine names no file. */
async function whole<T>(name: string, loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    throw new Error(
      `Warplens cannot load ${name}, which is damaged ` +
        `(${error instanceof Error ? error.message.split('\n')[0] : String(error)}). Run "npm ci ` +
        '&& npm run build", or reinstall the extension.',
    );
  }
}
