// Files without directives that call what has them: their loops and arrays decide what the regions there cost.
import { basename } from 'node:path';
import { isFortran, modulesIn } from './fortran';
import { includedName } from './sourceIndex';

const directive = /^[ \t]*(?:[!cC*]\$|#[ \t]*pragma[ \t]+)acc\b/m;
const usedModule = /^[ \t]*use\b(?:[^:\n!]*::)?[ \t]*(\w+)|^[ \t]*(?:#[ \t]*)?include[ \t]*["'<]([^"'>\n]+)/gim;

/**
 * Of `others`, in which no directive is, those that include a file of `found` with directives or use a module of it,
 * over any number of steps.
 */
export function usersOfDirectives(
  found: ReadonlyMap<string, { readonly text: string }>,
  others: Iterable<string>,
  read: (path: string) => string | undefined,
): Iterable<{ readonly path: string; readonly text: string }> {
  const names = new Set([...found].flatMap(([path, { text }]) => (directive.test(text) ? namesOf(path, text) : [])));
  const users = new Map<string, { path: string; text: string }>();
  const left = new Map(
    names.size === 0 ? [] : [...others].filter((path) => !found.has(path)).map((path) => [path, read(path)] as const),
  );
  for (let before = -1; before < users.size; ) {
    before = users.size;
    for (const [path, text] of left) {
      const uses = [...(text?.matchAll(usedModule) ?? [])];
      if (!text || !uses.some(([, used, file]) => names.has(used?.toLowerCase() ?? includedName(file!)))) continue;
      users.set(path, { path, text });
      left.delete(path);
      for (const name of namesOf(path, text)) names.add(name);
    }
  }
  return users.values();
}

/** Under which a file is included or used. */
function namesOf(path: string, text: string): readonly string[] {
  return [basename(path), ...(isFortran(path) ? modulesIn(text) : [])];
}
