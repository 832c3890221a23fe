// Renames what a program declares at random, to names of the same length, so that all places stay.
import { basename, dirname, join } from 'node:path';
import { lint } from '../../server/src/lint/lint';
import {
  asksForStatus,
  categoryOf,
  endsProgram,
  handsResultsOn,
  isAllocator,
  isContainerMember,
  isHarmless,
  isLibraryClock,
  isLibraryStatus,
  isSampleCheck,
  keepsToArguments,
  touchesArgumentsOnly,
} from '../../server/src/semantic/language/libraryFunctions';
import type { Syntax } from '../../server/src/syntax';
import { createWorkspace } from '../../server/src/workspace/workspace';
import { memoryFileSystem } from './analyseText';
import { pathToFileURL } from 'node:url';

/** Comments, strings, characters, numbers, names: what is left is punctuation. */
const parts =
  /\/\/(?:\\\r?\n|[^\n])*|\/\*[\s\S]*?\*\/|R"([^(\s"]*)\([\s\S]*?\)\1"|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|\.?\d(?:[eEpP][+-]|[\w.']|(?<=\d)\.)*|[A-Za-z_]\w*/g;
const ours = /warplens|@generated/;
const letters = 'abcdefghijklmnopqrstvwxyzABCDEFGHIJKMNOPQSTVWXYZ';
const language =
  /^(main|void|float|double|int|long|short|char|bool|unsigned|signed|size_t|ssize_t|ptrdiff_t|auto|const\w*|static\w*|struct|class|union|enum|using|typename|typedef|extern|inline|volatile|operator|return|if|else|for|while|do|switch|case|default|break|continue|goto|template|namespace|restrict|new|delete|this|sizeof|public|private|protected|friend|virtual|override|explicit|mutable|noexcept|true|false|nullptr|NULL|std|_\w*|cu[A-Z]\w*|cuda\w*|CUDA\w*|CU_\w+|cub|thrust|cooperative_groups|nvcuda|wmma|u?int\w*_t|(u?(int|char|short|long|longlong)|float|double|half|ulong|uchar|ushort|uint)[1-4]?|bfloat\w*|nv_\w+|dim3|atomic\w+|make_\w+|tex[123]D\w*|surf\w+|sdk\w+|curand\w*|cublas\w*|cufft\w*|omp_\w+|acc_\w+|MPI_\w+|M_\w+|(FLT|DBL|INT|UINT|LONG|SIZE|RAND)_\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize|clock\w*|rsqrtf?|exp10f?|sincosf?|fdividef|saturate\w*|lerp|dot|length|normalize|cross|clamp|string|vector|array|map|set|pair|tuple|complex|chrono|EXIT_\w+|stdout|stderr|stdin|f(?:open|close|read|write|scanf|gets|getc|seek)|getline|scanf|mmap|FILE|defined|__VA_ARGS__|assert|x|y|z|w)$/;
/** What OpenACC and OpenMP call their own. */
const directives =
  /\b(?:acc|omp|parallel|kernels|serial|loop|data|enter|exit|update|copy|copyin|copyout|create|present|delete|device|host|self|gang|worker|vector|vector_length|num_gangs|num_workers|seq|auto|independent|collapse|tile|private|firstprivate|reduction|async|wait|if|routine|declare|atomic|read|write|capture|cache|default|none|deviceptr|attach|detach|use_device|host_data|bind|nohost|link|num|length|force|target|teams|distribute|simd|for|map|to|from|tofrom|alloc|schedule|dynamic|guided|shared|nowait|end|set|init|shutdown|device_type|dtype|unroll|once|max|min|push|pop|critical|single|sections|section|ordered|threads|num_threads|num_teams|thread_limit|nvidia|radeon|pack|warning|disable|message|region|endregion)\b/;
const isDirectiveWord = (name: string): boolean => new RegExp(`^(?:${directives.source})$`).test(name);

/** Has a meaning that the text does not give it. */
export function isKnown(name: string): boolean {
  return (
    language.test(name) ||
    categoryOf(name) !== undefined ||
    isLibraryClock(name) ||
    keepsToArguments(name) ||
    isHarmless(name, false) ||
    touchesArgumentsOnly(name, false) ||
    isAllocator(name) ||
    isSampleCheck(name) ||
    handsResultsOn(name) ||
    isContainerMember(name) ||
    asksForStatus(name) ||
    isLibraryStatus(name) ||
    endsProgram(name)
  );
}

interface Declared {
  readonly names: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
  readonly scopes: ReadonlySet<string>;
}

/** What the parsed texts declare: of the tree, every record that is a declaration. */
function declaredIn(syntax: Syntax, files: ReadonlyMap<string, string>): Declared {
  const names = new Set<string>();
  const members = new Set<string>();
  const scopes = new Set<string>();
  for (const [path, text] of files) {
    const uri = pathToFileURL(
      join('/renaming', `${path.replace(/\W/g, '_')}${/\.\w+$/.exec(path)?.[0] ?? '.cu'}`),
    ).href;
    const { main } = syntax.parse(uri, text, 1, { defines: {}, computeCapability: 90 }, { resolve: () => undefined });
    const stack: unknown[] = [main.functions, main.structs, main.aliases, main.enums, main.globals];
    while (stack.length) {
      const next = stack.pop();
      if (typeof next !== 'object' || next === null) continue;
      const one = next as Record<string, unknown>;
      if (typeof one['name'] === 'string' && one['name'] !== '') {
        const isMember = 'static' in one || 'className' in one;
        if (
          'nameStart' in one ||
          'qualifiedName' in one ||
          'static' in one ||
          /^(type|value)$/.test(String(one['kind']))
        )
          names.add(one['name']);
        if (isMember) members.add(one['name']);
        if (typeof one['qualifiedName'] === 'string') {
          const all = one['qualifiedName'].split('::');
          if (!('fields' in one || 'values' in one)) all.pop();
          for (const scope of all) scopes.add(scope);
        }
      }
      if (Array.isArray(one['values']))
        for (const value of one['values'] as { name?: unknown }[])
          if (typeof value.name === 'string') names.add(value.name);
      if (typeof one['label'] === 'string') names.add(one['label']);
      stack.push(...Object.values(one));
    }
    for (const { name, params } of main.macros) for (const each of [name, ...(params ?? [])]) names.add(each);
    syntax.forget(uri);
  }
  for (const scope of scopes) names.add(scope);
  return { names, members, scopes };
}

/** Numbers from 0 to 1 by seed. */
function draws(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export interface Renamed {
  readonly files: ReadonlyMap<string, string>;
  /** New names by old. */
  readonly names: ReadonlyMap<string, string>;
  /** New paths by old. */
  readonly paths: ReadonlyMap<string, string>;
}

/** Renames over all `files`, which are one program; `kept` are names that something beside them gives a meaning. */
export function renamed(
  syntax: Syntax,
  files: ReadonlyMap<string, string>,
  seed: number,
  kept: ReadonlySet<string> = new Set(),
): Renamed {
  const draw = draws(seed);
  const declared = declaredIn(syntax, files);
  const written = new Set<string>();
  const fixed = new Set(kept);
  for (const text of files.values()) {
    for (const word of text.match(/[A-Za-z_]\w*/g) ?? []) written.add(word);
    for (const [line] of text.matchAll(/^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|undef)\b[^\n]*/gm))
      for (const word of line.match(/[A-Za-z_]\w*/g) ?? []) fixed.add(word);
    for (const [line] of text.matchAll(/^[ \t]*#[ \t]*pragma\b(?:\\\r?\n|[^\n])*|\b_Pragma\s*\([^\n]*/gm))
      for (const word of line.match(/[A-Za-z_]\w*/g) ?? []) if (isDirectiveWord(word)) fixed.add(word);
    // Names in strings are asked for at run time, or printed by `#`.
    for (const [, word] of text.matchAll(/"([A-Za-z_]\w*)"/g)) fixed.add(word!);
    // What a macro pastes together is not a token of the text.
    for (const [line, name] of text.matchAll(
      /^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\\\r?\n|[^\n])*##(?:\\\r?\n|[^\n])*/gm,
    )) {
      for (const word of line.match(/[A-Za-z_]\w*/g) ?? []) fixed.add(word);
      for (const [use] of text.matchAll(new RegExp(`\\b${name}\\s*\\([^;{]*`, 'g')))
        for (const word of use.match(/[A-Za-z_]\w*/g) ?? [])
          for (const each of declared.names) if (each.includes(word)) fixed.add(each);
    }
  }
  const word = (length: number): string =>
    Array.from({ length }, () => letters[Math.floor(draw() * letters.length)]!).join('');
  const names = new Map<string, string>();
  const taken = new Set(written);
  const fresh = (length: number): string | undefined => {
    for (let tries = 0; tries < 200; tries++) {
      const other = word(length);
      if (taken.has(other) || isKnown(other) || isDirectiveWord(other)) continue;
      taken.add(other);
      return other;
    }
    return undefined;
  };
  for (const name of declared.names) {
    if (!/^[A-Za-z_]\w*$/.test(name) || fixed.has(name) || isKnown(name)) continue;
    const other = fresh(name.length);
    if (other !== undefined) names.set(name, other);
  }
  const paths = new Map<string, string>();
  const bases = new Map<string, string>();
  for (const path of files.keys()) {
    const stem = /^[^.]*/.exec(basename(path))![0];
    const base = bases.get(stem) ?? fresh(Math.max(6, stem.length)) ?? stem;
    // Quoted includes have to keep their length, and names of one letter may be taken.
    bases.set(stem, base.slice(0, stem.length));
    paths.set(path, join(dirname(path), base.slice(0, stem.length) + basename(path).slice(stem.length)));
  }
  const texts = new Map<string, string>();
  for (const [path, text] of files) {
    // The text before a part without comments: `.`, `->`, `Scope::`.
    let before = '';
    let end = 0;
    const newText = text.replace(parts, (part: string, ...rest: unknown[]) => {
      const offset = rest.find((one) => typeof one === 'number')!;
      before = (before + text.slice(end, offset)).slice(-80);
      end = offset + part.length;
      if (part.startsWith('//') || part.startsWith('/*'))
        return ours.test(part) ? part : part.replace(/[A-Za-z]+/g, ({ length }) => word(length));
      const from = before;
      before = (before + part).slice(-80);
      if (part.startsWith('"')) {
        if (!/#[ \t]*include[ \t]*$/.test(from)) return part;
        const to = paths.get(join(dirname(path), part.slice(1, -1)));
        return to === undefined ? part : `"${part.slice(1, -1).replace(/[^/]*$/, basename(to))}"`;
      }
      const other = names.get(part);
      if (other === undefined || /#[ \t]*include[^\n]*$/.test(from)) return part;
      if (/(?:(?<!\.\.)\.|->)\s*$/.test(from) && !declared.members.has(part)) return part;
      const scope = /(\w+)\s*::\s*$/.exec(from)?.[1];
      if (scope !== undefined && !declared.scopes.has(scope)) return part;
      return other;
    });
    texts.set(paths.get(path)!, newText);
  }
  return { files: texts, names, paths };
}

/** The program of a file: itself and what it includes by quoted paths, as far as `read` gives texts. */
export function programOf(path: string, read: (path: string) => string | undefined): Map<string, string> {
  const files = new Map<string, string>();
  const open = [path];
  while (open.length) {
    const next = open.pop()!;
    const text = files.has(next) ? undefined : read(next);
    if (text === undefined) continue;
    files.set(next, text);
    for (const [, to] of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"/gm)) open.push(join(dirname(next), to!));
  }
  return files;
}

/** What is compared of a finding: texts by their tokens, since new names may differ where old ones do. */
interface Compared {
  readonly fact: string;
  readonly texts: readonly string[];
}

function findingsOf(syntax: Syntax, files: ReadonlyMap<string, string>, path: string): readonly Compared[] {
  const workspace = createWorkspace({ fileSystem: memoryFileSystem(files), syntax });
  const uri = pathToFileURL(path).href;
  const text = files.get(path)!;
  const analysed = workspace.analyse(uri, { text, version: 1 });
  if (!analysed) return [];
  const { findings, failures } = lint(analysed.model, text, { gpu: analysed.gpu });
  workspace.forget(uri);
  return [
    ...failures.map(({ rule, error }) => ({ fact: `${rule} threw`, texts: [error] })),
    ...findings.map((one) => ({
      fact: JSON.stringify([
        one.rule,
        one.message,
        one.severity,
        one.confidence,
        one.at.start,
        one.at.end,
        one.gain,
        one.fixes.map((fix) => [fix.applicability, fix.edits.map(({ at }) => [at.start, at.end])]),
      ]),
      texts: [one.text, ...one.fixes.flatMap((fix) => [fix.title, ...fix.edits.map(({ newText }) => newText)])],
    })),
  ];
}

/** Are two texts the same but for the names, and for names that neither program has? */
function isSame(before: string, after: string, names: Map<string, string>): boolean {
  const split = (text: string): string[] => {
    // Where code is shortened depends on the parts of its names.
    const quiet = text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '/**/').replace(/`[^`]*…[^`]*`/g, '`…`');
    return quiet.match(/\d[\w.']*|[A-Za-z_]\w*|\S/g) ?? [];
  };
  const [left, right] = [split(before), split(after)];
  return (
    left.length === right.length &&
    left.every((token, at) => {
      const other = right[at]!;
      if (token === other) return true;
      if (!/^[A-Za-z_]/.test(token) || !/^[A-Za-z_]/.test(other)) return false;
      const known = names.get(token);
      if (known === undefined) names.set(token, other);
      return known === undefined || known === other;
    })
  );
}

export interface Difference {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** What renaming changes in what is said of `path`, and how many findings there are. */
export function differencesOf(
  syntax: Syntax,
  files: ReadonlyMap<string, string>,
  path: string,
  seed: number,
  beside: ReadonlyMap<string, string> = new Map(),
): { readonly findings: number; readonly renamed: number; readonly differences: readonly Difference[] } {
  const kept = new Set([...beside.values()].flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []));
  const other = renamed(syntax, files, seed, kept);
  const before = findingsOf(syntax, new Map([...files, ...beside]), path);
  const after = findingsOf(syntax, new Map([...other.files, ...beside]), other.paths.get(path)!);
  const differences: Difference[] = [];
  const rest = [...after];
  for (const one of before) {
    const at = rest.findIndex(({ fact }) => fact === one.fact);
    const twin = at < 0 ? undefined : rest.splice(at, 1)[0]!;
    if (!twin) {
      differences.push({ before: [one.fact, ...one.texts].join('\n    ') });
      continue;
    }
    const names = new Map(other.names);
    const wrong = one.texts.findIndex((text, place) => !isSame(text, twin.texts[place] ?? '', names));
    if (wrong >= 0 || one.texts.length !== twin.texts.length)
      differences.push({ before: `${one.fact}\n    ${one.texts[wrong]}`, after: twin.texts[wrong] });
  }
  for (const one of rest) differences.push({ after: [one.fact, ...one.texts].join('\n    ') });
  return { findings: before.length, renamed: other.names.size, differences };
}
