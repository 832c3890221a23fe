// Bank conflicts of an array in shared memory: another layout of it, and the edits that give it that layout.
//
// A layout is looked for by running it: what was sampled of every access to the array is priced under each candidate,
// and the one with the fewest wavefronts that makes no access worse is taken.
import { excerpt } from '../../excerpt';
import type { Expr, VarDecl } from '../../../syntax/ast';
import type { Edit, Refusal, TileLayoutFact } from '../../model';
import { once, functionsWith, type Fn, type LaunchSite, localsOf, mentions } from '../../language';
import { parenthesised } from '../writing/edits';
import { isStartedOtherwise } from '../launchShapes/launchGrids';
import type { AccessFamily, SharedSample } from '../writing/family';
import { refuser } from '../writing/refusals';
import { costOf, layoutsOf, type Cost, type Extents, type Layout } from './layouts';
import { sharedBytesOf, tileOf, type Tile } from './tile';
import { tileUsesOf, type TileUse } from './uses';
import { hasMacro, isPure } from '../../program';

const refused = refuser<'tile' | 'uses' | 'launches' | 'sampled' | 'gain' | 'size' | 'written'>('tile-layout');

export const tileLayouts: AccessFamily<'tile-layout', TileLayoutFact> = {
  id: 'tile-layout',
  on: 'access',
  to: ['shared'],
  find({ fn, array, fact, elsewhere, samples }) {
    const { here, others } = samples();
    // A sample of an index that data decide is one of many: no layout suits them all.
    const isOpen = fact.unknownStride !== undefined || fact.assumed.some(({ kind }) => kind === 'loaded-index');
    return tileLayoutOf(fn, array!, isOpen ? [] : here, others, elsewhere);
  },
};

/** Static shared arrays of a block may hold so much on every GPU; more has to be dynamic. */
const staticSharedBytes = 48 * 1024;
/** An access that leaves so many times its ideal is a finding itself. */
const conflict = 1.5;

/**
 * The edits that lay the array of `declaration` out so that the access that is sampled as `accesses` has at most half
 * of its conflict, and no access of `others` more than it has. `elsewhere`: other files launch the kernel.
 */
export function tileLayoutOf(
  fn: Fn,
  declaration: VarDecl,
  accesses: readonly SharedSample[],
  others: readonly (readonly SharedSample[])[],
  elsewhere = false,
): TileLayoutFact | Refusal {
  const known = knownOf(fn, declaration, [accesses, ...others], elsewhere);
  if ('why' in known) return known;
  const before = costOf(accesses);
  if (!before) return refused('sampled', 'its index depends on unknown values');
  const ratio = before.wavefronts / before.ideal;
  let left = ratio;
  for (const choice of known.choices) {
    const moved = costOf(accesses, choice.layout, known.extents);
    if (!moved) continue;
    const after = moved.wavefronts / moved.ideal;
    left = Math.min(left, after);
    // What the layout parts was ideal with fewer wavefronts.
    const rest = moved.wavefronts / before.ideal;
    if (rest > ratio / 2 + 0.01 && rest >= 1.05) continue;
    return {
      edits: choice.edits,
      title: choice.title,
      before: ratio,
      after,
      safe: known.tile.dimensions.length > 0,
    };
  }
  return known.choices.length > 0
    ? refused('gain', `the best layout leaves ${Math.round(left * 10) / 10} times the ideal wavefronts`)
    : (known.refusal ?? refused('gain', 'no layout tried has fewer conflicts over all accesses'));
}

interface Choice {
  readonly layout: Layout;
  readonly edits: readonly Edit[];
  readonly title: string;
}
interface Known {
  readonly tile: Tile;
  readonly extents: Extents;
  /** Best first. */
  readonly choices: readonly Choice[];
  readonly refusal?: Refusal | undefined;
}
const tilesOf = once((_: Fn) => new Map<VarDecl, Known | Refusal>());

/** What holds for all accesses to an array: a kernel of thousands of them asks for it as often. */
function knownOf(
  fn: Fn,
  declaration: VarDecl,
  accesses: readonly (readonly SharedSample[])[],
  elsewhere: boolean,
): Known | Refusal {
  const tiles = tilesOf(fn);
  let known = tiles.get(declaration);
  if (!known) tiles.set(declaration, (known = findKnown(fn, declaration, accesses, elsewhere)));
  return known;
}

function findKnown(
  fn: Fn,
  declaration: VarDecl,
  accesses: readonly (readonly SharedSample[])[],
  elsewhere: boolean,
): Known | Refusal {
  const tile = tileOf(declaration, fn);
  if (!tile) return refused('tile', 'the extents or element size of the array are not known');
  const uses = tileUsesOf(tile, fn);
  if (typeof uses === 'string') return refused('uses', uses);
  const isDynamic = tile.dimensions.length === 0;
  const sites = isDynamic ? dynamicSitesOf(fn, elsewhere) : [];
  if (typeof sites === 'string') return refused('launches', sites);
  const widest = Math.max(
    ...uses.map(({ bytes }) => bytes),
    ...accesses.flat().map(({ bytes, scalarBytes }) => scalarBytes ?? bytes),
  );
  const extents: Extents = {
    dimensions: tile.dimensions,
    elementBytes: tile.elementBytes,
    grain: Math.max(1, Math.ceil(widest / tile.elementBytes)),
  };
  // Other arrays follow it, and may have wide accesses.
  const isWide = extents.grain > 1 || othersAreWide(declaration, fn);
  const total = sharedBytesOf(fn);
  let why: Refusal | undefined;
  const choices: Choice[] = [];
  for (const layout of ranked(extents, accesses)) {
    const extraBytes = extraBytesOf(layout, tile);
    if (isWide && extraBytes % 16 !== 0) continue;
    if (extraBytes > 0 && total + extraBytes > staticSharedBytes) {
      why ??= refused('size', 'with longer rows the tile would not fit');
      continue;
    }
    const edits = editsOf(layout, tile, uses, sites, fn);
    if (typeof edits === 'string') {
      why ??= refused('written', edits);
      continue;
    }
    choices.push({ layout, edits, title: titleOf(layout, tile, extraBytes) });
    if (choices.length === 3) break;
  }
  return { tile, extents, choices, refusal: why };
}

/** This many accesses are priced; a kernel with more has them in copies of one another. */
const mostPriced = 48;

/** Layouts that make no access worse and have fewer wavefronts over all, fewest first, plain ones before others. */
function ranked(extents: Extents, accesses: readonly (readonly SharedSample[])[]): Layout[] {
  const priced = accesses
    .map((samples) => ({ samples, cost: costOf(samples), weight: samples[0]?.weight ?? 1 }))
    .filter((one): one is typeof one & { cost: Cost } => !!one.cost)
    .slice(0, mostPriced);
  const before = priced.reduce((sum, { cost, weight }) => sum + weight * cost.wavefronts, 0);
  const found: { readonly layout: Layout; readonly wavefronts: number; readonly price: number }[] = [];
  for (const layout of layoutsOf(extents)) {
    let [wavefronts, price] = [0, 0];
    const isWorse = priced.some(({ samples, cost, weight }) => {
      const after = costOf(samples, layout, extents)!;
      wavefronts += weight * after.wavefronts;
      // Each part is a separate instruction, with an address to compute.
      price += weight * (after.wavefronts + (after.parted ?? 0));
      const ratio = after.wavefronts / cost.ideal;
      return ratio > cost.wavefronts / cost.ideal + 0.01 && ratio >= conflict;
    });
    if (!isWorse && price < before * 0.99) found.push({ layout, wavefronts, price });
  }
  // Within two parts in a hundred those with fewer wavefronts, and of these the plainer one, which comes first.
  const least = Math.min(...found.map(({ price }) => price));
  const rankOf = ({ wavefronts, price }: (typeof found)[number]): number =>
    price <= least * 1.02 ? wavefronts : price;
  const first = Math.min(...found.map(rankOf));
  return found
    .sort((a, b) => Math.max(rankOf(a), first * 1.02) - Math.max(rankOf(b), first * 1.02))
    .slice(0, 24)
    .map(({ layout }) => layout);
}

function extraBytesOf(layout: Layout, { dimensions, elementBytes }: Tile): number {
  const count = dimensions.reduce((product, size) => product * size, 1);
  switch (layout.kind) {
    case 'pad':
      return (count / dimensions.at(-1)!) * layout.by * elementBytes;
    case 'spread':
      return dimensions.length === 0 ? 0 : Math.floor(count / layout.every) * layout.by * elementBytes;
    case 'xor':
      return 0;
  }
}

/** Is another shared array of the kernel reached through a cast, so that where it begins counts? */
function othersAreWide(declaration: VarDecl, fn: Fn): boolean {
  return fn.locals.all.some(
    ({ variable, uses }) =>
      variable?.space === 'shared' &&
      variable !== declaration &&
      uses.some((use) => {
        for (let up = fn.parent(use); up; up = fn.parent(up)) {
          if (up.kind === 'cast' || up.kind === 'asm') return true;
          if (up.kind !== 'index' && up.kind !== 'unary' && up.kind !== 'call') return false;
        }
        return false;
      }),
  );
}

/** The launches that give a dynamic array its bytes; a sentence where one of them cannot be analysed. */
function dynamicSitesOf(fn: Fn, elsewhere: boolean): readonly LaunchSite[] | string {
  const { decl, program } = fn;
  if (!decl.global) return 'a function that the kernel calls declares the array';
  if (elsewhere) return 'other files launch the kernel';
  if (fn.locals.all.filter(({ variable }) => variable?.space === 'shared' && variable.storage === 'extern').length > 1)
    return 'the kernel has several names for its dynamic shared memory';
  const isElsewhere = functionsWith(program.unit, ['__shared__']).some(
    (other) =>
      !other.global && localsOf(other).all.some(({ variable }) => variable?.space === 'shared' && variable.storage),
  );
  if (isElsewhere) return 'other functions also use the dynamic shared memory';
  const sites = fn.launchSites(decl.name).filter(({ kernel }) => !kernel || kernel === decl);
  if (sites.length === 0) return 'no launch of the kernel is known';
  if (sites.some(({ kernel }) => kernel !== decl) || isStartedOtherwise(fn))
    return 'the kernel is also launched or named elsewhere';
  for (const { launch, host } of sites) {
    const bytes = launch.config[2];
    if (!bytes || launch.macro || hasMacro(bytes) || !isPure(bytes, host))
      return 'the shared memory size of a launch cannot be analysed';
  }
  return sites;
}

function editsOf(
  layout: Layout,
  tile: Tile,
  uses: readonly TileUse[],
  sites: readonly LaunchSite[],
  fn: Fn,
): readonly Edit[] | string {
  const edits: Edit[] = [];
  const { innerSize } = tile;
  if (innerSize && layout.kind !== 'xor') {
    const text = fn.text(innerSize).trim();
    if (innerSize.macro && !/^[A-Za-z_]\w*$/.test(text)) return 'the extent of the array comes from a macro';
    const grown =
      layout.kind === 'pad' ? String(layout.by) : times(`${parenthesised(fn, innerSize)} / ${layout.every}`, layout.by);
    // `N + 1` becomes `N + 2`.
    const [, head = '', number] = /^(|.*\+\s*)(\d+)$/s.exec(text) ?? [];
    const newText =
      layout.kind === 'pad' && number !== undefined && /^[^?<>&|^]*$/.test(head)
        ? `${head}${Number(number) + layout.by}`
        : `${/^[\w:\s+*/()-]+$/.test(text) ? text : `(${text})`} + ${grown}`;
    edits.push({ at: fn.span(innerSize), newText });
  }
  if (layout.kind === 'spread')
    for (const { launch, host } of sites) {
      const bytes = launch.config[2]!;
      const text = parenthesised(host, bytes);
      edits.push({
        at: host.span(bytes),
        newText: `${host.text(bytes).trim()} + ${times(`${text} / ${layout.every}`, layout.by)}`,
      });
    }
  if (layout.kind === 'pad') return edits;
  for (const { indices, macro } of uses) {
    const last = indices.at(-1)!;
    if (macro) return 'a subscript of the array comes from a macro';
    if (!isPure(last, fn)) return 'a subscript has side effects';
    if (mentions(last, tile.variable.name)) return 'a subscript of the array is read from the array';
    const of = layout.kind === 'xor' && layout.of === 'row' ? indices.at(-2)! : last;
    const newText = subscriptText(layout, last, of, fn);
    if (newText !== fn.text(last)) edits.push({ at: fn.span(last), newText });
  }
  return edits;
}

const times = (text: string, factor: number): string => (factor === 1 ? text : `${text} * ${factor}`);

/** A product with a factor that `by` divides needs no division. */
function dividedText(fn: Fn, expr: Expr, by: number): string {
  const factors = factorsOf(expr);
  const exact = factors.find((factor) => factor.kind === 'number' && !factor.macro && factor.value % by === 0);
  if (exact?.kind !== 'number') return `${parenthesised(fn, expr)} / ${by}`;
  const others = factors.filter((factor) => factor !== exact).map((factor) => parenthesised(fn, factor));
  const left = exact.value / by;
  return [...others, ...(left === 1 && others.length > 0 ? [] : [left])].join(' * ');
}

function factorsOf(expr: Expr): readonly Expr[] {
  const isProduct = expr.kind === 'binary' && expr.op === '*' && !expr.macro;
  return isProduct ? [...factorsOf(expr.left), ...factorsOf(expr.right)] : [expr];
}

/** The last subscript under a layout. */
function subscriptText(layout: Exclude<Layout, { readonly kind: 'pad' }>, last: Expr, of: Expr, fn: Fn): string {
  const text = fn.text(last).trim();
  const constant = /^\d+$/.test(fn.text(of).trim()) ? Number(fn.text(of)) : undefined;
  if (layout.kind === 'spread') {
    if (constant !== undefined) return String(constant + Math.floor(constant / layout.every) * layout.by);
    return `${summand(last, text)} + ${times(dividedText(fn, last, layout.every), layout.by)}`;
  }
  const divided = layout.divide === 1 ? parenthesised(fn, of) : dividedText(fn, of, layout.divide);
  const flip = times(`${divided} % ${layout.modulo}`, layout.unit);
  if (constant === 0) return text;
  return `${parenthesised(fn, last)} ^ (${flip})`;
}

function summand(expr: Expr, text: string): string {
  const binds =
    expr.kind === 'binary' ? /^[*/%+-]$/.test(expr.op) : expr.kind !== 'conditional' && expr.kind !== 'assign';
  return binds ? text : `(${text})`;
}

function titleOf(layout: Layout, { variable }: Tile, extraBytes: number): string {
  const name = `\`${excerpt(variable.name, 12)}\``;
  const more = extraBytes > 0 ? ` (+${extraBytes} bytes)` : '';
  switch (layout.kind) {
    case 'pad':
      return `Pad rows of ${name} by ${layout.by}${more}`;
    case 'spread':
      return (
        `Pad ${name} by ${layout.by} per ${layout.every}` +
        (extraBytes > 0 ? more : ` (+1/${layout.every / layout.by} at launch)`)
      );
    case 'xor':
      return `Swizzle columns of ${name}`;
  }
}
