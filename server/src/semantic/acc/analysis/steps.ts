// Walks over steps and values: what stands inside what, what is read and what is written.
import type { AssignStep, CallValue, Directive, ElementValue, LoopStep, Step, Value } from '../../../syntax/procedures';
import { once } from '../../language';

/** The lists of steps directly inside a step. */
export function listsOf(step: Step): readonly (readonly Step[])[] {
  switch (step.kind) {
    case 'loop':
    case 'region':
    case 'block':
      return [step.body];
    case 'if':
      return step.else ? [step.then, step.else] : [step.then];
    case 'other':
      return step.body ? [step.body] : [];
    default:
      return [];
  }
}

/** The steps of a list and all inside, each before those inside. */
export function stepsIn(steps: readonly Step[]): readonly Step[] {
  const found: Step[] = [];
  const visit = (step: Step): void => {
    found.push(step);
    for (const list of listsOf(step)) list.forEach(visit);
  };
  steps.forEach(visit);
  return found;
}

/** The directives of a step itself: its own, or those bound to a loop. */
export function directivesOf(step: Step): readonly Directive[] {
  return step.kind === 'loop' ? step.directives : 'directive' in step ? [step.directive] : [];
}

/** The values directly inside a value. */
export function partsOf(value: Value): readonly Value[] {
  switch (value.kind) {
    case 'element':
      return [value.base, ...value.subscripts];
    case 'member':
      return [value.object];
    case 'unary':
      return [value.operand];
    case 'binary':
      return [value.left, value.right];
    case 'call':
      return value.args;
    case 'conditional':
      return [value.cond, value.then, value.else];
    case 'section':
      return [value.lower, value.upper, value.length, value.step].filter((part) => part !== undefined);
    case 'other':
      return [...value.parts, ...(value.assigns ?? [])];
    default:
      return [];
  }
}

/** Calls `visit` for a value and every value inside; `false` keeps it out of one. */
export function walkValue(value: Value, visit: (value: Value) => boolean | void): void {
  if (visit(value) !== false) for (const part of partsOf(value)) walkValue(part, visit);
}

/** A value and all inside, each before those inside. */
export function valuesIn(value: Value): readonly Value[] {
  const found: Value[] = [];
  walkValue(value, (part) => void found.push(part));
  return found;
}

export const isNamed = (value: Value, name: string | undefined): boolean =>
  value.kind === 'name' && value.name === name;

/** Whether a value has a name in it. */
export const mentions = (value: Value, name: string): boolean => valuesIn(value).some((part) => isNamed(part, name));

/** Whether a step gives a name, and no part of what it names, a value. */
export function isAssignmentTo(step: Step, name: string): step is AssignStep {
  return step.kind === 'assign' && isNamed(step.target, name);
}

/**
 * The values that a step itself reads: its own expressions, not those of the steps inside. The subscripts of a target
 * are among them.
 */
export function readsOf(step: Step): readonly Value[] {
  switch (step.kind) {
    case 'loop':
      return [step.lower, step.upper, step.step, step.cond].filter((value) => value !== undefined);
    case 'assign':
      return [step.value, ...(step.op ? [step.target] : []), ...subscriptsOf(step.target)];
    case 'call':
      return step.call.args;
    case 'if':
      return [step.cond];
    case 'jump':
      return step.value ? [step.value] : [];
    case 'other':
      return [...step.reads, ...step.writes.flatMap(subscriptsOf)];
    default:
      return [];
  }
}

function subscriptsOf(target: Value): readonly Value[] {
  if (target.kind === 'element') return [...target.subscripts, ...subscriptsOf(target.base)];
  if (target.kind === 'member') return subscriptsOf(target.object);
  return [];
}

/** An element that a piece of code touches. */
export interface Access {
  readonly element: ElementValue;
  readonly write: boolean;
  readonly step: Step;
  /** Under a condition inside the piece. */
  readonly conditional: boolean;
  /** Inside an `atomic` construct. */
  readonly atomic: boolean;
  /** Loops of the piece around it, outermost first. */
  readonly loops: readonly LoopStep[];
}

/** All that a piece of code does to variables. */
interface Effects {
  /** Names written as a whole: scalars, loop variables, Fortran's whole arrays. */
  readonly written: ReadonlySet<string>;
  /** Names handed to a call statement: Fortran passes them by reference. */
  readonly passed: ReadonlySet<string>;
  /** Names that are declared inside with a separate value (C's block scope). */
  readonly declared: ReadonlySet<string>;
  readonly accesses: readonly Access[];
  readonly calls: readonly { readonly call: CallValue; readonly step: Step }[];
  /** Jumps out of it, and steps that were not understood and may write. */
  readonly opaque: boolean;
}

/** What the steps of a list and all inside do. */
export const effectsOf = once((steps: readonly Step[]): Effects => {
  const written = new Set<string>(),
    declared = new Set<string>(),
    passed = new Set<string>();
  const accesses: Access[] = [],
    calls: { call: CallValue; step: Step }[] = [];
  let opaque = false;
  const read = (value: Value, step: Step, conditional: boolean, atomic: boolean, loops: readonly LoopStep[]): void => {
    walkValue(value, (part) => {
      // What is evaluated only where a condition holds.
      const guarded = conditional
        ? []
        : part.kind === 'conditional'
          ? [part.then, part.else]
          : part.kind === 'binary' && /^(&&|\|\|)$/.test(part.op)
            ? [part.right]
            : [];
      if (guarded.length) {
        for (const one of partsOf(part)) read(one, step, guarded.includes(one), atomic, loops);
        return false;
      }
      if (part.kind === 'element') accesses.push({ element: part, write: false, step, conditional, atomic, loops });
      else if (part.kind === 'call') calls.push({ call: part, step });
      else if (part.kind === 'other' && part.assigns)
        for (const target of part.assigns) write(target, step, conditional, atomic, loops);
      else if (part.kind === 'unary' && part.op === '&' && part.operand.kind === 'name') written.add(part.operand.name);
      return true;
    });
  };
  const write = (
    target: Value,
    step: Step,
    conditional: boolean,
    atomic: boolean,
    loops: readonly LoopStep[],
  ): void => {
    if (target.kind === 'name') written.add(target.name);
    else if (target.kind === 'element')
      accesses.push({ element: target, write: true, step, conditional, atomic, loops });
    else if (target.kind === 'member') written.add(target.path);
    else opaque = true;
  };
  const walk = (list: readonly Step[], under: boolean, atomic: boolean, loops: readonly LoopStep[]): void => {
    let conditional = under;
    for (const step of list) {
      for (const value of readsOf(step)) read(value, step, conditional, atomic, loops);
      switch (step.kind) {
        case 'assign':
          if (step.declares && step.target.kind === 'name') declared.add(step.target.name);
          write(step.target, step, conditional, atomic || step.atomic === true, loops);
          break;
        case 'call':
          calls.push({ call: step.call, step });
          for (const arg of step.call.args) if (arg.kind === 'name') passed.add(arg.name);
          break;
        case 'loop':
          if (step.variable !== undefined) {
            written.add(step.variable);
            if (step.declaresVariable) declared.add(step.variable);
          }
          break;
        case 'jump':
          if (step.form !== 'continue') opaque = true;
          break;
        case 'other':
          for (const target of step.writes) write(target, step, conditional, atomic, loops);
          break;
        default:
      }
      const inside = conditional || step.kind === 'if' || step.kind === 'other';
      const atomicInside = atomic || (step.kind === 'region' && step.directive.name.startsWith('atomic'));
      for (const part of listsOf(step))
        walk(part, inside, atomicInside, step.kind === 'loop' ? [...loops, step] : loops);
      if (mayGoOn(step)) conditional = true;
    }
  };
  walk(steps, false, false, []);
  return { written, passed, declared, accesses, calls, opaque };
});

/** Whether a `continue` in it may leave out what follows. */
function mayGoOn(step: Step): boolean {
  return step.kind === 'jump'
    ? step.form === 'continue'
    : step.kind !== 'loop' && listsOf(step).some((list) => list.some(mayGoOn));
}

/** What one step and all inside do. */
export const effectsOfStep = once((step: Step): Effects => effectsOf([step]));
