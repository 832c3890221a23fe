// Makes random kernels by seed: indices, guards, loops, types and block shapes as people write them, and odder ones.
import type {
  Access,
  AssignOperator,
  BinaryOperator,
  ElementType,
  Expr,
  Callee,
  IntType,
  Kernel,
  Stmt,
} from './kernel';

/** A reproducible source of numbers (mulberry32). */
export function randomSource(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const scalar = (name: string, bytes: number): ElementType => ({ name, bytes, unit: bytes, pieces: 1, offset: 0 });
const vector = (name: string, unit: number, pieces: number, components: string): ElementType => ({
  name,
  bytes: unit * pieces,
  unit,
  pieces,
  offset: 0,
  components: components.split(''),
});
const field = (name: string, bytes: number, unit: number, offset: number, text: string): ElementType => ({
  name,
  bytes,
  unit,
  pieces: 1,
  offset,
  field: text,
});
const scalars = [
  scalar('unsigned char', 1),
  scalar('short', 2),
  scalar('int', 4),
  scalar('float', 4),
  scalar('float', 4),
  scalar('double', 8),
  scalar('long long', 8),
];
const wide = [
  vector('float2', 8, 1, 'xy'),
  vector('float4', 16, 1, 'xyzw'),
  vector('int4', 16, 1, 'xyzw'),
  vector('double2', 16, 1, 'xy'),
];
const fields = [
  field('Three', 12, 4, 0, '.a'),
  field('Three', 12, 4, 8, '.c'),
  field('Five', 20, 4, 4, '.b'),
  field('Mixed', 24, 4, 8, '.b'),
  field('Mixed', 24, 2, 18, '.c[3]'),
  field('Mixed', 24, 8, 0, '.a'),
  field('Aligned', 16, 4, 4, '.b'),
  field('float4', 16, 4, 12, '.w'),
];
/** Moved in several instructions, and only in global memory kept apart by the compiler. */
const split = [vector('float3', 4, 3, 'xyz'), vector('uchar3', 1, 3, 'xyz')];

const blocks: readonly (readonly [number, number, number])[] = [
  [32, 1, 1],
  [64, 1, 1],
  [128, 1, 1],
  [256, 1, 1],
  [48, 1, 1],
  [33, 1, 1],
  [100, 1, 1],
  [7, 1, 1],
  [16, 16, 1],
  [32, 8, 1],
  [32, 4, 1],
  [8, 8, 1],
  [8, 32, 1],
  [12, 5, 1],
  [7, 9, 1],
  [64, 2, 1],
  [1, 64, 1],
  [4, 4, 4],
  [8, 4, 2],
  [3, 5, 7],
];

/** A kernel of the seed. It may do what C leaves undefined; the evaluator says so, and another seed is taken. */
export function randomKernel(seed: number): Kernel {
  const random = randomSource(Math.imul(seed + 1, 0x9e3779b1));
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <Item>(list: readonly Item[]): Item => list[below(list.length)]!;
  const chance = (share: number): boolean => random() < share;

  const block = pick(blocks);
  const grid: [number, number, number] = chance(0.6) ? [1, 1, 1] : chance(0.7) ? [1 + below(3), 1, 1] : [2, 2, 1];
  const parameters = ['n', 'm', 'w'].slice(0, below(4)).map((name) => ({
    name,
    value: pick([1, 2, 3, 5, 7, 8, 12, 16, 17, 20, 32, 33, 48, 64, 100, 127, 128, 200, 256, 1000]),
    ...(chance(0.2) ? { template: true } : {}),
  }));
  let dynamic = false;
  let names = 0;
  const fresh = (prefix: string): string => `${prefix}${names++}`;

  const number = (value: number, type: IntType = 'int'): Expr => ({ kind: 'number', value, type });
  const variable = (name: string, type: IntType): Expr => ({ kind: 'variable', name, type });
  const binary = (operator: BinaryOperator, left: Expr, right: Expr): Expr => ({
    kind: 'binary',
    operator,
    left,
    right,
  });
  const builtin = (name: string): Expr => variable(name, 'unsigned');
  const axes = block[2] > 1 ? ['x', 'y', 'z'] : block[1] > 1 ? ['x', 'y'] : ['x'];

  interface Scope {
    readonly variables: { name: string; type: IntType }[];
    readonly loops: string[];
    /** Variables that loops step, which nothing else may write. */
    readonly fixed: Set<string>;
  }
  const smallNumber = (): number => pick([0, 1, 1, 2, 2, 3, 4, 4, 5, 7, 8, 8, 11, 16, 16, 31, 32, 33, 64]);
  const threadPart = (): Expr => builtin(`threadIdx.${pick(axes)}`);

  const callees: Callee[] = [];
  const makeCallee = (): Callee => {
    const form = pick(['function', 'template', 'macro'] as const);
    const parameters_ = ['a', 'b', 'c'].slice(0, 1 + below(3));
    const part = (depth: number): Expr => {
      if (depth <= 0 || chance(0.3))
        return chance(0.7)
          ? variable(pick(parameters_), 'int')
          : form === 'template' && chance(0.7)
            ? variable('N', 'int')
            : number(1 + smallNumber());
      const operator = pick(['+', '*', '-', '/', '%', '&', '^', '>>'] as const);
      const left = part(depth - 1);
      if (operator === '/' || operator === '%')
        return binary(
          operator,
          left,
          form === 'template' && chance(0.5) ? variable('N', 'int') : number(1 + below(16)),
        );
      if (operator === '>>') return binary(operator, left, number(below(5)));
      return binary(operator, left, part(depth - 1));
    };
    return {
      name: `${form === 'macro' ? 'AT' : 'at'}${callees.length}`,
      form,
      parameters: parameters_,
      ...(form === 'template' ? { constant: pick([2, 3, 4, 8, 16, 17, 32]) } : {}),
      body: part(2),
    };
  };
  const someCallee = (): Callee => {
    if (callees.length === 0 || (callees.length < 3 && chance(0.4))) callees.push(makeCallee());
    return pick(callees);
  };

  const leaf = (scope: Scope): Expr => {
    const roll = random();
    if (roll < 0.4) return threadPart();
    if (roll < 0.75 && scope.variables.length) {
      const chosen = pick(scope.variables);
      return variable(chosen.name, chosen.type);
    }
    if (roll < 0.82 && parameters.length) return variable(pick(parameters).name, 'int');
    if (roll < 0.86) return builtin(`blockDim.${pick(axes)}`);
    if (roll < 0.9) return builtin('blockIdx.x');
    return number(smallNumber(), chance(0.1) ? 'unsigned' : 'int');
  };
  const expression = (scope: Scope, depth: number): Expr => {
    if (depth <= 0 || chance(0.2)) return leaf(scope);
    const roll = random();
    const left = (): Expr => expression(scope, depth - 1);
    if (roll < 0.3) return binary('+', left(), left());
    if (roll < 0.38) return binary('-', left(), left());
    if (roll < 0.55)
      return binary(
        '*',
        left(),
        chance(0.7)
          ? number(1 + smallNumber())
          : parameters.length
            ? variable(pick(parameters).name, 'int')
            : leaf(scope),
      );
    if (roll < 0.63) return binary('/', left(), number(1 + smallNumber()));
    if (roll < 0.71) return binary('%', left(), number(1 + smallNumber()));
    if (roll < 0.75) return binary('>>', left(), number(below(6)));
    if (roll < 0.78) return binary('<<', left(), number(below(5)));
    if (roll < 0.84) return binary('&', left(), number(pick([1, 3, 7, 15, 31, 60, 12, 255])));
    if (roll < 0.87) return binary('^', left(), number(smallNumber()));
    if (roll < 0.89) return binary('|', left(), number(smallNumber()));
    if (roll < 0.93)
      return { kind: 'conditional', condition: condition(scope, 1), consequent: left(), otherwise: left() };
    if (roll < 0.98) {
      const callee = someCallee();
      return { kind: 'call', callee, args: callee.parameters.map(() => expression(scope, depth - 1)) };
    }
    return { kind: 'cast', type: pick(['int', 'unsigned']), operand: left() };
  };
  const condition = (scope: Scope, depth: number): Expr => {
    const roll = random();
    if (depth > 0 && roll < 0.15)
      return binary(pick(['&&', '||']), condition(scope, depth - 1), condition(scope, depth - 1));
    if (roll < 0.2) return { kind: 'unary', operator: '!', operand: condition(scope, 0) };
    if (roll < 0.4)
      return binary(
        pick(['==', '!=']),
        binary(pick(['%', '&']), chance(0.7) ? threadPart() : leaf(scope), number(pick([1, 2, 3, 4, 7, 8, 31]))),
        number(below(3)),
      );
    return binary(
      pick(['<', '<=', '>', '>=', '<']),
      chance(0.6) ? threadPart() : expression(scope, 1),
      leafBound(scope),
    );
  };
  const leafBound = (scope: Scope): Expr =>
    chance(0.6) ? number(pick([1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 40, 64, 100])) : expression(scope, 1);

  let places = 0;
  /** Every access has a separate array, so that the compiler finds no neighbours to merge. */
  const access = (scope: Scope): Access => {
    const place = places++;
    const shared = chance(0.4);
    const mode = pick(['load', 'load', 'load', 'store', 'store', 'update'] as const);
    const roll = random();
    let type = roll < 0.6 ? pick(scalars) : roll < 0.78 ? pick(wide) : pick(fields);
    if (!shared && roll > 0.92) type = pick(split);
    if (mode === 'update' && (type.components || type.field)) type = pick(scalars);
    const two = shared && chance(0.5) && !type.field;
    /** Iterations lie at least 16 bytes apart, mostly: what the compiler would merge is not a test here. */
    const apart = (): Expr[] =>
      scope.loops.flatMap((name) => {
        if (chance(0.1)) return [];
        const { type: loopType } = scope.variables.find((each) => each.name === name)!;
        return [binary('*', variable(name, loopType), number(pick([16, 17, 20, 32, 33, 48, 64, 100])))];
      });
    const index = (): Expr => {
      const shape = random();
      const base = (): Expr => {
        if (shape < 0.2)
          return binary('+', binary('*', builtin('blockIdx.x'), builtin('blockDim.x')), builtin('threadIdx.x'));
        if (shape < 0.35)
          return binary('+', binary('*', threadPart(), number(1 + smallNumber())), expression(scope, 1));
        const free = expression(scope, 2 + below(2));
        return shape < 0.55 ? binary(pick(['&', '%']), free, number(pick([31, 63, 127, 255, 511, 1023]))) : free;
      };
      return apart().reduce((sum, each) => binary('+', sum, each), base());
    };
    const extern = shared && !two && !dynamic && chance(0.15);
    dynamic ||= extern;
    const array = {
      name: `${shared ? 'tile' : 'data'}${place}`,
      type,
      space: shared ? ('shared' as const) : ('global' as const),
      ...(two ? { columns: pick([8, 16, 17, 32, 33, 32, 33, 34, 48, 65]) } : {}),
      ...(extern ? { dynamic: true } : {}),
    };
    const through =
      !shared && mode === 'load' && !type.components && !type.field && chance(0.12)
        ? binary(
            pick(['+', '*']),
            binary(pick(['*', '/']), variable('i', 'int'), number(1 + below(9))),
            number(1 + below(4)),
          )
        : undefined;
    return {
      kind: 'access',
      place,
      array,
      index: two ? [index(), binary('%', expression(scope, 2), number(array.columns!))] : [index()],
      mode,
      ...(through ? { through } : {}),
      ...(!two && !through && chance(0.15) ? { row: expression(scope, 1) } : {}),
    };
  };

  const assignment = (scope: Scope): Stmt | undefined => {
    const free = scope.variables.filter((each) => !scope.fixed.has(each.name));
    if (free.length === 0) return undefined;
    const { name, type } = pick(free);
    const operator = pick(['=', '+=', '-=', '*=', '/=', '%=', '<<=', '>>=', '&=', '|=', '^='] as AssignOperator[]);
    const value =
      operator === '/=' || operator === '%='
        ? number(1 + smallNumber())
        : operator === '<<=' || operator === '>>='
          ? number(below(4))
          : operator === '+=' && chance(0.3)
            ? number(1)
            : expression(scope, 2);
    return { kind: 'assign', name, type, operator, value };
  };
  const inner = (scope: Scope, loopVariable?: { name: string; type: IntType }): Scope => ({
    variables: [...scope.variables, ...(loopVariable ? [loopVariable] : [])],
    loops: loopVariable ? [...scope.loops, loopVariable.name] : scope.loops,
    fixed: new Set([...scope.fixed, ...(loopVariable ? [loopVariable.name] : [])]),
  });
  const loop = (scope: Scope, depth: number): Stmt[] => {
    const name = fresh('j');
    const roll = random();
    const down = roll >= 0.4 && roll < 0.55; // `j > 0; j -= 2` never ends where j is unsigned
    const type: IntType = chance(0.15) && !down ? 'unsigned' : 'int';
    const own = inner(scope, { name, type });
    const body = block_(own, depth - 1, true);
    const counter = variable(name, type);
    const step = (operator: AssignOperator, value: Expr): Stmt & { kind: 'assign' } => ({
      kind: 'assign',
      name,
      type,
      operator,
      value,
    });
    if (roll < 0.4) {
      const start = chance(0.7) ? number(below(3)) : expression(scope, 1);
      const trips = 1 + below(depth > 1 ? 6 : 20);
      const end = chance(0.6) ? number(trips) : chance(0.5) ? expression(scope, 1) : leaf(scope);
      return [
        {
          kind: 'for',
          name,
          type,
          start,
          condition: binary(pick(['<', '<=', '<']), counter, end),
          step: step('+=', number(pick([1, 1, 2, 3]))),
          body,
        },
      ];
    }
    if (down)
      return [
        {
          kind: 'for',
          name,
          type,
          start: chance(0.5) ? number(1 + below(12)) : threadPart(),
          condition: binary('>', counter, number(below(2))),
          step: step('-=', number(pick([1, 2]))),
          body,
        },
      ];
    if (roll < 0.7)
      return [
        {
          kind: 'for',
          name,
          type,
          start: chance(0.5) ? number(pick([4, 8, 16, 32, 64])) : binary('/', builtin('blockDim.x'), number(2)),
          condition: binary('>', counter, number(0)),
          step: chance(0.6) ? step('>>=', number(1)) : step('/=', number(2)),
          body,
        },
      ];
    if (roll < 0.82)
      return [
        {
          kind: 'for',
          name,
          type,
          start: number(1),
          condition: binary('<', counter, chance(0.5) ? number(pick([8, 16, 33, 64])) : builtin('blockDim.x')),
          step: chance(0.5) ? step('*=', number(2)) : step('<<=', number(1)),
          body,
        },
      ];
    if (roll < 0.92)
      return [
        {
          kind: 'for',
          name,
          type,
          start: builtin('threadIdx.x'),
          condition: binary('<', counter, number(pick([40, 64, 100, 200, 300]))),
          step: step('+=', builtin('blockDim.x')),
          body,
        },
      ];
    return [
      { kind: 'declare', name, type, value: chance(0.5) ? number(below(4)) : threadPart() },
      {
        kind: chance(0.6) ? 'while' : 'do',
        condition: binary('<', counter, number(2 + below(20))),
        body: [...body.filter((stmt) => stmt.kind !== 'continue'), step('+=', number(1 + below(3)))],
      },
    ];
  };
  const block_ = (scope: Scope, depth: number, inLoop: boolean): Stmt[] => {
    const body: Stmt[] = [];
    const count = 1 + below(depth > 1 ? 4 : 3);
    for (let at = 0; at < count; at++) {
      const roll = random();
      if (places < 10 && roll < 0.45) body.push(access(scope));
      else if (roll < 0.58) {
        const name = fresh('v');
        const type: IntType = chance(0.25) ? 'unsigned' : 'int';
        body.push({ kind: 'declare', name, type, value: expression(scope, 2) });
        scope.variables.push({ name, type });
      } else if (roll < 0.68) {
        const stmt = assignment(scope);
        if (stmt) body.push(stmt);
      } else if (roll < 0.86 && depth > 0) {
        const consequent = block_(inner(scope), depth - 1, inLoop);
        const otherwise = chance(0.35) ? block_(inner(scope), depth - 1, inLoop) : undefined;
        body.push({ kind: 'if', condition: condition(scope, 1), consequent, ...(otherwise ? { otherwise } : {}) });
      } else if (roll < 0.97 && depth > 0) body.push(...loop(scope, depth));
      else if (inLoop || chance(0.3))
        body.push({
          kind: 'if',
          condition: condition(scope, 1),
          consequent: [{ kind: inLoop ? pick(['break', 'continue', 'break', 'return'] as const) : 'return' }],
        });
    }
    if (!body.some((stmt) => stmt.kind !== 'declare')) body.push(access(scope));
    return body;
  };

  const scope: Scope = { variables: [], loops: [], fixed: new Set() };
  const body: Stmt[] = [];
  const declare = (name: string, type: IntType, value: Expr): void => {
    body.push({ kind: 'declare', name, type, value });
    scope.variables.push({ name, type });
  };
  if (chance(0.7)) declare('t', 'int', builtin('threadIdx.x'));
  if (chance(0.5))
    declare(
      'g',
      chance(0.8) ? 'int' : 'unsigned',
      binary('+', binary('*', builtin('blockIdx.x'), builtin('blockDim.x')), builtin('threadIdx.x')),
    );
  if (axes.length > 1 && chance(0.6))
    declare(
      'linear',
      'int',
      binary('+', binary('*', builtin('threadIdx.y'), builtin('blockDim.x')), builtin('threadIdx.x')),
    );
  if (parameters.length && chance(0.35))
    body.push({
      kind: 'if',
      condition: binary('>=', leaf(scope), variable('n', 'int')),
      consequent: [{ kind: 'return' }],
    });
  body.push(...block_(scope, 3, false));
  while (places < 2) body.push(access(scope));
  return { block, grid, parameters, body };
}
