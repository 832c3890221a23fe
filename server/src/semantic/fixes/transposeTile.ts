// Kernels of one statement that reads along rows and writes down columns, or the other way round: the values go through
// a padded tile in shared memory, so that both sides run along rows.
import type { Expr, SourceFile, Stmt, TypeSyntax } from '../../syntax/ast';
import type { Edit, Refusal, RewriteFact } from '../model';
import { type Fn, constantOf, type LaunchSite, type Local, type AnySyntax, some, walk, sizeOf } from '../language';
import { freshNamesOf, hasComment, longestLine } from './writing/edits';
import { dim3Parts, extentOf, extentParts, isStartedOtherwise } from './launchShapes/launchGrids';
import type { AccessFamily } from './writing/family';
import { asSpelled } from './ownType';
import { refuser } from './writing/refusals';
import { hasMacro, touchesMemory } from '../program';

const refused = refuser<'kernel' | 'block' | 'one' | 'directions' | 'type'>('transpose-tile');

export const transposeTile: AccessFamily<'transpose-tile'> = {
  id: 'transpose-tile',
  on: 'access',
  of: 'function',
  causes: ['slow-axis', 'stride'],
  when: ({ expr, fixes }) => !!expr && !fixes['swap-axes'],
  isNear: ({ isPlane }) => isPlane,
  find: ({ fn, elsewhere }) => transposeTileOf(fn, elsewhere),
};

/** The only statement that touches memory, under its guards. */
interface OneStatement {
  readonly target: Expr;
  readonly value: Expr;
  readonly op: string;
  /** What holds where the statement runs, or `not`. */
  readonly guards: readonly { readonly cond: Expr; readonly not?: true }[];
  /** The first and last statement that the tile takes the place of. */
  readonly from: Stmt;
  readonly to: Stmt;
}

/**
 * The tile of a block and who takes which element of it: in a square each thread that of its mirror image, in any other
 * plane the threads are numbered along the columns.
 */
interface Layout {
  readonly elements: number;
  readonly declared: (name: string) => string;
  readonly place: (name: string) => string;
  readonly crossed: (name: string) => string;
  /** The thread whose element is taken, as text, and what has to be declared for it. */
  readonly x: string;
  readonly y: string;
  readonly set: readonly string[];
  readonly shape: string;
}

const most = { threads: 1024, bytes: 48 * 1024 };
/** Of shared memory, each of four bytes: as many as a warp has lanes. */
const banks = 32;

function squareLayout(side: number, called: string | undefined): Layout {
  return {
    elements: side * (side + 1),
    declared: (name) => `${name}[${called ?? side}][${called ? `${called} + 1` : side + 1}]`,
    place: (name) => `${name}[threadIdx.y][threadIdx.x]`,
    crossed: (name) => `${name}[threadIdx.x][threadIdx.y]`,
    x: 'threadIdx.y',
    y: 'threadIdx.x',
    set: [],
    shape: `${side} × ${side + 1}`,
  };
}

/** Of planes of any extents, with rows that are `pad` elements longer than a row of the block. */
function planeLayout(elements: number, fresh: (name: string) => string, pad = 1): Layout {
  const [number, column, row, pitch] = ['number', 'column', 'row', 'pitch'].map(fresh) as [
    string,
    string,
    string,
    string,
  ];
  return {
    elements,
    declared: (name) => `${name}[${elements}]`,
    place: (name) => `${name}[threadIdx.y * ${pitch} + threadIdx.x]`,
    crossed: (name) => `${name}[${row} * ${pitch} + ${column}]`,
    x: column,
    y: row,
    set: [
      `const unsigned int ${number} = threadIdx.y * blockDim.x + threadIdx.x, ${pitch} = blockDim.x + ${pad};`,
      `const unsigned int ${column} = ${number} / blockDim.y, ${row} = ${number} % blockDim.y;`,
    ],
    shape: String(elements),
  };
}

/**
 * The edits, where the kernel is one whose blocks are planes: one square, other extents, or extents of run time that
 * the known launches give as two. `launchedElsewhere`: other files launch the kernel.
 */
export function transposeTileOf(fn: Fn, launchedElsewhere = false): RewriteFact | Refusal {
  if (!fn.decl.global || !fn.decl.body) return refused('kernel', 'it is in a function that the kernel calls');
  if (launchedElsewhere) return refused('block', 'other files launch the kernel');
  if (!layoutOf(fn)) return refused('block', 'its blocks are not all two-dimensional with at least 8 threads per side');
  const one = oneStatementOf(fn);
  if (typeof one === 'string') return refused('one', one);
  const direction = directionOf(one, fn);
  if (direction !== 'writes down' && direction !== 'reads down') return refused('directions', direction);
  const element = elementOf(one.target, fn);
  if (!element) return refused('type', 'the type of the elements has no name');
  if (one.op !== '=' && !(one.value.kind === 'index' && elementOf(one.value, fn)?.text === element.text))
    return refused('type', 'the added value is not an element of the same type');
  const layout = layoutOf(fn, element.bytes)!;
  if (layout.elements * (element.bytes ?? 16) > most.bytes)
    return refused('block', 'a tile of its block size does not fit into shared memory');
  return written(one, direction, layout, element, fn);
}

/** The shortest padding with which the warps of all blocks are served in the fewest wavefronts, on both ways. */
function paddingOf(shapes: Fn['blockShapes'], bytes: number): number {
  let best = { pad: 1, price: Infinity };
  for (let pad = 1; pad <= banks; pad++) {
    let price = 0;
    for (const [x, y] of shapes)
      for (const place of [
        (at: number) => Math.floor(at / x) * (x + pad) + (at % x),
        (at: number) => (at % y) * (x + pad) + Math.floor(at / y),
      ])
        for (let first = 0; first < x * y; first += banks) {
          const words = new Map<number, number>();
          for (let at = first; at < Math.min(x * y, first + banks); at++) {
            const bank = Math.floor((place(at) * bytes) / 4) % banks;
            words.set(bank, (words.get(bank) ?? 0) + 1);
          }
          price += Math.max(...words.values());
        }
    if (price < best.price) best = { pad, price };
  }
  return best.pad;
}

function layoutOf(fn: Fn, bytes = 4): Layout | undefined {
  if (fn.blockShapes.some(([x, y, z]) => x < 8 || y < 8 || z !== 1)) return undefined;
  const [shape] = fn.blockShapes;
  const isKnown = shape && fn.allShapesKnown !== false;
  if (isKnown && shape[0] <= 32 && fn.blockShapes.every(([x, y]) => x === shape[0] && y === shape[0]))
    return squareLayout(shape[0], sideName(shape[0], fn));
  const fresh = freshNamesOf(fn);
  if (isKnown) {
    const pad = paddingOf(fn.blockShapes, bytes);
    return planeLayout(Math.max(...fn.blockShapes.map(([x, y]) => y * (x + pad))), fresh, pad);
  }
  const sites = fn.launchSites(fn.decl.name).filter(({ kernel }) => !kernel || kernel === fn.decl);
  const isPlane = sites.every((site) => site.kernel && extentOf(site, 1)?.y !== undefined);
  if (sites.length === 0 || !isPlane || isStartedOtherwise(fn)) return undefined;
  // y is 1024 at most, and so many elements are the one more that each row has.
  return planeLayout(2 * most.threads, fresh);
}

/** What all launches call the side of their blocks, where the kernel sees the constant of that name. */
function sideName(side: number, fn: Fn): string | undefined {
  const { file, decl, unit } = fn;
  const names = new Set(
    fn
      .launchSites(decl.name)
      .filter(({ kernel }) => !kernel || kernel === decl)
      .flatMap((site) => {
        const block = site.launch.config[1];
        const parts = block && (dim3Parts(block, site) ?? extentParts(block));
        return [parts?.[0], parts?.[1]].map((part) => part && constantName(part, side, site));
      }),
  );
  const [name] = names;
  if (names.size !== 1 || name === undefined || fn.locals.all.some((local) => local.name === name)) return undefined;
  const isAbove = (of: SourceFile, start: number): boolean => (of === file ? start < decl.base : file === unit.main);
  const macros = unit.files.flatMap((of) =>
    of.macros.filter((macro) => macro.name === name).map((macro) => ({ of, macro })),
  );
  const [defined] = macros;
  if (defined)
    return macros.length === 1 &&
      /^(\w+|\(.*\))$/.test(defined.macro.body.trim()) &&
      isAbove(defined.of, defined.macro.start)
      ? name
      : undefined;
  const isDeclared = unit.files.some((of) =>
    of.globals.some((global) => global.qualifiedName === name && isAbove(of, global.start)),
  );
  return isDeclared ? name : undefined;
}

function constantName(part: Expr, value: number, { host }: LaunchSite): string | undefined {
  const text = host.text(part).trim();
  const isLocal = part.kind === 'name' && host.local(part) !== undefined;
  const isNamed = /^[A-Za-z_]\w*$/.test(text) && !isLocal;
  return isNamed && constantOf(part, host.program, host.types) === value ? text : undefined;
}

/** Declarations, guards, and one assignment from memory to memory, in this order; a sentence where there is more. */
function oneStatementOf(fn: Fn): OneStatement | string {
  const guards: { readonly cond: Expr; readonly not?: true }[] = [];
  let from: Stmt | undefined;
  let list: readonly Stmt[] = fn.decl.body!.body;
  const to = list.at(-1);
  if (!to) return 'the kernel is empty';
  for (let at = 0; at < list.length; ) {
    const stmt = list[at]!;
    const isLast = at === list.length - 1;
    if (hasMacro(stmt)) return 'it contains macros';
    if (from && hasComment(fn, stmt)) return 'it contains comments';
    if (stmt.kind === 'decl' && !from) {
      if (!stmt.vars.every(({ init }) => init && !touchesMemory(init))) return 'the kernel does more than one thing';
      at++;
    } else if (stmt.kind === 'if' && !stmt.else && !stmt.init && !touchesMemory(stmt.cond)) {
      from ??= stmt;
      const body = stmt.then.kind === 'block' ? stmt.then.body : [stmt.then];
      if (body.length === 1 && body[0]!.kind === 'return' && !isLast) {
        guards.push({ cond: stmt.cond, not: true });
        at++;
      } else {
        if (!isLast) return 'the kernel does more than one thing';
        guards.push({ cond: stmt.cond });
        list = body;
        at = 0;
      }
    } else if (stmt.kind === 'expr' && isLast && stmt.expr.kind === 'assign' && stmt.expr.target.kind === 'index') {
      from ??= stmt;
      if (hasComment(fn, { start: from.start, end: to.end })) return 'it contains comments';
      const { target, value, op } = stmt.expr;
      if (!/^[+-]?=$/.test(op)) return 'the statement does more than copy a value';
      return { target, value, op, guards, from, to };
    } else return 'the kernel does more than one thing';
  }
  return 'the kernel does more than one thing';
}

/** Who computes the value: the thread itself where it is written down a column, its mirror where it is read so. */
function directionOf(one: OneStatement, fn: Fn): string {
  const along = (expr: Expr): 'along' | 'down' | 'same' | undefined => {
    if (expr.kind !== 'index') return undefined;
    const index = fn.index(expr.index);
    const [x, y] = [index?.split('threadIdx.x'), index?.split('threadIdx.y')];
    if (!x || !y) return undefined;
    const [byX, byY] = [x.factor.number, y.factor.number];
    if (byX === 0 && byY === 0) return 'same';
    if (byX === 1) return 'along';
    return byY === 1 ? 'down' : undefined;
  };
  const target = along(one.target);
  const reads: Expr[] = [];
  walk(one.value, (node) => {
    if (node.kind === 'index') reads.push(node);
  });
  const ways = reads.map(along);
  if (target === undefined || ways.some((way) => way === undefined)) return 'an index cannot be analysed';
  if (target === 'down' && ways.every((way) => way !== 'down') && ways.includes('along')) return 'writes down';
  if (target === 'along' && ways.every((way) => way !== 'along') && ways.includes('down')) return 'reads down';
  return 'its reads and writes do not form a transpose';
}

/** The element type of an array as the kernel writes it. */
function elementOf(expr: Expr, fn: Fn): { readonly text: string; readonly bytes: number | undefined } | undefined {
  if (expr.kind !== 'index' || expr.base.kind !== 'name') return undefined;
  const local: Local | undefined = fn.local(expr.base);
  const type: TypeSyntax | undefined = local?.parameter?.type;
  if (type?.kind !== 'pointer' || type.to.kind !== 'named' || type.to.args || type.to.volatile) return undefined;
  const spelled = asSpelled(type.to, local!, fn);
  return {
    text: spelled.kind === 'named' ? spelled.name : type.to.name,
    bytes: sizeOf(fn.types.resolve(type.to)),
  };
}

function written(
  one: OneStatement,
  direction: 'writes down' | 'reads down',
  layout: Layout,
  element: { readonly text: string; readonly bytes: number | undefined },
  fn: Fn,
): RewriteFact {
  const fresh = freshNamesOf(fn);
  const tile = fresh('tile');
  const newline = fn.newline;
  const indent = fn.indent(one.from.start);
  const ofLane = layout.place(tile);
  const mirrored = layout.crossed(tile);
  const { names, lines: declared } = mirroredDeclarations(one, direction === 'writes down', layout, fn);
  const [plain, crossed] = [(expr: Expr) => fn.text(expr), (expr: Expr) => mirror(expr, layout, names, fn)];
  const lines =
    direction === 'writes down'
      ? [
          guarded(one, plain, `${ofLane} = ${plain(one.value)};`, fn),
          '__syncthreads();',
          ...declared,
          guarded(one, crossed, `${crossed(one.target)} ${one.op} ${mirrored};`, fn),
        ]
      : [
          ...declared,
          guarded(one, crossed, `${mirrored} = ${crossed(one.value)};`, fn),
          '__syncthreads();',
          guarded(one, plain, `${plain(one.target)} ${one.op} ${ofLane};`, fn),
        ];
  const text = [`__shared__ ${element.text} ${layout.declared(tile)};`, ...layout.set, ...lines].join(newline + indent);
  const edits: Edit[] = [{ at: fn.span({ start: one.from.start, end: one.to.end }), newText: text }];
  const bytes = element.bytes === undefined ? '' : ` (+${layout.elements * element.bytes} bytes)`;
  return { edits, proof: 'run', title: `Stage in a shared ${layout.shape} tile${bytes}` };
}

/** The statement under all that has to hold, each condition as `text` writes it; on two lines where one is long. */
function guarded({ guards, from }: OneStatement, text: (cond: Expr) => string, statement: string, fn: Fn): string {
  const parts = guards.map(({ cond, not }) => {
    const written = text(cond);
    return not ? `!(${written})` : guards.length > 1 && /\|\||\?/.test(written) ? `(${written})` : written;
  });
  if (parts.length === 0) return statement;
  const guard = `if (${parts.join(' && ')})`;
  const indent = fn.indent(from.start);
  const isLong = indent.length + guard.length + 1 + statement.length > longestLine;
  return guard + (isLong ? fn.newline + indent + fn.indentStep : ' ') + statement;
}

/** What the statement and its guards use and that differs between threads, declared for the mirror by other names. */
function mirroredDeclarations(
  one: OneStatement,
  ofTarget: boolean,
  layout: Layout,
  fn: Fn,
): { readonly names: ReadonlyMap<Local, string>; readonly lines: readonly string[] } {
  const used = new Set<Local>();
  const visit = (node: AnySyntax): void =>
    walk(node, (inner) => {
      const local = inner.kind === 'name' ? fn.local(inner) : undefined;
      const definition = local && fn.definition(local);
      if (!local || !definition || used.has(local)) return;
      used.add(local);
      visit(definition);
    });
  visit(ofTarget ? one.target : one.value);
  for (const node of fn.locals.nodes) if (node.kind === 'if') visit(node.cond);
  const fresh = freshNamesOf(fn);
  const names = new Map<Local, string>();
  const lines: string[] = [];
  for (const local of fn.locals.all) {
    if (!used.has(local) || !local.variable?.init) continue;
    const { init } = local.variable;
    const varies = some(init, (node) => {
      if (node.kind !== 'name') return false;
      const inner = fn.local(node);
      return inner ? names.has(inner) : node.name === 'threadIdx';
    });
    if (!varies) continue;
    const value = mirror(init, layout, names, fn);
    names.set(local, fresh(`mirrored_${local.name}`));
    lines.push(`const ${typeText(local.variable.type)} ${names.get(local)!} = ${value};`);
  }
  return { names, lines };
}

function typeText(type: TypeSyntax): string {
  return type.kind === 'named' ? type.name : 'auto';
}

/** The text with another thread in the place of `threadIdx.x` and `threadIdx.y`, and what it calls its variables. */
function mirror(expr: Expr, { x, y }: Layout, names: ReadonlyMap<Local, string>, fn: Fn): string {
  const places: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  const add = ({ start, end }: Expr, text: string): number =>
    places.push({ start: start - expr.start, end: end - expr.start, text });
  walk(expr, (node) => {
    const local = node.kind === 'name' ? fn.local(node) : undefined;
    if (node.kind === 'name' && local && names.has(local)) add(node, names.get(local)!);
    if (node.kind !== 'member' || node.object.kind !== 'name' || node.object.name !== 'threadIdx') return;
    if (!fn.local(node.object)) add(node, node.field === 'x' ? x : y);
  });
  let out = fn.text(expr);
  for (const { start, end, text } of places.sort((a, b) => b.start - a.start))
    out = out.slice(0, start) + text + out.slice(end);
  return out;
}
