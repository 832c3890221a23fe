// The body that a launch gives a generic kernel: a lambda, or a functor's operator. Each makes another kernel of it.
import type { FunctionDecl, TypeSyntax } from '../../syntax/ast';
import { lambdaFunction, functorOf, type Program } from '../language';
import type { LaunchConfiguration, PassedValue, Locator } from '../run';
import type { Span } from '../model';

/**
 * The first lambda that the launch gives, or the operator of the first object for a parameter of any type; else that of
 * the functor that is all the kernel calls.
 */
export function bodyOf(
  { passed = [] }: LaunchConfiguration,
  kernel: FunctionDecl,
  program: Program,
): FunctionDecl | undefined {
  for (const [at, given] of passed.entries()) {
    const found = lambdaIn(given) ?? (isOfAnyType(kernel.params[at]?.type, kernel) ? operatorOf(given) : undefined);
    if (found) return found;
  }
  return functorOf(kernel, program);
}

function lambdaIn({ lambda, fields }: PassedValue): FunctionDecl | undefined {
  if (lambda) return lambdaFunction(lambda.expr, lambda.fn);
  for (const field of fields?.values() ?? []) {
    const found = lambdaIn(field);
    if (found) return found;
  }
  return undefined;
}

function isOfAnyType(type: TypeSyntax | undefined, { templateParams = [] }: FunctionDecl): boolean {
  if (type?.kind === 'reference') return isOfAnyType(type.to, { templateParams } as FunctionDecl);
  return type?.kind === 'named' && !type.args && templateParams.some(({ name }) => name === type.name);
}

/** One that returns something is a step of the kernel, not what it is about. */
function operatorOf({ type }: PassedValue): FunctionDecl | undefined {
  const methods = type.kind === 'struct' ? (type.decl?.methods ?? []) : [];
  return methods.find(
    ({ name, body, device, returns }) =>
      name === 'operator()' && body && device && returns.kind === 'named' && returns.name === 'void',
  );
}

/** What stands for the body where a kernel has its name. */
export function headOf(body: FunctionDecl, locate: Locator): Span {
  const { nameStart: start, name } = body;
  return locate.span(body, { start, end: body.enclosing ? body.body!.start : start + name.length });
}
