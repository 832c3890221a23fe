// Runs a random kernel thread by thread with C's 32-bit integers, and counts what its warps ask of memory.
import { typeOf, type Access, type Expr, type IntType, type Kernel, type Stmt } from './kernel';

/** What all warp instructions of one place and direction ask for together, over the modelled blocks. */
export interface Figures {
  warps: number;
  lanes: number;
  sectors: number;
  sectorsIdeal: number;
  wavefronts: number;
  wavefrontsIdeal: number;
}
export interface Evaluation {
  /** By `PLACE load` or `PLACE store`, one list entry a block. */
  readonly blocks: readonly ReadonlyMap<string, Figures>[];
  /** Lowest and highest index of each place, for each dimension. */
  readonly ranges: ReadonlyMap<number, readonly { low: number; high: number }[]>;
  /** `PLACE INDEX[,INDEX]` of every access in the order of each thread, blocks and threads in order. */
  readonly sequence: readonly string[];
}
/** The kernel does what C leaves undefined, or runs too long: it is not a test. */
export class Unusable extends Error {}

/** Statements and iterations of one thread, and accesses of the launch. */
const mostSteps = 2_000;
const mostSequence = 40_000;

type Flow = 'on' | 'return' | 'break' | 'continue';
interface Thread {
  readonly variables: Map<string, number>;
  /** Iteration numbers of the loops around, outermost first. */
  readonly path: number[];
  steps: number;
  readonly record: (access: Access, index: readonly number[], path: string) => void;
}

function wrap(value: number, type: IntType): number {
  if (type === 'unsigned') return value >>> 0;
  if (value > 0x7fffffff || value < -0x80000000) throw new Unusable('signed overflow');
  return value | 0;
}
function converted(value: number, type: IntType): number {
  return type === 'unsigned' ? value >>> 0 : value | 0;
}

function evaluate(expr: Expr, thread: Thread): number {
  switch (expr.kind) {
    case 'number':
      return expr.value;
    case 'variable': {
      const value = thread.variables.get(expr.name);
      if (value === undefined) throw new Unusable(`${expr.name} has no value`);
      return value;
    }
    case 'cast':
      return converted(evaluate(expr.operand, thread), expr.type);
    case 'unary': {
      const value = evaluate(expr.operand, thread);
      const type = typeOf(expr.operand);
      if (expr.operator === '!') return value === 0 ? 1 : 0;
      return expr.operator === '-' ? wrap(type === 'unsigned' ? -value : 0 - value, type) : converted(~value, type);
    }
    case 'conditional': {
      const chosen = evaluate(expr.condition, thread) !== 0 ? expr.consequent : expr.otherwise;
      return converted(evaluate(chosen, thread), typeOf(expr));
    }
    case 'call':
      return callCallee(expr, thread);
    case 'binary':
      return binary(expr, thread);
  }
}

function callCallee(expr: Expr & { kind: 'call' }, thread: Thread): number {
  const { callee, args } = expr;
  if (callee.form === 'macro') {
    // The text is substituted: arguments keep their own types, and are evaluated where they stand.
    return evaluate(substituted(callee.body, new Map(callee.parameters.map((name, at) => [name, args[at]!]))), thread);
  }
  const variables = new Map(callee.parameters.map((name, at) => [name, evaluate(args[at]!, thread) | 0]));
  if (callee.constant !== undefined) variables.set('N', callee.constant);
  return evaluate(callee.body, { ...thread, variables }) | 0;
}

export function substituted(expr: Expr, by: ReadonlyMap<string, Expr>): Expr {
  switch (expr.kind) {
    case 'number':
      return expr;
    case 'variable':
      return by.get(expr.name) ?? expr;
    case 'unary':
    case 'cast':
      return { ...expr, operand: substituted(expr.operand, by) };
    case 'binary':
      return { ...expr, left: substituted(expr.left, by), right: substituted(expr.right, by) };
    case 'conditional':
      return {
        ...expr,
        condition: substituted(expr.condition, by),
        consequent: substituted(expr.consequent, by),
        otherwise: substituted(expr.otherwise, by),
      };
    case 'call':
      return { ...expr, args: expr.args.map((arg) => substituted(arg, by)) };
  }
}

function binary(expr: Expr & { kind: 'binary' }, thread: Thread): number {
  const { operator } = expr;
  if (operator === '&&' || operator === '||') {
    const left = evaluate(expr.left, thread) !== 0;
    if (operator === '&&' ? !left : left) return left ? 1 : 0;
    return evaluate(expr.right, thread) !== 0 ? 1 : 0;
  }
  const leftType = typeOf(expr.left);
  const common: IntType = leftType === 'unsigned' || typeOf(expr.right) === 'unsigned' ? 'unsigned' : 'int';
  let left = evaluate(expr.left, thread);
  let right = evaluate(expr.right, thread);
  if (operator === '<<' || operator === '>>') {
    if (right < 0 || right > 31) throw new Unusable('shift');
    if (operator === '>>') return leftType === 'unsigned' ? left >>> right : left >> right;
    if (leftType === 'unsigned') return (left << right) >>> 0;
    if (left < 0) throw new Unusable('shift of a negative number');
    return wrap(left * 2 ** right, 'int');
  }
  left = converted(left, common);
  right = converted(right, common);
  switch (operator) {
    case '+':
      return wrap(left + right, common);
    case '-':
      return wrap(left - right, common);
    case '*':
      return common === 'unsigned' ? Math.imul(left, right) >>> 0 : wrap(left * right, common);
    case '/':
    case '%': {
      if (right === 0) throw new Unusable('division by zero');
      return wrap(operator === '/' ? Math.trunc(left / right) : left % right, common);
    }
    case '&':
      return converted(left & right, common);
    case '|':
      return converted(left | right, common);
    case '^':
      return converted(left ^ right, common);
    case '<':
      return left < right ? 1 : 0;
    case '<=':
      return left <= right ? 1 : 0;
    case '>':
      return left > right ? 1 : 0;
    case '>=':
      return left >= right ? 1 : 0;
    case '==':
      return left === right ? 1 : 0;
    case '!=':
      return left !== right ? 1 : 0;
  }
}

function assign(stmt: Stmt & { kind: 'assign' }, thread: Thread): void {
  const variable: Expr = { kind: 'variable', name: stmt.name, type: stmt.type };
  const value: Expr =
    stmt.operator === '='
      ? stmt.value
      : {
          kind: 'binary',
          operator: stmt.operator.slice(0, -1) as '+',
          left: variable,
          right: stmt.value,
        };
  thread.variables.set(stmt.name, converted(evaluate(value, thread), stmt.type));
}

function execute(body: readonly Stmt[], thread: Thread): Flow {
  for (const stmt of body) {
    if (++thread.steps > mostSteps) throw new Unusable('too long');
    switch (stmt.kind) {
      case 'declare':
        thread.variables.set(stmt.name, converted(evaluate(stmt.value, thread), stmt.type));
        break;
      case 'assign':
        assign(stmt, thread);
        break;
      case 'access': {
        let index = stmt.index.map((each) => evaluate(each, thread));
        if (stmt.through) {
          const variables = new Map([['i', index[0]! | 0]]);
          index = [evaluate(stmt.through, { ...thread, variables })];
        }
        // Pointers are of 64 bits: neither sum wraps.
        if (stmt.row) index = [evaluate(stmt.row, thread) + index[0]!];
        thread.record(stmt, index, thread.path.join());
        break;
      }
      case 'if': {
        const taken = evaluate(stmt.condition, thread) !== 0 ? stmt.consequent : (stmt.otherwise ?? []);
        const flow = execute(taken, thread);
        if (flow !== 'on') return flow;
        break;
      }
      case 'for':
        thread.variables.set(stmt.name, converted(evaluate(stmt.start, thread), stmt.type));
        if (loop(stmt, thread, () => assign(stmt.step, thread)) === 'return') return 'return';
        break;
      case 'while':
      case 'do':
        if (loop(stmt, thread, () => undefined) === 'return') return 'return';
        break;
      default:
        return stmt.kind;
    }
  }
  return 'on';
}

function loop(stmt: Stmt & { readonly kind: 'for' | 'while' | 'do' }, thread: Thread, step: () => void): Flow {
  thread.path.push(0);
  for (let tested = stmt.kind !== 'do'; !tested || evaluate(stmt.condition, thread) !== 0; tested = true) {
    const flow = execute(stmt.body, thread);
    if (flow === 'return') return flow;
    if (flow === 'break') break;
    step();
    thread.path[thread.path.length - 1]!++;
    if (++thread.steps > mostSteps) throw new Unusable('too long');
  }
  thread.path.pop();
  return 'on';
}

type Cost = { readonly count: number; readonly ideal: number };
/** Sectors: distinct 32-byte pieces that the lanes touch; at best as many as hold the lanes' bytes. */
function sectors(addresses: readonly number[], unit: number): Cost {
  const touched = new Set<number>();
  for (const address of addresses)
    for (let byte = 0; byte < unit; byte++) touched.add(Math.floor((address + byte) / 32));
  return { count: touched.size, ideal: Math.min(touched.size, Math.ceil((addresses.length * unit) / 32)) };
}
/** Wavefronts: a bank's words come one by one, by half warps for 8 bytes, quarters for 16; two where pairs share. */
function wavefronts(addresses: readonly number[], lanes: readonly number[], unit: number): Cost {
  const width = unit === 16 ? 8 : unit === 8 ? 16 : 32;
  const of = (lane: number): number | undefined => addresses[lanes.indexOf(lane)];
  const inPairs = (both: number, bit: number): boolean =>
    lanes.every((lane) => Math.floor(lane / width / 2) !== both || (of(lane ^ bit) ?? of(lane)) === of(lane));
  const groups = new Map<number, Set<number>[]>();
  for (const [at, address] of addresses.entries()) {
    const both = Math.floor(lanes[at]! / width / 2);
    const isTogether = width < 32 && (inPairs(both, 1) || inPairs(both, 2));
    const group = isTogether ? 2 * both : Math.floor(lanes[at]! / width);
    const banks = groups.get(group) ?? Array.from({ length: 32 }, () => new Set<number>());
    groups.set(group, banks);
    for (let word = Math.floor(address / 4); 4 * word < address + unit; word++) banks.at(word % 32)!.add(word);
  }
  let count = 0;
  for (const banks of groups.values()) count += Math.max(...banks.map((words) => words.size));
  return { count, ideal: Math.min(count, Math.ceil((addresses.length * unit) / 128)) };
}

/** Byte address of an access within its array. */
function addressOf(access: Access, index: readonly number[]): number {
  const { type, columns } = access.array;
  const element = columns === undefined ? index[0]! : index[0]! * columns + index[1]!;
  return element * type.bytes + type.offset;
}

/** Runs every thread of every block. Throws Unusable for a kernel that is not a test. */
export function evaluateKernel(kernel: Kernel): Evaluation {
  const [width, height, depth] = kernel.block;
  const blocks: Map<string, Figures>[] = [];
  const ranges = new Map<number, { low: number; high: number }[]>();
  const sequence: string[] = [];
  const [columns, rows, slices] = kernel.grid;
  for (let number = 0; number < columns * rows * slices; number++) {
    const instructions = new Map<string, { access: Access; addresses: number[]; lanes: number[] }>();
    for (let linear = 0; linear < width * height * depth; linear++) {
      const last = new Map<number, number>();
      const warp = Math.floor(linear / 32);
      const variables = new Map<string, number>([
        ['threadIdx.x', linear % width],
        ['threadIdx.y', Math.floor(linear / width) % height],
        ['threadIdx.z', Math.floor(linear / width / height)],
        ['blockIdx.x', number % columns],
        ['blockIdx.y', Math.floor(number / columns) % rows],
        ['blockIdx.z', Math.floor(number / columns / rows)],
        ['blockDim.x', width],
        ['blockDim.y', height],
        ['blockDim.z', depth],
        ['gridDim.x', columns],
        ['gridDim.y', rows],
        ['gridDim.z', slices],
        ...kernel.parameters.map(({ name, value }): [string, number] => [name, value]),
      ]);
      execute(kernel.body, {
        variables,
        path: [],
        steps: 0,
        record: (access, index, path) => {
          if (sequence.length > mostSequence) throw new Unusable('too long');
          sequence.push(`${access.place} ${index.join()}`);
          const seen = ranges.get(access.place) ?? index.map((value) => ({ low: value, high: value }));
          ranges.set(
            access.place,
            seen.map(({ low, high }, at) => ({ low: Math.min(low, index[at]!), high: Math.max(high, index[at]!) })),
          );
          // The compiler merges neighbours of one thread, and reads a place once: such kernels are tested elsewhere.
          const address = addressOf(access, index);
          if (access.mode !== 'store' || access.array.space === 'shared') {
            const before = last.get(access.place);
            if (before !== undefined && Math.abs(before - address) < 16) throw new Unusable('neighbours');
            last.set(access.place, address);
          }
          const key = `${access.place}|${warp}|${path}`;
          const instruction = instructions.get(key) ?? { access, addresses: [], lanes: [] };
          instructions.set(key, instruction);
          instruction.addresses.push(address);
          instruction.lanes.push(linear % 32);
        },
      });
    }
    blocks.push(figuresOf(instructions.values()));
  }
  return { blocks, ranges, sequence };
}

function figuresOf(
  instructions: Iterable<{ access: Access; addresses: number[]; lanes: number[] }>,
): Map<string, Figures> {
  const places = new Map<string, Figures>();
  for (const { access, addresses, lanes } of instructions) {
    const { unit, pieces } = access.array.type;
    for (const mode of access.mode === 'update' ? ['load', 'store'] : [access.mode]) {
      const key = `${access.place} ${mode}`;
      const figures = places.get(key) ?? {
        warps: 0,
        lanes: 0,
        sectors: 0,
        sectorsIdeal: 0,
        wavefronts: 0,
        wavefrontsIdeal: 0,
      };
      places.set(key, figures);
      for (let piece = 0; piece < pieces; piece++) {
        const moved = addresses.map((address) => address + piece * unit);
        figures.warps++;
        figures.lanes += lanes.length;
        if (access.array.space === 'global') {
          const { count, ideal } = sectors(moved, unit);
          figures.sectors += count;
          figures.sectorsIdeal += ideal;
        } else {
          const { count, ideal } = wavefronts(moved, lanes, unit);
          figures.wavefronts += count;
          figures.wavefrontsIdeal += ideal;
        }
      }
    }
  }
  return places;
}
