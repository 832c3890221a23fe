// Races in loops that halve or double a number that the host leaves open: those that numbers of several sizes show.
import type { FunctionDecl, Expr } from '../../syntax/ast';
import { mentions, walk } from '../language';
import { run, type RunSetup } from '../run';
import type { GridAxes } from './otherBlocks';
import { globalRacesOf, racesOf, type RaceSummary } from './raceFacts';

/** The races that all sizes of one integer show in a block of known threads; none where a run is not complete. */
export function racesOfSizes(
  setup: RunSetup,
  block: readonly [number, number, number],
  grid: GridAxes,
): readonly RaceSummary[] {
  const { fn: kernel, args } = setup;
  const at = openParameter(kernel, setup);
  if (at === undefined) return [];
  const threads = block[0] * block[1] * block[2];
  const sizes = [2 * threads, 2 * threads + 1, 4 * threads];
  const [first = [], ...others] = sizes.map((size) => {
    const result = run({ ...setup, args: kernel.params.map((_, place) => (place === at ? size : args[place])) });
    return result.complete ? [...racesOf(result, kernel, block), ...globalRacesOf(result, kernel, block, grid)] : [];
  });
  const inAll = first.filter(({ key }) => others.every((races) => races.some((each) => each.key === key)));
  return inAll.map((race) => ({ ...race, size: { name: kernel.params[at]!.name, number: sizes[0]! } }));
}

/** The place of an integer without a known value, by which a loop starts or ends that steps by a factor. */
function openParameter({ params, body }: FunctionDecl, { args, types, bindings }: RunSetup): number | undefined {
  const limits: Expr[] = [];
  if (body)
    walk(body, (node) => {
      if (node.kind !== 'for' || !node.step || !stepsByFactor(node.step)) return;
      if (node.init?.kind === 'decl') limits.push(...node.init.vars.flatMap(({ init }) => init ?? []));
      if (node.init?.kind === 'expr') limits.push(node.init.expr);
      if (node.cond) limits.push(node.cond);
    });
  const places = [...params.keys()].filter((at) => {
    const { name, type } = params[at]!;
    const resolved = args[at] === undefined ? types.resolve(type, bindings) : undefined;
    const isInteger = resolved?.kind === 'scalar' && !resolved.float;
    return isInteger && limits.some((limit) => mentions(limit, name));
  });
  return places.length === 1 ? places[0] : undefined;
}

/** `d /= 2`, `d >>= 1`, `d = d * 2`. */
function stepsByFactor(step: Expr): boolean {
  if (step.kind !== 'assign') return false;
  const { op, value } = step;
  return /^(?:[*/]|<<|>>)=$/.test(op) || (value.kind === 'binary' && /^(?:[*/]|<<|>>)$/.test(value.op));
}
