// Atomic additions of all lanes to one place that the compiler does not sum: the lanes that are there add up among
// themselves, and one of them adds the sum.
import type { CallExpr, Expr, SourceFile, Stmt, TranslationUnit } from '../../syntax/ast';
import type { Edit, Refusal, RewriteFact } from '../model';
import { newlineOf, type Fn, callAround, calleeName, type Type, isBareBody, writtenAround, once } from '../language';
import { expressionMayVary } from './variance';
import { freshNamesOf, hasComment } from './writing/edits';
import type { AccessFamily, SeenAccess } from './writing/family';
import { scalarTextOf } from './ownType';
import { refuser } from './writing/refusals';
import { isPure } from '../program';

const refused = refuser<'statement' | 'type' | 'address' | 'macros' | 'headers' | 'neighbours'>('warp-atomics');

export const warpAtomics: AccessFamily<'warp-atomics'> = {
  id: 'warp-atomics',
  on: 'access',
  to: ['atomic'],
  when: meetsAtOne,
  find: ({ fn, expr }) => warpAtomicOf(fn, expr!),
};

/** Do the lanes of a warp meet at one place, by an atomic that compares nothing and whose result no one uses? */
export function meetsAtOne({ fact: { addresses, atomic } }: SeenAccess): boolean {
  return addresses === 1 && !!atomic && !atomic.used && !atomic.name.startsWith('atomicCAS');
}

const headers = ['cooperative_groups.h', 'cooperative_groups/reduce.h'] as const;

/** An addition that each lane makes to one place, as a statement. */
interface Addition {
  readonly statement: Stmt;
  readonly call: CallExpr;
  readonly type: { readonly name: string; readonly float: boolean };
}

/** The edits for the atomic that `access` (the call, or what its first argument points to) is made by. */
export function warpAtomicOf(fn: Fn, access: Expr): RewriteFact | Refusal {
  const addition = additionOf(fn, callAround(access, fn.locals));
  if ('why' in addition) return addition;
  const includes = includesIn(fn.unit)(fn.file);
  if (!includes) return refused('headers', 'every `#include` of the file is conditional');
  const run = runAround(addition, fn);
  if ('why' in run) return run;
  const fresh = freshNamesOf(fn);
  const lanes = fresh('lanes');
  const group = 'cooperative_groups';
  const lines = run.flatMap(({ call, type: { name } }, at) => {
    const [address, value] = call.args as [Expr, Expr];
    const part = fresh(at === 0 ? 'part' : `part${at + 1}`);
    return [
      `${name} ${part} = ${fn.text(value).trim()};`,
      `${part} = ${group}::reduce(${lanes}, ${part}, ${group}::plus<${name}>());`,
      `if (${lanes}.thread_rank() == 0) ${fn.text(call.callee)}(${fn.text(address).trim()}, ${part});`,
    ];
  });
  return {
    edits: [
      ...includes,
      ...inBlock(
        fn,
        run.map(({ statement }) => statement),
        [`const auto ${lanes} = ${group}::coalesced_threads();`, ...lines],
      ),
    ],
    title: `One atomic per warp${run.some(({ type }) => type.float) ? ' (changes rounding)' : ''}`,
  };
}

function additionOf(fn: Fn, call: CallExpr | undefined): Addition | Refusal {
  const isAddition = call?.args.length === 2 && /^atomicAdd(_block|_system)?$/.test(calleeName(call) ?? '');
  const statement = call && fn.parent(call);
  if (!call || !isAddition || statement?.kind !== 'expr')
    return refused('statement', 'its old value is used, or it is not an addition');
  if (call.macro || call.args.some((arg) => arg.macro)) return refused('macros', 'the atomic comes from a macro');
  const address = call.args[0]!;
  const known = typeBehind(address, fn);
  // Integers of 64 bits are summed by the compiler as little as numbers with a fraction.
  const isSummed = known?.kind === 'scalar' && (known.float ? known.size >= 4 : known.size === 8);
  const isOpen = known === undefined || known.kind === 'unknown';
  const type = isSummed
    ? { name: nameBehind(address, known, fn), float: known.float }
    : isOpen
      ? launchedType(address, fn)
      : undefined;
  if (!type) return refused('type', 'the target is not known to be a float, double or 64-bit integer');
  if (!isPure(address, fn) || expressionMayVary(address, fn))
    return refused('address', 'the address may differ between threads of a block');
  if (hasComment(fn, { start: call.start, end: statement.end })) return refused('statement', 'it contains a comment');
  return { statement, call, type };
}

/** The additions on the lines around one, which the same lanes make; a refusal where one of them to its array stays. */
function runAround(from: Addition, fn: Fn): readonly Addition[] | Refusal {
  const around = fn.parent(from.statement);
  if (around?.kind !== 'block') return [from];
  const list: readonly Stmt[] = around.body;
  const at = list.indexOf(from.statement);
  const arrayOf = ({ args: [address] }: CallExpr): unknown => {
    const array = address && arrayIn(address);
    return array?.kind === 'name' ? (fn.local(array) ?? array.name) : undefined;
  };
  const run = [from];
  for (const step of [-1, 1])
    for (let next = at + step; ; next += step) {
      const statement = list[next];
      const call = statement?.kind === 'expr' && statement.expr.kind === 'call' ? statement.expr : undefined;
      const [before, after] = step < 0 ? [statement, list[next + 1]] : [list[next - 1], statement];
      const between = call ? fn.text({ start: before!.end, end: after!.start }) : '';
      if (!call || !/^[ \t]*\r?\n[ \t]*$/.test(between)) break;
      const addition = additionOf(fn, call);
      if ('why' in addition) {
        // Of another type are only the fields of a structure, and integers the compiler sums.
        const isAlike = calleeName(call) === calleeName(from.call) && addition.precondition !== 'type';
        const isTwin = isAlike && arrayOf(call) === arrayOf(from.call);
        if (isTwin) return refused('neighbours', 'an addition to the same array on the next line would stay');
        break;
      }
      if (step < 0) run.unshift(addition);
      else run.push(addition);
    }
  return run;
}

/** Writes lines for statements in a row, in braces unless they are all that a block holds. */
function inBlock(fn: Fn, statements: readonly Stmt[], lines: readonly string[]): readonly Edit[] {
  const first = statements[0]!;
  if (isBareBody(first, fn.locals))
    return writtenAround(fn, first, { before: lines.slice(0, -1), instead: lines.at(-1)! });
  const around = fn.parent(first);
  const at = fn.span({ start: first.start, end: statements.at(-1)!.end });
  const outer = fn.newline + fn.indent(first.start);
  const { text } = fn.file;
  const isFirst = /^\s*$/.test(text.slice(text.lastIndexOf('\n', at.start - 1) + 1, at.start));
  if (isFirst && around?.kind === 'block' && around.body.length === statements.length)
    return [{ at, newText: lines.join(outer) }];
  const inner = outer + fn.indentStep;
  return [{ at, newText: `{${lines.map((line) => inner + line).join('')}${outer}}` }];
}

/** What an address leads to. */
export function typeBehind(address: Expr, fn: Fn): Type | undefined {
  if (address.kind === 'unary' && address.op === '&') return fn.typing.typeOf(address.operand);
  const pointer = fn.typing.typeOf(address);
  if (pointer?.kind === 'array') return pointer.of;
  if (pointer) return pointer.kind === 'pointer' ? pointer.to : undefined;
  // `sum + 1`
  return address.kind === 'binary' && /^[+-]$/.test(address.op) ? typeBehind(address.left, fn) : undefined;
}

/** The type that an address leads to, as the code calls it. */
function nameBehind(address: Expr, { name }: { readonly name: string }, fn: Fn) {
  const isNamed = address.kind === 'unary' && address.op === '&';
  const place: Expr = isNamed ? address.operand : { ...address, kind: 'unary', op: '*', operand: address };
  const scalar = scalarTextOf(place, fn, fn.typing);
  return scalar === 'auto' ? name : scalar;
}

/** What an address begins at. */
export function arrayIn(address: Expr): Expr {
  switch (address.kind) {
    case 'unary':
      return address.op === '&' ? arrayIn(address.operand) : address;
    case 'index':
      return arrayIn(address.base);
    case 'binary':
      return arrayIn(address.left);
    case 'cast':
      return arrayIn(address.operand);
    case 'member':
      return address.arrow ? address : arrayIn(address.object);
    default:
      return address;
  }
}

/** The template's own type behind an address, where every known launch gives it one that is summed. */
function launchedType(address: Expr, fn: Fn): { readonly name: string; readonly float: boolean } | undefined {
  const at = arrayIn(address);
  const local = at.kind === 'name' ? fn.local(at) : undefined;
  let type = (local?.variable ?? local?.parameter)?.type;
  while (type?.kind === 'pointer' || type?.kind === 'array') type = type.kind === 'pointer' ? type.to : type.of;
  const name = type?.kind === 'named' ? type.name : undefined;
  if (name === undefined || !fn.decl.templateParams?.some((param) => param.name === name)) return undefined;
  const launched = (fn.launchTypes ?? []).map((types) => types.get(name));
  const isSummed = (one: string | undefined): boolean =>
    /^(float|double|((un)?signed )?(int|long long)|unsigned)$/.test(one ?? '');
  if (launched.length === 0 || !launched.every(isSummed)) return undefined;
  return { name, float: launched.some((one) => one === 'float' || one === 'double') };
}

/** What the headers take in a file, found once for all of its atomics. */
const includesIn = once((unit: TranslationUnit) => once((file: SourceFile) => includesOf(file, unit)));

/**
 * The headers that are missing: after the one that is there, else before the first unconditional include, of the same
 * form if one opens the file, else after the comments that open the file; undefined where all of it may be under
 * conditions.
 */
function includesOf(file: SourceFile, unit: TranslationUnit): readonly Edit[] | undefined {
  const has = (path: string): boolean => unit.files.some(({ includes }) => includes.some((each) => each.path === path));
  const missing = headers.filter((path) => !has(path));
  if (missing.length === 0) return [];
  const { text } = file;
  const under = conditionsAt(text);
  const open = file.includes.filter(({ start }) => under(start) === 0);
  const opening = open.filter(({ start }) => isPreamble(text.slice(open[0]!.start, start)));
  const same = opening.find(({ path }) => path === headers[0]);
  const first = same ?? opening.find(({ system }) => system) ?? open[0];
  // A file that includes nothing at all takes them before its first condition.
  const includes = /^[ \t]*#[ \t]*include\b/m.test(text);
  if (!first && includes && under(text.length, true) > 0) return undefined;
  let at = same ? text.indexOf('\n', same.start) + 1 : first ? text.lastIndexOf('\n', first.start - 1) + 1 : 0;
  if (!first)
    for (let end = at; ; at = end) {
      end = at + /^\s*/.exec(text.slice(at))![0].length;
      const comment = file.comments.find(({ start }) => start === end);
      if (!comment) break;
      end = text.indexOf('\n', comment.end - 1) + 1 || text.length;
    }
  const newline = newlineOf({ file });
  return [
    {
      at: { uri: file.uri, start: at, end: at },
      newText: missing.map((path) => `#include <${path}>${newline}`).join(''),
    },
  ];
}

/** Nothing but includes, blank lines and comments. */
function isPreamble(text: string): boolean {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
  return code.split('\n').every((line) => /^\s*(?:#\s*include\b.*)?$/.test(line));
}

/** How many conditions of the preprocessor a place is under, a guard around the whole file left out. */
function conditionsAt(text: string): (at: number, ever?: boolean) => number {
  const changes: { readonly at: number; readonly depth: number }[] = [];
  let depth = 0;
  let seen = 0;
  for (const { 1: word, index } of text.matchAll(/^[ \t]*#[ \t]*(\w+)/gm)) {
    const isGuard =
      word === 'ifndef' && seen++ === 0 && /^[^\n]*\n\s*#[ \t]*define\b/.test(text.slice(index, index + 400));
    if (word === 'include') continue;
    if (/^if(?:n?def)?$/.test(word!) && !isGuard) depth++;
    else if (word === 'endif') depth = Math.max(0, depth - 1);
    else continue;
    changes.push({ at: index, depth });
  }
  return (at, ever = false) =>
    ever
      ? changes.reduce((most, change) => Math.max(most, change.depth), 0)
      : (changes.findLast((change) => change.at < at)?.depth ?? 0);
}
