// What the syntax tests share: one parser, and hosts made of plain records.
import {
  createSyntax,
  type IncludeHost,
  type ParseSettings,
  type SourceFile,
  type Syntax,
} from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';

export const SETTINGS: ParseSettings = { defines: {}, computeCapability: 90 };
export const NO_INCLUDES: IncludeHost = { resolve: () => undefined };

export function newSyntax(): Promise<Syntax> {
  return createSyntax(readGrammarFiles());
}

/** A file with all that its pieces hold, without functions. */
export function contentOf(file: SourceFile): object {
  const pieces = file.pieces.map(({ names, ...asked }) => [names, ...Object.values(asked).map((ask) => ask())]);
  return { ...file, pieces };
}

let shared: Promise<Syntax> | undefined;
export function sharedSyntax(): Promise<Syntax> {
  return (shared ??= newSyntax());
}

/** Headers by path. */
export function headers(files: Readonly<Record<string, string>>, version = 1): IncludeHost {
  return { resolve: (path) => (path in files ? { uri: `file:///${path}`, text: files[path]!, version } : undefined) };
}

export async function parseText(
  text: string,
  settings: ParseSettings = SETTINGS,
  host: IncludeHost = NO_INCLUDES,
): Promise<SourceFile> {
  const syntax = await sharedSyntax();
  syntax.forget('file:///test.cu');
  return syntax.parse('file:///test.cu', text, 1, settings, host).main;
}
