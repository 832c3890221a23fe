// Edits of CUDA programs for the comparison of versions: some that change nothing, and some that cost the GPU.
import { execFileSync } from 'node:child_process';
import type { Syntax } from '../../server/src/syntax';
import { lex, type Token } from '../../server/src/syntax/tokens';
import { replacement } from '../../server/src/workspace/trials';
import { quietText } from '../../test/transformations/program';
import { draws, transformations, transformed } from '../../test/transformations/transformations';
import type { Random } from '../../test/robustness/fuzz/random';

/** A kernel in a text: its name, and offsets of the whole definition and of the text between its outer braces. */
export interface KernelText {
  readonly name: string;
  readonly start: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

export interface EditedText {
  readonly kind: string;
  readonly text: string;
  /** Lines (from 1) of the text after that the edit touched; the kernel's whole range where the effect is elsewhere. */
  readonly lines: readonly [number, number];
  readonly kernel?: string;
  /** New files beside the text. */
  readonly beside?: readonly { readonly name: string; readonly text: string }[];
  /** The text's new name. */
  readonly renamed?: string;
}

export function pick<T>(items: readonly T[], random: Random): T | undefined {
  return items[random.below(items.length)];
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Kernels by their tokens: `__global__ … name ( … ) { … }`. */
export function kernelsIn(text: string): readonly KernelText[] {
  const { tokens } = lex(text);
  const found: KernelText[] = [];
  tokens.forEach((token, at) => {
    if (token.text !== '__global__') return;
    let name = at;
    while (
      name < tokens.length &&
      !(tokens[name + 1]?.text === '(' && !/^__launch_bounds__|^__cluster/.test(tokens[name]!.text))
    ) {
      if (/^[;{}]$/.test(tokens[name]!.text)) return;
      name++;
    }
    const close = matching(tokens, name + 1, '(', ')');
    if (close === undefined || tokens[close + 1]?.text !== '{') return;
    const end = matching(tokens, close + 1, '{', '}');
    if (end === undefined) return;
    found.push({
      name: tokens[name]!.text,
      start: token.start,
      bodyStart: tokens[close + 1]!.end,
      bodyEnd: tokens[end]!.start,
    });
  });
  return found;
}

function matching(tokens: readonly Token[], at: number, open: string, close: string): number | undefined {
  let depth = 0;
  for (let index = at; index < tokens.length; index++) {
    if (tokens[index]!.text === open) depth++;
    else if (tokens[index]!.text === close && --depth === 0) return index;
  }
  return undefined;
}

function replaced(text: string, edits: readonly { start: number; end: number; text: string }[]): string {
  let result = '';
  let last = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    result += text.slice(last, edit.start) + edit.text;
    last = edit.end;
  }
  return result + text.slice(last);
}

/** Lines that no directive, continued line, string over lines or comment over lines is part of. */
function plainLines(text: string): readonly number[] {
  const lines = text.split('\n');
  let inComment = false;
  return lines.flatMap((line, at) => {
    const before = inComment;
    for (const mark of line.matchAll(/\/\*|\*\/|\/\//g)) {
      if (!inComment && mark[0] === '//') break;
      inComment = mark[0] === '/*' || (mark[0] === '*/' ? false : inComment);
    }
    const isPlain =
      !before &&
      !inComment &&
      !/^\s*#|\\\s*$|R"/.test(line) &&
      !/\\\s*$/.test(lines[at - 1] ?? '') &&
      !line.includes('"');
    return isPlain ? [at] : [];
  });
}

const comments = [
  '// checked',
  '/* as measured */',
  '// NOLINT',
  '/* threadIdx.x * 32 */',
  '// for (;;) __syncthreads();',
];

type Edit = (text: string, random: Random, syntax: Syntax) => EditedText | undefined;

/** Edits after which a compiler makes the same code. */
export const noOps: Readonly<Record<string, Edit>> = {
  comment(text, random) {
    const lines = text.split('\n');
    const at = pick(plainLines(text), random);
    if (at === undefined) return undefined;
    const comment = pick(comments, random)!;
    if (comment.startsWith('/*') || !lines[at]!.includes('//')) lines[at] = `${lines[at]} ${comment}`;
    return { kind: 'comment', text: lines.join('\n'), lines: [at + 1, at + 1] };
  },
  'comment above'(text, random) {
    const lines = text.split('\n');
    const at = pick(plainLines(text), random);
    if (at === undefined) return undefined;
    lines.splice(at, 0, pick(comments, random)!, '');
    return { kind: 'comment above', text: lines.join('\n'), lines: [at + 1, at + 2] };
  },
  blanks(text, random) {
    const plain = new Set(plainLines(text));
    const indent = pick(['  ', '\t', '    '], random)!;
    const lines = text.split('\n').map((line, at) => (plain.has(at) && line.trim() !== '' ? `${indent}${line}` : line));
    return { kind: 'blanks', text: lines.join('\n'), lines: [1, lines.length] };
  },
  formatting(text, random) {
    const plain = new Set(plainLines(text));
    const lines = text.split('\n');
    const isTight = random.chance(0.5);
    const shaped = lines.map((line, at) => {
      if (!plain.has(at) || line.includes('//') || line.includes('/*') || line.includes("'")) return line;
      return isTight
        ? line.replace(/ *([=<>+*/%-]=|&&|\|\||,) */g, '$1')
        : line.replace(/ *(&&|\|\||,) */g, '\n      $1 ').replace(/\) *\{ *$/, ')\n{');
    });
    return { kind: 'formatting', text: shaped.join('\n'), lines: [1, lines.length] };
  },
  rename(text, random) {
    const kernel = pick(kernelsIn(text), random);
    if (!kernel) return undefined;
    const { tokens } = lex(text);
    const inside = tokens.filter(({ start, end }) => start >= kernel.bodyStart && end <= kernel.bodyEnd);
    const names = inside.flatMap((token, at) =>
      /^(int|float|double|unsigned|size_t|auto)$/.test(token.text) &&
      /^[A-Za-z_]\w*$/.test(inside[at + 1]?.text ?? '') &&
      inside[at + 2]?.text === '='
        ? [inside[at + 1]!.text]
        : [],
    );
    // Other uses of the word (members, macros, functions) would be renamed with it.
    const own = names.filter((name) =>
      tokens.every((token, at) =>
        token.text !== name
          ? true
          : token.start >= kernel.bodyStart &&
            token.end <= kernel.bodyEnd &&
            !/^(\.|->|::)$/.test(tokens[at - 1]?.text ?? ''),
      ),
    );
    const name = pick(own, random);
    if (name === undefined || new RegExp(`#[^\\n]*\\b${name}\\b`).test(text)) return undefined;
    const edits = inside
      .filter((token) => token.text === name)
      .map(({ start, end }) => ({ start, end, text: `${name}_renamed` }));
    return { kind: 'rename', text: replaced(text, edits), lines: [1, 1], kernel: kernel.name };
  },
  'rename kernel'(text, random) {
    const kernel = pick(kernelsIn(text), random);
    return kernel && renamedWord('rename kernel', text, kernel.name);
  },
  'rename parameter'(text, random) {
    const kernel = pick(kernelsIn(text), random);
    if (!kernel) return undefined;
    const head = text
      .slice(kernel.start, kernel.bodyStart)
      .replace(/<[^<>]*>/g, '')
      .replace(/<[^<>]*>/g, '');
    const name = pick([...head.matchAll(/\b([A-Za-z_]\w*)\s*[,)]/g)], random)?.[1];
    if (name === undefined) return undefined;
    const own = `${text.slice(kernel.start, kernel.bodyEnd)}}`;
    const edited = renamedWord('rename parameter', own, name)?.text;
    if (edited === undefined) return undefined;
    return {
      kind: 'rename parameter',
      text: text.slice(0, kernel.start) + edited + text.slice(kernel.bodyEnd + 1),
      lines: [1, 1],
    };
  },
  alias(text, random) {
    const kernel = pick(kernelsIn(text), random);
    if (!kernel || /\balias_t\b/.test(text)) return undefined;
    const body = text.slice(kernel.bodyStart, kernel.bodyEnd);
    const type = pick([...body.matchAll(/(?<=[;{}]\s*)(?:int|float|double)(?=\s+\w+\s*=)/g)], random);
    if (!type) return undefined;
    const edited = `${body.slice(0, type.index)}alias_t${body.slice(type.index + type[0].length)}`;
    return {
      kind: 'alias',
      text: `${text.slice(0, kernel.bodyStart)} using alias_t = ${type[0]};${edited}${text.slice(kernel.bodyEnd)}`,
      lines: [1, 1],
    };
  },
  'clang-format'(text, random) {
    const style = pick(['LLVM', 'Google', 'WebKit', 'Mozilla', 'Microsoft'], random)!;
    const flags = [`-style={BasedOnStyle: ${style}, SortIncludes: Never}`, '-assume-filename=a.cu'];
    const formatted = execFileSync('clang-format-19', flags, { input: text, encoding: 'utf8' });
    return { kind: `clang-format ${style}`, text: formatted, lines: [1, 1] };
  },
  transformation(text, random, syntax) {
    const one = pick(transformations, random)!;
    const made = transformed(syntax, text, one, draws(random.below(1000)));
    if (!made) return undefined;
    const beside = [...(made.headers ?? [])].map(([name, { text: own }]) => ({ name, text: own }));
    return { kind: one.name, text: made.main.text, beside, lines: [1, 1] };
  },
  'rename file'(text) {
    return { kind: 'rename file', text, renamed: 'renamed_source.cu', lines: [1, 1] };
  },
  split(text, random) {
    const kernel = pick(kernelsIn(text), random);
    if (!kernel) return undefined;
    const before = text.slice(0, kernel.start);
    const own = text.slice(kernel.start, kernel.bodyEnd + 1);
    // Alone in its file it may need nothing that the other declares, and has to be visible from there.
    if (!/(?:^|[;}]|\n#[^\n]*|\*\/)\s*$/.test(before) || /^\s*#/m.test(own) || /\bstatic\b/.test(own)) return undefined;
    if (/\{/.test(before.replace(/\{[^{}]*\}|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g, ''))) return undefined;
    const declared = [
      ...text.matchAll(
        /(?:#\s*define|struct|class|enum|using)\s+(\w+)|\b(\w+)\s*(?:\([^;{}()]*\)\s*\{|\[[^\]]*\]\s*;|;)/g,
      ),
    ];
    const words = new Set(own.slice(kernel.bodyStart - kernel.start).match(/[A-Za-z_]\w*/g));
    const head = own.slice(0, kernel.bodyStart - kernel.start - 1).trim();
    const outside = declared.filter(({ index }) => index < kernel.start || index > kernel.bodyEnd);
    const params = new Set(head.match(/[A-Za-z_]\w*/g));
    if (outside.some((one) => words.has(one[1] ?? one[2]!) && !params.has(one[1] ?? one[2]!))) return undefined;
    const includes = (text.match(/^\s*#\s*include[^\n]*/gm) ?? []).join('\n');
    return {
      kind: 'split',
      text: `${before}${head};${text.slice(kernel.bodyEnd + 1)}`,
      beside: [{ name: 'split_kernel.cu', text: `${includes}\n${own}\n` }],
      lines: [1, 1],
    };
  },
  header(text, random) {
    const kernel = pick(kernelsIn(text), random);
    if (!kernel) return undefined;
    // What is before the kernel belongs to it where no definition or directive ends there.
    const before = text.slice(0, kernel.start);
    const own = text.slice(kernel.start, kernel.bodyEnd + 1);
    if (!/(?:^|[;}]|\n#[^\n]*|\*\/)\s*$/.test(before) || /^\s*#/m.test(own)) return undefined;
    const depth = [...before].reduce((sum, one) => sum + (one === '{' ? 1 : one === '}' ? -1 : 0), 0);
    if (depth !== 0) return undefined;
    return {
      kind: 'header',
      text: `${before}#include "moved_kernel.cuh"${text.slice(kernel.bodyEnd + 1)}`,
      beside: [{ name: 'moved_kernel.cuh', text: `#pragma once\n${own}\n` }],
      lines: [1, 1],
    };
  },
  move(text, random) {
    const kernels = kernelsIn(text);
    const next = pick(
      kernels.slice(1).flatMap((second, at) => {
        const first = kernels[at]!;
        const between = text.slice(first.bodyEnd + 1, second.start);
        const own = text.slice(first.start, second.bodyEnd + 1);
        // Templates, attributes and directives before a kernel belong to it.
        return /^\s*$/.test(between) && /^\s*$|[;}]\s*$/.test(text.slice(0, first.start)) && !/^\s*#/m.test(own)
          ? [{ first, second, between }]
          : [];
      }),
      random,
    );
    if (!next) return undefined;
    const { first, second, between } = next;
    const moved =
      text.slice(0, first.start) +
      text.slice(second.start, second.bodyEnd + 1) +
      between +
      text.slice(first.start, first.bodyEnd + 1) +
      text.slice(second.bodyEnd + 1);
    return { kind: 'move', text: moved, lines: [1, 1] };
  },
};

/** Renames every use of a word, if it is not a part of a directive or a member. */
function renamedWord(kind: string, text: string, name: string): EditedText | undefined {
  const { tokens } = lex(text);
  const uses = tokens.filter((token) => token.text === name);
  const isMember = tokens.some((token, at) => token.text === name && /^(\.|->)$/.test(tokens[at - 1]?.text ?? ''));
  if (isMember || uses.length < 2 || new RegExp(`#[^\\n]*\\b${name}\\b|"[^"\\n]*\\b${name}\\b`).test(text))
    return undefined;
  const edits = uses.map(({ start, end }) => ({ start, end, text: `${name}_other` }));
  return { kind, text: replaced(text, edits), lines: [1, 1] };
}

/** Accesses by `name[a][b]` in kernels, whose indices are no numbers. */
function swappedIndices(text: string, random: Random): EditedText | undefined {
  const found = kernelsIn(text).flatMap((kernel) =>
    [...text.slice(kernel.bodyStart, kernel.bodyEnd).matchAll(/\b(\w+)\[([^[\]]+)\]\[([^[\]]+)\](?!\[)/g)]
      .filter(({ 1: array, 2: one, 3: other, index }) => {
        const body = text.slice(kernel.bodyStart, kernel.bodyEnd);
        const before = body.slice(0, index);
        const isDeclared = /\b\w+\s+$/.test(before) && !/\breturn\s+$/.test(before);
        // A part of an accessor with more indices: both are far from the last.
        const isPart = /\bauto&?\s+\w+\s*=\s*$/.test(before);
        // Rows that do not fill whole banks serve both orders.
        const rows = new RegExp(`__shared__[^;]*\\b${array}\\s*\\[[^\\]]*\\]\\s*\\[([^\\]]*)\\]`).exec(body)?.[1];
        const isPadded = rows !== undefined && (/[+]/.test(rows) || (Number(rows) || 0) % 16 !== 0);
        // A thread's own array has no lanes side by side.
        const isLocal = new RegExp(`(?<!__shared__[^;]*)\\b\\w+\\s+${array}\\s*\\[`).test(body);
        const lanes = [
          'threadIdx.x',
          ...[...body.matchAll(/\b(\w+)\s*=[^;=]*\bthreadIdx\.x\b[^;]*;/g)].map((each) => each[1]!),
        ];
        const isOfLane = (index: string): boolean =>
          lanes.some((lane) => new RegExp(`(^|[^\\w.])${lane.replace('.', '\\.')}\\b`).test(index));
        return (
          one !== other &&
          isOfLane(other!) &&
          !isOfLane(one!) &&
          !isDeclared &&
          !isPart &&
          !isPadded &&
          !isLocal &&
          !/^\s*\d+\s*$/.test(one!) &&
          !/^\s*\d+\s*$/.test(other!)
        );
      })
      .map((match) => ({ kernel, match })),
  );
  const one = pick(found, random);
  if (!one) return undefined;
  const { kernel, match } = one;
  const at = kernel.bodyStart + match.index;
  const line = lineAt(text, at);
  const swapped = `${match[1]}[${match[3]}][${match[2]}]`;
  return {
    kind: 'indices',
    text: text.slice(0, at) + swapped + text.slice(at + match[0].length),
    lines: [line, line],
    kernel: kernel.name,
  };
}

/** Literals beside an operator, in no array of constants, whose doubles a compiler does not make floats again. */
function floatsIn(body: string): readonly RegExpMatchArray[] {
  const all = [...body.matchAll(/(?<=[\w)\]]\s*[*/]\s*)(\d+\.\d+)f\b/g)];
  return all.filter(([, digits]) => Math.fround(Number(digits)) !== Number(digits));
}

/** A thread's place in the whole grid. */
function ofGrid(axis: string): RegExp {
  return new RegExp(
    `blockDim\\.${axis}\\s*\\)?\\s*\\+\\s*threadIdx\\.${axis}|threadIdx\\.${axis}\\s*\\+[^;]*blockIdx\\.${axis}\\s*\\*`,
  );
}

/** Edits after which the GPU has more to do, by their kind alone; whether a model sees it is what is measured. */
export const regressions: Readonly<Record<string, Edit>> = {
  axis(text, random) {
    const kernel = pick(
      kernelsIn(text).filter(({ bodyStart, bodyEnd }) => {
        const body = text.slice(bodyStart, bodyEnd);
        return ['x', 'y'].every((axis) => ofGrid(axis).test(body)) && !body.includes('threadIdx.z');
      }),
      random,
    );
    if (!kernel) return undefined;
    const body = text
      .slice(kernel.bodyStart, kernel.bodyEnd)
      .replace(/\bthreadIdx\.([xy])\b/g, (_, axis: string) => `threadIdx.${axis === 'x' ? 'y' : 'x'}`);
    return inKernel('axis', text, kernel, body);
  },
  pad(text, random) {
    const match = pick(
      [...text.matchAll(/(__shared__[^;\n=]*\[\s*([^\]]+?)\s*\]\s*\[\s*\2)\s*\+\s*1\s*\]\s*;/g)],
      random,
    );
    const kernel = match && kernelsIn(text).find(({ start, bodyEnd }) => match.index > start && match.index < bodyEnd);
    if (!match || !kernel) return undefined;
    const before = text.slice(kernel.bodyStart, match.index);
    const behind = text.slice(match.index + match[0].length, kernel.bodyEnd);
    return inKernel('pad', text, kernel, `${before}${match[1]}];${behind}`);
  },
  stride(text, random) {
    const kernel = pick(kernelsIn(text), random);
    if (!kernel) return undefined;
    const head = text.slice(kernel.start, kernel.bodyStart);
    const pointers = [...head.matchAll(/\*\s*(?:__restrict__\s*|const\s*|__restrict\s*)*(\w+)\s*[,)]/g)].map(
      (one) => one[1]!,
    );
    const body = text.slice(kernel.bodyStart, kernel.bodyEnd);
    // An index that names the thread, or a variable that is made of it.
    const lanes = [...body.matchAll(/\b(\w+)\s*=[^;=]*\bthreadIdx\.x\b[^;]*;/g)].map((one) => one[1]!);
    const access = pick(
      [...body.matchAll(/\b(\w+)\s*\[\s*([^[\]]+?)\s*\]/g)].filter(
        (one) =>
          pointers.includes(one[1]!) &&
          // Neighbours are at neighbouring places.
          [...lanes, 'threadIdx.x'].some((lane) =>
            new RegExp(`(^|\\+\\s*)${lane.replace('.', '\\.')}(\\s*[+-][^*]*)?$`).test(one[2]!.trim()),
          ) &&
          !/[%/&]/.test(one[2]!),
      ),
      random,
    );
    if (!access) return undefined;
    const behind = body.slice(access.index + access[0].length);
    const edited = `${body.slice(0, access.index)}${access[1]}[(${access[2]}) * 8]${behind}`;
    const line = lineAt(text, kernel.bodyStart + access.index);
    return {
      kind: 'stride',
      text: text.slice(0, kernel.bodyStart) + edited + text.slice(kernel.bodyEnd),
      lines: [line, line],
      kernel: kernel.name,
    };
  },
  double(text, random) {
    const kernel = pick(kernelsIn(text), random);
    if (!kernel) return undefined;
    const body = text.slice(kernel.bodyStart, kernel.bodyEnd);
    const literal = pick(floatsIn(body), random);
    if (!literal) return undefined;
    const at = kernel.bodyStart + literal.index!;
    const line = lineAt(text, at);
    return {
      kind: 'double',
      text: text.slice(0, at) + literal[1] + text.slice(at + literal[0].length),
      lines: [line, line],
      kernel: kernel.name,
    };
  },
  hoist(text, random) {
    const loop = pick(
      [...text.matchAll(/\bfor\s*\([^;{}]*;[^;{}]*;[^{};]*\)\s*\{(?=[^{}]*<<<)/g)].filter(
        (one) => !one[0].includes('threadIdx'),
      ),
      random,
    );
    if (!loop) return undefined;
    const at = loop.index + loop[0].length;
    const line = lineAt(text, at) + 1;
    const added = '\n  void *scratch_; cudaMalloc(&scratch_, 1 << 20);\n  cudaFree(scratch_);';
    return { kind: 'hoist', text: text.slice(0, at) + added + text.slice(at), lines: [line, line + 1] };
  },
  indices: swappedIndices,
  accessor(text, random) {
    const found = kernelsIn(text).flatMap((kernel) => {
      const head = text.slice(kernel.start, kernel.bodyStart);
      const body = text.slice(kernel.bodyStart, kernel.bodyEnd);
      const lanes = [...body.matchAll(/\b(\w+)\s*=[^;=]*\bthreadIdx\.x\b[^;]*;/g)].map((one) => one[1]!);
      return [...body.matchAll(/\b(\w+)\((\w+), *(\w+)\)/g)]
        .filter(
          ([, name, row, lane]) =>
            new RegExp(`[\\w>&]\\s+${name}\\s*[,)]`).test(head) && lanes.includes(lane!) && !lanes.includes(row!),
        )
        .map((match) => ({ kernel, match }));
    });
    const one = pick(found, random);
    if (!one) return undefined;
    const at = one.kernel.bodyStart + one.match.index;
    const [all, name, row, lane] = one.match;
    const line = lineAt(text, at);
    const swapped = `${text.slice(0, at)}${name}(${lane}, ${row})${text.slice(at + all.length)}`;
    return { kind: 'accessor', text: swapped, lines: [line, line], kernel: one.kernel.name };
  },
  functor(text, random) {
    const bodies = text.matchAll(/\boperator\s*\(\s*\)\s*\([^(){};]*\)[^(){};]*\{([^{}]*)\}/g);
    const found = [...bodies].flatMap((match) => {
      const start = match.index + match[0].length - match[1]!.length - 1;
      return floatsIn(match[1]!).map((one) => ({
        one,
        at: start + one.index!,
      }));
    });
    const literal = pick(found, random);
    if (!literal) return undefined;
    const { one, at } = literal;
    const line = lineAt(text, at);
    return { kind: 'functor', text: text.slice(0, at) + one[1] + text.slice(at + one[0].length), lines: [line, line] };
  },
  sync(text, random) {
    const loop = pick(
      kernelsIn(text).flatMap((kernel) =>
        [...text.slice(kernel.bodyStart, kernel.bodyEnd).matchAll(/\bfor\s*\([^;{}]*;[^;{}]*;[^{};]*\)\s*\{/g)].map(
          (match) => ({ kernel, at: kernel.bodyStart + match.index + match[0].length, loop: match[0] }),
        ),
      ),
      random,
    );
    if (!loop || /threadIdx/.test(loop.loop)) return undefined;
    const line = lineAt(text, loop.at);
    return {
      kind: 'sync',
      text: `${text.slice(0, loop.at)} __syncthreads();${text.slice(loop.at)}`,
      lines: [line, line],
      kernel: loop.kernel.name,
    };
  },
  atomics(text, random) {
    const store = pick(
      kernelsIn(text).flatMap((kernel) => {
        const head = text.slice(kernel.start, kernel.bodyStart);
        return [
          ...text
            .slice(kernel.bodyStart, kernel.bodyEnd)
            .matchAll(/(?<=[;{}]\s*)(\w+)\[([^[\]=;]+)\]\s*\+?=\s*([^=;][^;]*);/g),
        ]
          .filter((match) => new RegExp(`\\b(float|int)\\s*\\*[^,)]*\\b${match[1]}\\b`).test(head))
          .map((match) => ({ kernel, match }));
      }),
      random,
    );
    if (!store) return undefined;
    const { kernel, match } = store;
    const at = kernel.bodyStart + match.index;
    const line = lineAt(text, at);
    return {
      kind: 'atomics',
      text: `${text.slice(0, at)}atomicAdd(&${match[1]}[0], ${match[3]});${text.slice(at + match[0].length)}`,
      lines: [line, line],
      kernel: kernel.name,
    };
  },
  'block size'(text, random) {
    const launch = pick([...text.matchAll(/<<<\s*([^,<>]+),\s*(128|256|512)\s*(?=,|>>>)/g)], random);
    if (!launch) return undefined;
    const size = pick(['16', '32', '100'], random)!;
    const line = lineAt(text, launch.index);
    return {
      kind: 'block size',
      text: `${text.slice(0, launch.index)}<<<${launch[1]}, ${size}${text.slice(launch.index + launch[0].length)}`,
      lines: [line, line],
    };
  },
  block(text, random) {
    const shape = pick([...text.matchAll(/\bdim3\s+\w+\s*[({]\s*(8|16|32)\s*,\s*(8|16|32)\s*[)}]/g)], random);
    if (!shape) return undefined;
    const [x, y] = [Number(shape[1]), Number(shape[2])];
    const narrow = shape[0].replace(/\d+\s*,\s*\d+(?=\s*[)}]$)/, `2, ${(x * y) / 2}`);
    const line = lineAt(text, shape.index);
    return {
      kind: 'block',
      text: text.slice(0, shape.index) + narrow + text.slice(shape.index + shape[0].length),
      lines: [line, line],
    };
  },
};

function inKernel(kind: string, text: string, kernel: KernelText, body: string): EditedText {
  return {
    kind,
    text: text.slice(0, kernel.bodyStart) + body + text.slice(kernel.bodyEnd),
    lines: [lineAt(text, kernel.start), lineAt(text, kernel.bodyStart) + body.split('\n').length],
    kernel: kernel.name,
  };
}

/** Makes the edit in the code that is compiled: comments, strings and what conditions leave out are blank to it. */
export function editedCode(edit: Edit, text: string, random: Random, syntax: Syntax): EditedText | undefined {
  const uri = 'file:///bench/program.cu';
  const settings = { defines: {}, computeCapability: 90 };
  const { main } = syntax.parse(uri, text, 1, settings, { resolve: () => undefined });
  syntax.forget(uri);
  let code = quietText(text);
  for (const { start, end } of main.inactive)
    code = code.slice(0, start) + code.slice(start, end).replace(/[^\n]/g, ' ') + code.slice(end);
  const edited = edit(code, random, syntax);
  if (!edited) return undefined;
  const { at, newText } = replacement(uri, code, edited.text);
  // Directives between the places of the edit would be lost.
  if (/^\s*#/m.test(text.slice(at.start, at.end))) return undefined;
  return { ...edited, text: text.slice(0, at.start) + newText + text.slice(at.end) };
}
