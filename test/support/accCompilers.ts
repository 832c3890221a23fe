// Compiles OpenACC texts with what compilers there are: clang and flang for the directives as written, GCC for them as they are for an NVIDIA GPU.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { complaintOf } from './nvcc';

export type AccLanguage = 'c' | 'cpp' | 'free' | 'fixed';
export interface AccJob {
  readonly name: string;
  readonly text: string;
}

/** Rules whose bad examples are what a compiler refuses. */
export const mistakeRules: ReadonlySet<string> = new Set([
  'acc/clause-argument',
  'acc/clause-not-allowed',
  'acc/directive-form',
  'acc/unknown-name',
]);

/** Of a file name; undefined for anything but a source of OpenACC. */
export function accLanguage(name: string): AccLanguage | undefined {
  const ending = /\.(\w+)$/.exec(name)?.[1];
  if (ending === 'c') return 'c';
  if (ending !== undefined && /^(?:cpp|cc|cxx)$/.test(ending)) return 'cpp';
  if (ending !== undefined && /^f(?:90|95|03|08)$/i.test(ending)) return 'free';
  return ending !== undefined && /^(?:f|for|ftn|f77)$/i.test(ending) ? 'fixed' : undefined;
}

// ---- resolving for NVIDIA ----------------------------------------------------------------------------------------

interface Clause {
  readonly name: string;
  argument?: string;
}

/**
 * The text with each directive as it stands for an NVIDIA GPU, in the OpenACC 2.6 that GCC 12 knows: the clauses behind
 * `device_type(nvidia)` (or `*`) replace the default ones of their name, those for other devices go. What 2.6 lacks goes where the meaning
 * stays: `self` on a compute construct, `gang(dim:1)`, `collapse(force:n)`, `readonly:` and `zero:`, further sizes of `num_gangs`, `devnum:` and
 * `queues:` of wait, `async`, `wait` and `default` on data, `if` on wait, clauses of cache, sizes of worker and vector in a parallel construct, `bind`, init,
 * shutdown and set. `present` of a pointer, which GCC takes for the pointer's own memory, gets a section. Lines keep their numbers. `resolved` says what was changed, each once.
 */
export function resolveForNvidia(
  text: string,
  language: AccLanguage,
): { readonly text: string; readonly resolved: readonly string[] } {
  const resolved = new Set<string>();
  const lines = text.split('\n');
  const out: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const begin = index;
    const line = lines[index]!;
    const start =
      language === 'c' || language === 'cpp'
        ? /^(\s*#\s*pragma\s+acc\b)(.*)$/.exec(line)
        : language === 'free'
          ? /^(\s*!\$acc\b)(.*)$/i.exec(line)
          : /^([!cC*]\$acc[ 0]?)(.*)$/i.exec(line);
    if (!start) {
      out.push(line);
      continue;
    }
    let body = start[2]!;
    if (language === 'c' || language === 'cpp')
      while (/\\\s*$/.test(body) && index + 1 < lines.length) body = `${body.replace(/\\\s*$/, ' ')}${lines[++index]!}`;
    else if (language === 'free') {
      while (/&\s*(?:!.*)?$/.test(body) && index + 1 < lines.length)
        body = `${body.replace(/&\s*(?:!.*)?$/, ' ')}${lines[++index]!.replace(/^\s*!\$acc\s*&?/i, ' ')}`;
    } else
      while (index + 1 < lines.length && /^[!cC*]\$acc[^ 0]/i.test(lines[index + 1]!))
        body = `${body} ${lines[++index]!.slice(6)}`;
    const comment =
      language === 'c' || language === 'cpp'
        ? (/\/\/.*$|\/\*.*$/.exec(body)?.[0] ?? '')
        : (/![^'"]*$/.exec(body)?.[0] ?? '');
    body = body.slice(0, body.length - comment.length);
    const made = directive(
      language === 'c' || language === 'cpp' ? presentSections(body, text, resolved).trim() : body.trim(),
      resolved,
    );
    out.push(made === undefined ? '' : made === body.trim() && begin === index ? line : `${start[1]} ${made}`);
    for (let more = begin; more < index; more++) out.push('');
  }
  return { text: out.join('\n'), resolved: [...resolved] };
}

const names =
  /^(?:end\s+)?(?:(?:parallel|kernels|serial)(?:\s+loop)?|enter\s+data|exit\s+data|host_data|data|loop|atomic(?:\s+(?:read|write|update|capture))?|update|wait|routine|declare|cache|init|shutdown|set)\b/i;

function directive(body: string, resolved: Set<string>): string | undefined {
  const name = names.exec(body)?.[0].toLowerCase().replace(/\s+/g, ' ');
  if (name === undefined || /^(?:end|atomic)/.test(name)) return body;
  if (/^(?:init|shutdown|set)$/.test(name)) {
    resolved.add(name);
    return undefined;
  }
  const rest = body.slice(names.exec(body)![0].length);
  const own = /^\s*\(/.test(rest) ? balanced(rest.trimStart()) : '';
  const clauses = clausesOf(rest.trimStart().slice(own.length));
  if (clauses === undefined) return body;
  const compute = /^(?:parallel|kernels|serial)/.test(name);
  let changed = false;
  const drop = (word: string): void => {
    resolved.add(`${word} on ${name}`);
    changed = true;
  };

  const segments: { devices?: string[]; clauses: Clause[] }[] = [{ clauses: [] }];
  for (const clause of clauses) {
    if (clause.name === 'device_type' || clause.name === 'dtype')
      segments.push({
        devices: (clause.argument ?? '')
          .slice(1, -1)
          .split(',')
          .map((word) => word.trim().toLowerCase()),
        clauses: [],
      });
    else segments.at(-1)!.clauses.push(clause);
  }
  let chosen = segments[0]!.clauses;
  if (segments.length > 1) {
    resolved.add('device_type');
    changed = true;
    const forNvidia =
      segments.find(({ devices }) => devices?.includes('nvidia')) ??
      segments.find(({ devices }) => devices?.includes('*'));
    const mine = forNvidia?.clauses ?? [];
    chosen = [...chosen.filter(({ name: each }) => !mine.some((other) => other.name === each)), ...mine];
  }
  const kept: Clause[] = [];
  for (const clause of chosen) {
    const argument = clause.argument;
    if (compute && clause.name === 'self') {
      drop('self');
      continue;
    }
    if (clause.name === 'bind') {
      drop('bind');
      continue;
    }
    if (/^data$|host_data/.test(name) && /^(?:async|wait|default)$/.test(clause.name)) {
      drop(clause.name);
      continue;
    }
    if (name === 'wait' && clause.name === 'if') {
      drop('if');
      continue;
    }
    if (name === 'cache') {
      drop('clauses');
      continue;
    }
    let now = argument;
    if (clause.name === 'gang' && argument !== undefined)
      now = argument.replace(/\bdim\s*:\s*1\b\s*,?/i, '').replace(/^\(\s*\)$/, '') || undefined;
    else if (clause.name === 'collapse') now = argument?.replace(/\bforce\s*:/i, '');
    else if (/^(?:copy|copyin|copyout|create|cache|pcopy\w*|present_or_\w+)$/.test(clause.name))
      now = argument?.replace(/^\(\s*(?:readonly|zero)\s*:/i, '(');
    else if (clause.name === 'num_gangs')
      now = argument === undefined ? undefined : `(${splitTop(argument.slice(1, -1))[0]!})`;
    else if (clause.name === 'wait') now = argument?.replace(/devnum\s*:[^:]*:/i, '').replace(/queues\s*:/i, '');
    else if (/^(?:worker|vector)$/.test(clause.name) && argument !== undefined && /^(?:parallel|serial)/.test(name))
      now = undefined;
    if (now !== argument) drop(`${clause.name}${argument ?? ''}`);
    kept.push({ name: clause.name, ...(now === undefined ? {} : { argument: now }) });
  }
  let owned = own;
  if (name === 'wait' || name === 'cache')
    owned = own
      .replace(/devnum\s*:[^:]*:/i, '')
      .replace(/queues\s*:/i, '')
      .replace(/^\(\s*readonly\s*:/i, '(');
  if (!changed && owned === own) return body;
  if (owned !== own) resolved.add(`modifiers of ${name}`);
  return `${names.exec(body)![0]}${owned}${kept.map(({ name: each, argument }) => ` ${each}${argument ?? ''}`).join('')}`;
}

/** `present(p)` as `present(p[0:1])` where the text declares a pointer of that name. */
function presentSections(body: string, text: string, resolved: Set<string>): string {
  return body.replace(/\bpresent\s*\(([^()]*)\)/g, (clause, list: string) => {
    const items = list.split(',').map((item) => {
      const name = item.trim();
      if (
        !/^[A-Za-z_]\w*$/.test(name) ||
        !new RegExp(
          `[*]\\s*(?:const\\s*)?(?:restrict\\b|__restrict(?:__)?\\b)?\\s*${name}\\s*[,;)=]|\\b${name}(?:\\s*\\[[^\\]]*\\])+\\s*[,)]`,
        ).test(text)
      )
        return item;
      resolved.add('present of a pointer');
      return item.replace(name, `${name}[0:1]`);
    });
    const made = `present(${items.join(',')})`;
    return items.join(',') === list ? clause : made;
  });
}

/** Clauses with their parentheses; undefined when the text is something else. */
function clausesOf(text: string): Clause[] | undefined {
  const found: Clause[] = [];
  let rest = text.replace(/^[\s,]+/, '');
  while (rest !== '') {
    const word = /^[A-Za-z_]\w*/.exec(rest)?.[0];
    if (word === undefined) return undefined;
    rest = rest.slice(word.length).trimStart();
    const argument = rest.startsWith('(') ? balanced(rest) : undefined;
    if (argument !== undefined) rest = rest.slice(argument.length);
    found.push({ name: word.toLowerCase(), ...(argument === undefined ? {} : { argument }) });
    rest = rest.replace(/^[\s,]+/, '');
  }
  return found;
}

function balanced(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return text.slice(0, at + 1);
  }
  return text;
}

function splitTop(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of text) {
    if (char === '(' || char === '[') depth++;
    else if (char === ')' || char === ']') depth--;
    if (char === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}

// ---- compilers ---------------------------------------------------------------------------------------------------

interface AccCompiler {
  readonly command: string;
  readonly version: string;
  readonly languages: readonly AccLanguage[];
  readonly flags: (language: AccLanguage, folder: string) => readonly string[];
  readonly resolves: boolean;
}

const candidates: readonly (Omit<AccCompiler, 'version' | 'command'> & { readonly commands: readonly string[] })[] = [
  {
    commands: ['clang-19', 'clang-20', 'clang-21'],
    languages: ['c', 'cpp'],
    resolves: false,
    flags: () => ['-fopenacc', '-fsyntax-only', '-Wno-source-uses-openacc'],
  },
  {
    commands: ['flang-new-19', 'flang-20', 'flang-21', 'flang'],
    languages: ['free', 'fixed'],
    resolves: false,
    flags: (_, folder) => ['-fopenacc', '-fsyntax-only', '-module-dir', folder],
  },
  {
    commands: ['gcc'],
    languages: ['c'],
    resolves: true,
    flags: () => ['-c', '-fopenacc', '-foffload=disable', '-o', '/dev/null'],
  },
  {
    commands: ['g++'],
    languages: ['cpp'],
    resolves: true,
    flags: () => ['-c', '-fopenacc', '-foffload=disable', '-o', '/dev/null'],
  },
  {
    commands: ['gfortran'],
    languages: ['free', 'fixed'],
    resolves: true,
    flags: (language, folder) => [
      '-c',
      '-fopenacc',
      '-foffload=disable',
      '-o',
      '/dev/null',
      `-J${folder}`,
      language === 'free' ? '-ffree-line-length-none' : '-ffixed-line-length-none',
    ],
  },
];

/** The compilers of this machine, and a sentence for those that are missing. */
export function accCompilers(): { readonly found: readonly AccCompiler[]; readonly missing: readonly string[] } {
  const found: AccCompiler[] = [];
  const missing: string[] = [];
  for (const { commands, ...rest } of candidates) {
    const there = commands.flatMap((command) => {
      try {
        return [
          {
            command,
            version: execFileSync(command, ['--version'], {
              encoding: 'utf8',
              stdio: ['ignore', 'pipe', 'ignore'],
            }).split('\n')[0]!,
          },
        ];
      } catch {
        return [];
      }
    })[0];
    if (there) found.push({ ...rest, ...there });
    else
      missing.push(
        `${commands[0]!} is not on the path: ${rest.languages.join(' and ')} texts were not held against it.`,
      );
  }
  return { found, missing };
}

const cache = join(__dirname, '../../.cache/acc');

/** What did not compile, with the compiler's words; what compiled once is remembered by the hash of its text. Two at once. */
export async function compileAcc(
  jobs: readonly AccJob[],
  compilers: readonly AccCompiler[],
): Promise<readonly { readonly name: string; readonly compiler: string; readonly error: string }[]> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'warplens-acc-'));
  const failures: { name: string; compiler: string; error: string }[] = [];
  const waiting = new Map<
    string,
    { readonly name: string; readonly text: string; readonly language: AccLanguage; readonly compiler: AccCompiler }
  >();
  for (const { name, text } of jobs) {
    const language = accLanguage(name);
    if (language === undefined) continue;
    for (const compiler of compilers) {
      if (!compiler.languages.includes(language)) continue;
      const given = compiler.resolves ? resolveForNvidia(text, language).text : text;
      const key = createHash('sha256')
        .update([compiler.version, ...compiler.flags(language, ''), language, given].join('\n'))
        .digest('hex');
      if (!existsSync(join(cache, key))) waiting.set(key, { name, text: given, language, compiler });
    }
  }
  const queue = [...waiting];
  async function work(): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [key, { name, text, language, compiler }] = next;
      const source = join(folder, `${key}.${{ c: 'c', cpp: 'cpp', free: 'f90', fixed: 'f' }[language]}`);
      const modules = join(folder, key);
      mkdirSync(modules);
      writeFileSync(source, text);
      const flags = compiler.flags(language, modules);
      const error = await complaintOf(compiler.command, [...flags, source], { cwd: modules, source, name });
      if (error === undefined) writeFileSync(join(cache, key), name);
      else failures.push({ name, compiler: compiler.command, error });
    }
  }
  try {
    await Promise.all([work(), work()]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return failures;
}
