// What a directive cannot govern or hold, whatever its clauses: constructs of the host inside of the GPU's, ways out of
// a region, loops that cannot be shared, and statements that are no atomic operation.
import type {
  AssignStep,
  Directive,
  DirectiveProblem,
  JumpStep,
  LoopStep,
  RegionStep,
  Step,
} from '../../../syntax/procedures';
import { constructOf, onlyStep } from '../analysis/regions';
import { hasClause } from '../analysis/paths';
import { numberAt, parentsOf, type Scope, variableAt } from '../analysis/scope';
import { directivesOf, mentions, stepsIn, valuesIn } from '../analysis/steps';

export function constructProblems(scope: Scope): readonly DirectiveProblem[] {
  return stepsIn(scope.procedure.body).flatMap((step) => {
    if (step.macro || (step.kind !== 'jump' && directivesOf(step).length === 0)) return [];
    const parents = parentsOf(scope, step);
    if (step.kind === 'jump') return branches(scope, step, parents);
    return [
      ...directivesOf(step).flatMap((directive) => misplaced(scope, directive, step, parents)),
      ...(step.kind === 'loop' ? loopForms(scope, step) : []),
      ...(step.kind === 'region' && step.directive.name === 'atomic' ? atomicForm(scope, step) : []),
    ];
  });
}

const isRegion = (step: Step): step is RegionStep => step.kind === 'region' && step.directive.name !== 'atomic';

function misplaced(scope: Scope, directive: Directive, step: Step, parents: readonly Step[]): DirectiveProblem[] {
  const { name } = directive;
  const around = parents.findLast((parent) => isRegion(parent) && constructOf(parent.directive));
  const isOfHost = /^(data|host_data|enter data|exit data|update)$/.test(name) || constructOf(directive);
  const isFortran = scope.file.language === 'fortran';
  // C compilers pass over it.
  const isOutside = name === 'cache' && isFortran && !parents.some(({ kind }) => kind === 'loop');
  const { list = [], at = 0, parent } = scope.positions.get(step) ?? {};
  const isBare = parent?.kind === 'if' && /^[\s)]*$/.test(scope.file.text.slice(parent.cond.end, directive.start));
  const isLate = name === 'declare' && isFortran && list.slice(0, at).some(isExecutable);
  const place =
    around && isOfHost && step.kind !== 'loop'
      ? `inside of \`${directivesOf(around)[0]!.name}\``
      : (isOutside && 'outside of a loop') ||
        (isBare && step.kind === 'directive' && !isFortran && 'an arm of an `if` without braces') ||
        (isLate && 'after the first statement');
  if (place) return [{ code: 'misplaced', at: directive.nameAt, data: { directive: name, place } }];
  return name === 'loop' && !around && !isForDevice(scope)
    ? [{ code: 'orphan', at: directive.nameAt, data: { directive: name, procedure: scope.procedure.name } }]
    : [];
}

/** Made for the GPU, or perhaps what `bind` names. */
function isForDevice({ procedure, sources }: Scope): boolean {
  const isBound = sources.files.some(({ directives }) => directives.some((each) => hasClause(each, /^bind$/)));
  return isBound || procedure.routine.length > 0 || procedure.device === true;
}

/** No declaration, and no statement function. */
const isExecutable = (step: Step): boolean =>
  step.kind === 'call' ||
  step.kind === 'loop' ||
  (step.kind === 'assign' && !step.declares && step.target.kind === 'name');

/** A jump out of the region around it, or out of a loop whose iterations are shared. */
function branches(scope: Scope, jump: JumpStep, parents: readonly Step[]): DirectiveProblem[] {
  const { text } = scope.file;
  const region = parents.findLast(isRegion);
  const written = text.slice(jump.start, jump.end);
  const [, word = '', label] = /^(go\s*to|\w+)[ \t]*(\w+)?/i.exec(written) ?? [];
  const out = (directive: Directive): DirectiveProblem[] => [
    { code: 'branch', at: jump, data: { word: word.toLowerCase(), directive: directive.name } },
  ];
  if (jump.form === 'return') return region ? out(region.directive) : [];
  if (jump.form === 'goto') {
    const isInside = region && new RegExp(`(?:^|[\\s;{}])${label}\\b\\s*(?:[:a-z]|$)`, 'im');
    const rest = region && text.slice(region.start, jump.start) + text.slice(jump.end, region.end);
    return label && isInside && !isInside.test(rest!) ? out(region!.directive) : [];
  }
  const isSwitch = ({ kind }: Step): boolean => scope.file.language === 'c' && kind === 'other';
  if (jump.form === 'stop' || (jump.form === 'break' && parents.some(isSwitch))) return [];
  const named = new RegExp(`^\\s*${label}\\s*:`, 'i');
  const lineOf = ({ header }: LoopStep): string => text.slice(text.lastIndexOf('\n', header.start) + 1, header.end);
  const loop = parents.findLast((parent) => parent.kind === 'loop' && (!label || named.test(lineOf(parent))));
  if (loop?.kind !== 'loop') return [];
  if (region && region.start > loop.start && parents.indexOf(region) > parents.indexOf(loop))
    return out(region.directive);
  const shared = jump.form === 'break' ? loop.directives.find(isShared) : undefined;
  return shared ? out(shared) : [];
}

/** Iterations run one after the other under `seq`, which has none of the demands. */
const isShared = ({ clauses, problems }: Directive): boolean =>
  problems.length === 0 && !clauses.some(({ name }) => name === 'seq' || name === 'auto');

function loopForms(scope: Scope, loop: LoopStep): DirectiveProblem[] {
  const directive = loop.directives.find(isShared);
  if (!directive) return [];
  const clause = directive.clauses.find(({ name }) => name === 'collapse' || name === 'tile');
  const needs = (expected: string, at = directive.nameAt, subject = directive.name): DirectiveProblem[] => [
    { code: 'form', at, data: { subject, expected } },
  ];
  const isUncounted = /;\s*\)$|(?:[*/]|<<|>>)=[^;]*\)$/.test(scope.file.text.slice(loop.header.start, loop.header.end));
  if (loop.form === 'while' || (loop.form === 'other' && isUncounted)) return needs('a counted loop');
  if (variableAt(scope, loop.variable ?? '', loop.header.end)?.floating) return needs('a loop that counts in integers');
  const { items = [], modifiers = [] } = clause?.argument ?? {};
  const count = clause?.name === 'tile' ? items.length : (numberAt(scope, items.at(-1)?.value, loop) ?? 1);
  if (!clause || modifiers.length > 0) return [];
  const nest = [loop];
  for (let inner = onlyStep(loop.body); nest.length < count && inner?.kind === 'loop'; inner = onlyStep(inner.body))
    nest.push(inner);
  const isPlain = ({ kind, macro }: Step): boolean => !macro && /^(assign|if|loop)$/.test(kind);
  const last = nest.at(-1)!;
  if (nest.length < count)
    return last.form === 'counted' && last.body.length > 0 && last.body.every(isPlain)
      ? needs(`${count} tightly nested loops`, clause.nameAt, clause.written)
      : [];
  const outer = nest.find(({ variable }, at) =>
    nest
      .slice(at + 1)
      .some(({ lower, upper }) => [lower, upper].some((bound) => bound && variable && mentions(bound, variable))),
  );
  return outer ? needs(`loops whose bounds do not depend on \`${outer.variable}\``, clause.nameAt, clause.written) : [];
}

/** `capture` has too many forms, and comparisons are of newer standards. */
function atomicForm(scope: Scope, { directive, body }: RegionStep): DirectiveProblem[] {
  const form = directive.clauses.find(({ name }) => name in atomicForms)?.name ?? 'update';
  const step = onlyStep(body);
  if (form === 'capture' || directive.problems.length > 0 || !step || step.macro) return [];
  const isRight = step.kind === 'assign' ? isAtomic(scope, form, step) : step.kind !== 'loop' && step.kind !== 'call';
  const expected = atomicForms[form as keyof typeof atomicForms];
  return isRight ? [] : [{ code: 'form', at: step, data: { subject: `atomic ${form}`, expected } }];
}

const atomicForms = { read: '`v = x`', write: '`x = v`', update: '`x = x + v` or the like', capture: '' };

function isAtomic({ file }: Scope, form: string, { op, target, value }: AssignStep): boolean {
  const key = ({ start, end }: { start: number; end: number }): string => {
    const bare = file.text.slice(start, end).replace(/\s/g, '');
    return file.language === 'c' ? bare : bare.toLowerCase();
  };
  const isOwn = valuesIn(value).some((part) => key(part) === key(target));
  if (form === 'update') return op !== undefined || isOwn;
  return op === undefined && !isOwn && (form === 'write' || !/^(number|binary|conditional)$/.test(value.kind));
}
