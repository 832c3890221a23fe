// Where a function is called from, over all files of a unit, and what its calls hand over.
import type { CallExpr, Expr, FunctionDecl, ParamDecl, TranslationUnit } from '../../syntax/ast';
import { append, once, oncePerBody } from './append';
import type { CallSite, Fn } from './fn';
import { functionsWith, lastPart, onceEach, type Program } from './program';
import { stepsOf } from '../steps';
import { calleeName, localsOf } from './scope';

/** The calls of `fn` in code of one side, by name and number of arguments; on the host as a method, too. */
export function callSitesOf(
  unit: TranslationUnit,
  fn: FunctionDecl,
  side: 'host' | 'device',
): readonly (CallSite & { readonly call: CallExpr })[] {
  if (fn.global || !fn[side]) return [];
  return stepsOf(sitesOf(unit)(fn.name)).filter(
    ({ caller, args, call }) =>
      caller !== fn &&
      (caller.global || caller.device) === (side === 'device') &&
      (side === 'host' || call.callee.kind !== 'member') &&
      args.length <= fn.params.length &&
      fn.params.slice(args.length).every(({ init }) => init),
  );
}

const sitesOf = once((unit: TranslationUnit) =>
  onceEach((name) =>
    functionsWith(unit, [lastPart(name)]).flatMap((caller) =>
      (callsIn(caller).get(name) ?? []).map((call) => ({ caller, args: call.args, call })),
    ),
  ),
);

const callsIn = oncePerBody((caller): ReadonlyMap<string, readonly CallExpr[]> => {
  const byName = new Map<string, CallExpr[]>();
  for (const node of localsOf(caller).nodes) if (node.kind === 'call') append(byName, calledName(node) ?? '', node);
  return byName;
});

/** The name of what a call calls, a member's too. */
export function calledName(call: CallExpr): string | undefined {
  return calleeName(call) ?? (call.callee.kind === 'member' ? call.callee.field : undefined);
}

/** What a call or a launch gives for a parameter: its default where it gives nothing. */
export function argumentOf(
  parameter: ParamDecl | string | undefined,
  { params }: Pick<FunctionDecl, 'params'>,
  args: readonly Expr[],
): Expr | undefined {
  const at = params.findIndex((param) => param === parameter || param.name === parameter);
  return at < 0 ? undefined : (args[at] ?? params[at]!.init);
}

/** May a function of a name write what it is given at a position? */
export function takesReference(program: Program, name: string, at: number): boolean {
  return program.functions(name).some(({ params }) => params[at]?.type.kind === 'reference');
}

const hostSource = /\.(c|cc|cpp|cxx|c\+\+)$/i;

/**
 * Is a function for both sides called by host code of the unit, and by no kernel? Then it never runs on the GPU. Nor
 * does one of a source that the host's compiler takes: one by whose name it is C++, and without a kernel.
 */
export function runsOnHostAlone({ decl, kernels, program }: Fn): boolean {
  if (decl.global || !decl.host || kernels.length > 0 || callSitesOf(program.unit, decl, 'device').length > 0)
    return false;
  const { unit } = program;
  if (hostSource.test(unit.main.uri) && !functionsWith(unit, ['__global__']).some(({ global }) => global)) return true;
  return callSitesOf(unit, decl, 'host').length > 0;
}
