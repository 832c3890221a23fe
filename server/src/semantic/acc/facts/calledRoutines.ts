// Known procedures that GPU code calls without a `routine` directive.
import { spanIn } from '../../span';
import { titleWith } from '../../excerpt';
import type { LoopStep, ProcedureFile, Prototype, Value } from '../../../syntax/procedures';
import type { Edit, Span } from '../../model';
import { isHarmless, newlineOf } from '../../language';
import { flowOf, type Call } from '../analysis/dataflow';
import { directiveLine, editAt } from './directiveEdits';
import type { AccRoutineFact } from '../model';
import { rootOfPath } from '../analysis/paths';
import {
  type Declared,
  declarationsOf,
  type Level,
  levelsIn,
  nameOfCall,
  routineLevels,
  routinesOf,
  strongest,
} from '../analysis/routineLevels';
import { variableAt, type Scope, type Sources } from '../analysis/scope';
import { stepsIn } from '../analysis/steps';

/** One fact for each procedure that this one calls: what is missing is in one place, however often it is called. */
export function missingRoutinesOf(scope: Scope): readonly AccRoutineFact[] {
  const { file, procedure, sources } = scope;
  const facts = new Map<Prototype, AccRoutineFact & { readonly alsoAt: Span[] }>();
  const told = new Set<string>();
  for (const call of flowOf(scope).calls) {
    const { callee, region, harmless } = call;
    if (callee === scope || !(region || procedure.routine.length)) continue;
    if (isNeverMet(call) || isHostBranch(scope, call) || (!callee && (harmless || hostOnly.test(call.call.name))))
      continue;
    const declared = declarationsOf(scope, call);
    const [called] = declared;
    const key = `${region?.start ?? 'routine'} ${called?.procedure.name}`;
    if (!called || told.has(key) || declared.some((one) => one.file.oneOfSeveral || isForDevice(sources, one)))
      continue;
    if (declared.some((one) => isMethod(one) || isOverload(one) || mayBeMarked(sources, one))) continue;
    told.add(key);
    const at = spanIn(file, nameOfCall(file, call.call));
    const first = facts.get(called.procedure);
    if (first) {
      first.alsoAt.push(at);
      continue;
    }
    const mending = callee ? mend(scope, callee, call) : 'only its prototype is known';
    facts.set(called.procedure, {
      kind: 'acc-routine',
      at,
      alsoAt: [],
      name: called.procedure.name,
      inlined: isDeclaredInline(called),
      definitionAt: spanIn(called.file, called.procedure.nameAt),
      ...(typeof mending === 'string'
        ? { why: mending }
        : {
            fix: {
              title: titleWith(
                mending.names,
                (names) => `Add \`${mending.directive}\` ${file.language === 'c' ? 'above' : 'to'} \`${names}\``,
              ),
              edits: mending.edits,
            },
          }),
    });
  }
  return [...facts.values()];
}

/** Under `if (0 && …)`: compilers leave such a call out, at every level of optimisation. */
function isNeverMet({ call, step, parents }: Call): boolean {
  return [...parents, step].some(
    (each) =>
      each.kind === 'if' &&
      isFalse(each.cond) &&
      call.start >= each.cond.end &&
      !each.else?.some((other) => other.start <= call.start && call.end <= other.end),
  );
}
/**
 * Under `#ifndef ACC`, where no file defines `ACC`: the build for the GPU may well do so, and the branch is the host's,
 * unless a compute construct is in it. A `routine` directive in the branch decides nothing: it may be left over.
 */
function isHostBranch({ file, sources }: Scope, { call, region }: Call): boolean {
  const open: (string | undefined)[] = [];
  for (const [, line] of file.text.slice(region?.start ?? 0, call.start).matchAll(/^[ \t]*#[ \t]*(.*)$/gm)) {
    const [word = ''] = /^\w+/.exec(line!) ?? [];
    if (/^if/.test(word)) open.push(/^(?:ifndef\s+|if\s*!\s*defined\s*\(?\s*)(\w+)/.exec(line!)?.[1] ?? taken(line!));
    else if (word === 'endif') open.pop();
    else if (/^el/.test(word)) open.push(/^\+(.*)/.exec(open.pop() ?? '')?.[1]);
  }
  return open.some(
    (name) =>
      name !== undefined &&
      /^\w/.test(name) &&
      !sources.files.some(({ text }) => new RegExp(`^[ \\t]*#[ \\t]*define[ \\t]+${name}\\b`, 'm').test(text)),
  );
}
/** `#ifdef ACC`, whose `#else` is for builds without `ACC`. */
function taken(line: string): string | undefined {
  const name = /^(?:ifdef\s+|if\s*defined\s*\(?\s*)(\w+)/.exec(line)?.[1];
  return name === undefined ? undefined : `+${name}`;
}

function isFalse(value: Value): boolean {
  if (value.kind === 'number') return value.value === 0;
  if (value.kind !== 'binary' || value.op !== '&&') return false;
  return isFalse(value.left) || isFalse(value.right);
}

/** `void Grid::advance()`: a method, which another class may have under the same name. */
function isMethod({ file, procedure }: Declared): boolean {
  return file.language === 'c' && /::\s*$/.test(file.text.slice(procedure.start, procedure.nameAt.start));
}

/** `int round(float)` in C++: one more beside the library's own, and which of them a call takes is not known. */
function isOverload({ file, procedure }: Declared): boolean {
  return file.language === 'c' && !file.uri.endsWith('.c') && isHarmless(procedure.name, false);
}

/**
 * `SEQ_ROUTINE inline void damp(`: a word in front of what is declared that the language does not know is a macro, and
 * one without a definition may well be the directive. The last word is the type.
 */
function mayBeMarked({ files }: Sources, { file, procedure }: Declared): boolean {
  if (file.language !== 'c') return false;
  const head = file.text
    .slice(Math.max(0, procedure.start - 200), procedure.nameAt.start)
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ' ')
    .replace(/^.*(?:[;{}]|\*\/)/s, '')
    .replace(/^[ \t]*#.*$/gm, ' ');
  const words = head.replace(/<[^<>]*>|\([^()]*\)/g, ' ').match(/[A-Za-z_]\w*/g) ?? [];
  return words
    .slice(0, -1)
    .some(
      (word) =>
        !specifiers.has(word) &&
        !files.some((each) => new RegExp(`^[ \\t]*#[ \\t]*define[ \\t]+${word}\\b`, 'm').test(each.text)),
    );
}

const specifiers = new Set(
  (
    'static inline extern const volatile constexpr consteval virtual explicit friend typename template struct class ' +
    'enum union unsigned signed long short int char float double bool void auto register restrict __inline ' +
    '__inline__ __forceinline __attribute__ __restrict __restrict__ std noexcept _Noreturn __device__ __host__'
  ).split(' '),
);

function isDeclaredInline({ file, procedure }: Declared): boolean {
  if (file.language !== 'c') return false;
  const before = file.text.slice(Math.max(0, procedure.start - 200), procedure.nameAt.start);
  if (isInClass(file.text, procedure.start)) return true;
  return /\b(?:inline|__inline\w*|__forceinline\w*|constexpr|always_inline)\b[^;{}]*$/.test(before);
}

/** What is defined in the body of its class is inline (ISO C++, [class.mfct]). */
function isInClass(text: string, start: number): boolean {
  let depth = 0;
  for (let at = start - 1; at >= Math.max(0, start - longestClass); at--) {
    if (text[at] === '}') depth++;
    else if (text[at] === '{' && depth-- === 0)
      return /\b(struct|class|union)\b[^;{}()]*$/.test(text.slice(Math.max(0, at - 200), at));
  }
  return false;
}
const longestClass = 20_000;

function isForDevice(sources: Sources, declared: Declared): boolean {
  return declared.procedure.device === true || routinesOf(sources, declared).length > 0;
}

/** The `routine` lines for the procedure and all that it calls, or why they do not suffice. */
function mend(
  caller: Scope,
  callee: Scope,
  from: Call,
): { readonly names: readonly string[]; readonly edits: readonly Edit[]; readonly directive: string } | string {
  const callAt = from.call.start;
  const levels = new Map<Scope, Level>();
  const level = levelNeeded(callee, caller.sources, levels);
  if (level !== 'seq' && !leavesFree(caller, from, level))
    return `${callee.procedure.name} calls a \`routine ${level}\`, whose level a loop around the call may use already`;
  const wanted: Scope[] = [];
  const queue = [callee];
  while (queue.length) {
    const scope = queue.pop()!;
    if (wanted.includes(scope)) continue;
    const { name } = scope.procedure;
    if (scope.file !== caller.file) return `${name} is defined in another file`;
    const obstacle = obstacleIn(scope);
    if (obstacle) return obstacle;
    wanted.push(scope);
    for (const call of flowOf(scope).calls) {
      const next = call.callee;
      if (!next) {
        // Mathematics and intrinsics are there for the GPU; of the host's functions few are.
        if (!call.harmless || hostOnly.test(call.call.name))
          return `${name} calls ${call.call.name}, whose source is not known`;
        continue;
      }
      if (next !== scope && !isForDevice(caller.sources, next)) queue.push(next);
    }
  }
  for (const one of caller.sources.scopes)
    for (const call of flowOf(one).calls) {
      const needed = call.callee && wanted.includes(call.callee) && !wanted.includes(one) && levels.get(call.callee);
      if (needed && needed !== 'seq' && (call.region || one.procedure.routine.length) && !leavesFree(one, call, needed))
        return `${one.procedure.name} calls ${call.callee!.procedure.name} where its level may be in use`;
    }
  const { file } = caller;
  // A directive has to be read before the call: a declaration that the call rests on would need its own.
  if (file.language === 'c' && wanted.some((scope) => scope.procedure.start > callAt))
    return `${callee.procedure.name} is defined after the call, and its declaration needs the directive`;
  const ordered = [...wanted].sort((a, b) => a.procedure.start - b.procedure.start);
  const edits = ordered.map((scope) => routineLine(file, scope, levels.get(scope) ?? 'seq'));
  return edits.some((edit) => edit === undefined)
    ? 'its definition does not begin a line'
    : {
        names: ordered.map((scope) => scope.procedure.name),
        edits: edits as Edit[],
        directive: ordered.every((scope) => levels.get(scope) === level) ? `routine ${level}` : 'routine',
      };
}

/** The strongest level that a procedure's calls need; `known` holds that of each procedure on the way. */
function levelNeeded(scope: Scope, sources: Sources, known: Map<Scope, Level>): Level {
  const before = known.get(scope);
  if (before) return before;
  known.set(scope, 'seq');
  const called = flowOf(scope).calls.flatMap(({ callee }): Level[] =>
    !callee || callee === scope
      ? []
      : isForDevice(sources, callee)
        ? routinesOf(sources, callee).flatMap(({ clauses }) => levelsIn(clauses))
        : [levelNeeded(callee, sources, known)],
  );
  const level = strongest(called);
  known.set(scope, level);
  return level;
}

/** Do the loops around a call say that they use stronger levels alone? */
function leavesFree(caller: Scope, { region, parents, step }: Call, level: Level): boolean {
  const around = [...parents, step].filter((each): each is LoopStep => each.kind === 'loop');
  const directives = [
    ...(region ? [region.directive] : []),
    ...around.filter(({ start }) => !region || start >= region.start).flatMap((loop) => loop.directives),
  ].filter(({ name }) => /loop/.test(name));
  const isStronger = (used: Level): boolean => routineLevels.indexOf(used) > routineLevels.indexOf(level);
  if (!directives.every(({ clauses }) => levelsIn(clauses).length > 0 && levelsIn(clauses).every(isStronger)))
    return false;
  const own = strongest(caller.procedure.routine.flatMap(({ clauses }) => levelsIn(clauses)));
  return region ? directives.length > 0 : own === level || isStronger(own);
}

function routineLine(file: ProcedureFile, scope: Scope, level: Level): Edit | undefined {
  const at = scope.procedure.routineInsertAt;
  const start = file.text.lastIndexOf('\n', at - 1) + 1;
  const before = file.text.slice(start, at);
  if (!/^[ \t]*$/.test(before)) return undefined;
  // A blank line before the declarations says nothing of their column.
  const indent = file.language === 'c' ? before : /^(?:[ \t]*\r?\n)*([ \t]*)/.exec(file.text.slice(start))![1]!;
  return editAt(
    file,
    { start, end: start },
    `${directiveLine(file, indent, `routine ${level}`)}${newlineOf({ file })}`,
  );
}

/** Why the procedure cannot simply be compiled for the GPU. */
function obstacleIn(scope: Scope): string | undefined {
  // nvc++ would take it there, GCC only before a definition at file scope.
  if (scope.file.language === 'c' && isInClass(scope.file.text, scope.procedure.start))
    return `${scope.procedure.name} is defined in its class, where GCC takes no \`routine\``;
  const { procedure, file } = scope;
  if (
    file.directives.some(
      (directive) =>
        directive.start >= procedure.start &&
        directive.end <= procedure.end &&
        /loop|parallel|kernels|serial|data|update/.test(directive.name),
    )
  )
    return `${procedure.name} contains directives: choose its level (gang, worker or vector)`;
  const global = flowOf(scope).touches.find((touch) => {
    const root = rootOfPath(touch.path);
    const variable = variableAt(scope, root, touch.at.start);
    return (
      variable?.role === 'global' &&
      !variable.constant &&
      !scope.sources.files.some((each) =>
        each.directives.some(
          (directive) =>
            directive.name === 'declare' &&
            directive.clauses.some((clause) => clause.argument?.items.some((item) => item.variable === root)),
        ),
      )
    );
  });
  if (global) return `${procedure.name} uses ${rootOfPath(global.path)}, which needs its own \`declare\``;
  const stop = stepsIn(procedure.body).findLast(
    (step) => step.kind === 'jump' && (step.form === 'stop' || step.form === 'goto'),
  );
  return (
    (stop?.kind === 'jump' ? `${procedure.name} has a ${stop.form}` : undefined) ??
    (/\bstatic\b/.test(file.text.slice(procedure.start, procedure.end).replace(/^[^{]*\{/, '')) && file.language === 'c'
      ? `${procedure.name} has a static variable`
      : undefined)
  );
}

const hostOnly = new RegExp(
  [
    String.raw`^(f?printf|puts|putchar|fflush|perror|exit|abort|d?rand\w*|s?rand\w*|drand48|time|clock\w*`,
    String.raw`gettimeofday|getenv|omp_\w+|MPI_\w+|usleep|sleep|malloc|calloc|new|str\w+|ato[if]|write|print`,
    'system_clock|cpu_time|date_and_time|random_seed|stop)$',
  ].join('|'),
  'i',
);
