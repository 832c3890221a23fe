// What the written arguments of a function template choose: a specialisation, `store<16>(…)` beside `template <>
// store<1>`, and kernels that it launches.
import { scopeAround, isSameType, kernelsNamed, noBindings, type Type } from '../language';
import type { FunctionDecl, TemplateArg, TemplateParam } from '../../syntax/ast';
import type { Templated } from './callSite';
import type { Frame, FunctionNamed } from './values';

type Answer = 'yes' | 'no' | 'open';

/**
 * The functions among `candidates` that the written arguments leave: the specialisations that they name, else those
 * that are none. Nothing is left where an unknown argument decides and no general form has a body: then which
 * body runs is not known.
 */
export function ofWrittenArgs(
  candidates: readonly FunctionDecl[],
  written: Templated | undefined,
  frame: Frame,
): readonly FunctionDecl[] {
  if (!written || written.ofClass || !candidates.some((fn) => fn.specialisedFor)) return candidates;
  const general = candidates.filter((fn) => !fn.specialisedFor);
  const answers = candidates.map((fn) => (fn.specialisedFor ? fits(fn, fn.specialisedFor, written, frame) : 'no'));
  const named = candidates.filter((_, at) => answers[at] === 'yes');
  if (named.length > 0) return named;
  return general;
}

function fits(fn: FunctionDecl, patterns: readonly TemplateArg[], { args, numbers }: Templated, frame: Frame): Answer {
  const { types } = frame.run.setup;
  const answers = patterns.map((pattern, at): Answer => {
    const actual = args[at];
    // What the call leaves out follows from the parameters' types, by which overloads are distinguished.
    if (!actual) return 'yes';
    const number = numbers[at] ?? valueArgOf(actual, frame);
    const wanted = valueArgOf(pattern, frame);
    if (wanted !== undefined) return number === undefined ? 'open' : number === wanted ? 'yes' : 'no';
    if (!('type' in pattern) || !('type' in actual)) return 'open';
    const type = types.resolve(actual.type, frame.bindings ?? noBindings, scopeAround(frame.fn));
    return sameKind(types.resolve(pattern.type, noBindings, scopeAround(fn)), type);
  });
  return answers.includes('no') ? 'no' : answers.includes('open') ? 'open' : 'yes';
}

function valueArgOf(arg: TemplateArg, frame: Frame): number | undefined {
  const { types } = frame.run.setup;
  const bindings = frame.bindings ?? noBindings;
  if ('expr' in arg) return types.constant(arg.expr, bindings);
  // A lone name may be a constant as well as a type.
  const { type } = arg;
  if (type.kind !== 'named' || type.args) return undefined;
  return types.constant({ kind: 'name', name: type.name, start: 0, end: 0 }, bindings);
}

function sameKind(pattern: Type, actual: Type): Answer {
  if (pattern.kind === 'unknown' || actual.kind === 'unknown') {
    const same = pattern.kind === 'unknown' && actual.kind === 'unknown' && pattern.name === actual.name;
    return same ? 'yes' : 'open';
  }
  return isSameType(pattern, actual) ? 'yes' : 'no';
}

/** `template <auto Kernel> void launch(…)` called as `launch<scale>(…)`: the kernels that parameters stand for. */
export function passedKernels(
  params: readonly TemplateParam[],
  args: readonly TemplateArg[],
  { run, bindings = noBindings, functions }: Frame,
): ReadonlyMap<string, FunctionNamed> | undefined {
  const found = new Map<string, FunctionNamed>();
  args.forEach((arg, at) => {
    const param = params[at];
    const named = namedBy(arg);
    if (param?.kind !== 'value' || !named) return;
    const { name, args: templateArgs } = named;
    const passed = functions?.get(name);
    if (passed) found.set(param.name, passed);
    else if (kernelsNamed(run.setup.program, name).length > 0)
      found.set(param.name, { kernelName: name, templateArgs, bindings });
  });
  return found.size > 0 ? found : undefined;
}

/** A lone name can be read as a type. */
function namedBy(arg: TemplateArg): { readonly name: string; readonly args?: readonly TemplateArg[] } | undefined {
  if ('type' in arg) return arg.type.kind === 'named' ? arg.type : undefined;
  const { expr } = arg;
  const inner = expr.kind === 'unary' && expr.op === '&' ? expr.operand : expr;
  return inner.kind === 'name'
    ? { name: inner.name, ...(inner.templateArgs ? { args: inner.templateArgs } : {}) }
    : undefined;
}
