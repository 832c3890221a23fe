// Says which headers a file was read without, and which were found only by guess.
import type { Reason } from '../semantic/model';
import type { IncludeDirective, TranslationUnit } from '../syntax';
import { isKnownHeader } from './knownHeaders';

/** What helps against headers that are missing or were guessed. */
export const includeAdvice =
  'Add header folders with -I (warplens.includeFolders in an editor), or generate compile_commands.json.';
export function isIncludeNote(text: string): boolean {
  return /^["<][^">]*[">].* was not found/.test(text);
}

/** How an include that the unit has is found now; undefined when it is not. */
export type Lookup = (
  include: IncludeDirective,
  from: string,
) => { readonly guessedIn?: string | undefined; readonly readable: boolean } | undefined;

/**
 * One sentence for each header that the file, or what it includes, names and that was not found, and one for each
 * folder that was guessed; at the file's own line that leads there. Headers of the toolkit and the system are not
 * missed.
 */
export function notesOfIncludes(uri: string, unit: TranslationUnit, lookup: Lookup): readonly Reason[] {
  const files = new Map(unit.files.map((file) => [file.uri, file]));
  const notes: Reason[] = [];
  const missed = new Set<string>();
  const guessed = new Set<string>();
  const seen = new Set([uri]);
  const walk = (from: string, line: IncludeDirective | undefined): void => {
    for (const include of files.get(from)?.includes ?? []) {
      const at = line ?? include;
      const place = { uri, start: at.start, end: at.end };
      const name = include.system ? `<${include.path}>` : `"${include.path}"`;
      const indirect = line === undefined ? '' : `, which ${lastPart(from)} includes,`;
      if (include.resolved === undefined) {
        if (isKnownHeader(include.path) || missed.has(include.path)) continue;
        const found = lookup(include, from);
        // Found, and yet not there: it was left out on purpose, as a repetition beyond all bounds.
        if (found?.readable) continue;
        missed.add(include.path);
        const why = found ? 'is too large or not text' : 'was not found';
        notes.push({ at: place, text: `${name}${indirect} ${why}; macros and types from it are unknown.` });
        continue;
      }
      const { guessedIn } = lookup(include, from) ?? {};
      if (guessedIn !== undefined && !guessed.has(guessedIn)) {
        guessed.add(guessedIn);
        notes.push({
          at: place,
          text: `${name}${indirect} was found in ${guessedIn}, which is not in the include path.`,
        });
      }
      if (seen.has(include.resolved)) continue;
      seen.add(include.resolved);
      walk(include.resolved, at);
    }
  };
  walk(uri, undefined);
  return notes;
}

function lastPart(uri: string): string {
  try {
    return decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1));
  } catch {
    return uri.slice(uri.lastIndexOf('/') + 1);
  }
}
