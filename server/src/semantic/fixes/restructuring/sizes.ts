// The sizes of a product, which a kernel has as its parameters and constants, in terms of the function that launches.
import type { Expr, LaunchExpr } from '../../../syntax/ast';
import { atomsOf, type Fn, type Index, argumentOf, constantPolynomial } from '../../language';
import { parenthesised } from '../writing/edits';
import { extentsAlongX } from './coverage';
import type { Gemm } from './factors';

/** What a launch gives for a parameter of the kernel, or for its blocks and threads. */
function passedFor(atom: string, launch: LaunchExpr, params: Gemm['params'], host: Fn): Expr | undefined {
  const at = ['gridDim.x', 'blockDim.x'].indexOf(atom);
  return at < 0 ? argumentOf(atom, { params }, launch.args) : extentsAlongX({ launch, host })?.[at];
}

/** A size of the kernel as the launch passes it. */
export function sizeText(of: Index, launch: LaunchExpr, { params, names }: Gemm, host: Fn): string {
  const name = names?.get(of);
  if (name !== undefined && !host.locals.all.some((local) => local.name === name)) return name;
  const parts = [...of.terms].map(([key, coefficient], at) => {
    const atoms = atomsOf(key).map((atom) => passedFor(atom, launch, params, host)!);
    const isLone = of.terms.size === 1 && atoms.length === 1 && coefficient === 1;
    const texts = atoms.map((arg) => (isLone ? host.text(arg).trim() : parenthesised(host, arg)));
    const size = Math.abs(coefficient);
    const product = [...(size === 1 && texts.length > 0 ? [] : [`${size}`]), ...texts].join(' * ');
    return coefficient < 0 ? `${at === 0 ? '-' : ' - '}${product}` : `${at === 0 ? '' : ' + '}${product}`;
  });
  return parts.join('') || '0';
}

/** The same in terms of the launching function; undefined where an argument is something else. */
export function passedTo(of: Index, launch: LaunchExpr, { decl }: Fn, host: Fn): Index | undefined {
  let sum: Index = constantPolynomial(0);
  for (const [key, coefficient] of of.terms) {
    let product: Index = constantPolynomial(coefficient);
    for (const atom of atomsOf(key)) {
      const arg = passedFor(atom, launch, decl.params, host);
      const value = arg && host.index(arg);
      if (!value) return undefined;
      product = product.times(value);
    }
    sum = sum.plus(product);
  }
  return sum;
}
