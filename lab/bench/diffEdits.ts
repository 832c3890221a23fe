// Edits of CUDA programs for the comparison of versions that change nothing; those that cost the GPU: diffRegressions.
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

export function lineAt(text: string, offset: number): number {
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

export type Edit = (text: string, random: Random, syntax: Syntax) => EditedText | undefined;

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
  'fixed width'(text, random) {
    const kernel = pick(kernelsIn(text), random);
    if (!kernel || /\bint32_t\b/.test(text)) return undefined;
    const body = text.slice(kernel.bodyStart, kernel.bodyEnd);
    const type = pick([...body.matchAll(/(?<=[;{}(]\s*)int(?=\s+\w+\s*=)/g)], random);
    if (!type) return undefined;
    const edited = `${body.slice(0, type.index)}int32_t${body.slice(type.index + type[0].length)}`;
    const whole = `#include <cstdint>\n${text.slice(0, kernel.bodyStart)}${edited}${text.slice(kernel.bodyEnd)}`;
    return { kind: 'fixed width', text: whole, lines: [1, 1] };
  },
  'order of declarations'(text, random) {
    const lines = text.split('\n');
    const declared = (at: number): RegExpExecArray | null =>
      /^\s*(?:const\s+)?(?:unsigned|int|float|double|size_t)\s+(\w+)\s*=([^;(,]*);\s*$/.exec(lines[at] ?? '');
    const places = plainLines(text).filter((at) => {
      const [one, other] = [declared(at), declared(at + 1)];
      if (!one || !other || one[1] === other[1]) return false;
      const reads = (value: string, name: string): boolean => new RegExp(`\\b${name}\\b|\\+\\+|--`).test(value);
      return !reads(other[2]!, one[1]!) && !reads(one[2]!, other[1]!);
    });
    const at = pick(places, random);
    if (at === undefined) return undefined;
    lines.splice(at, 2, lines[at + 1]!, lines[at]!);
    return { kind: 'order of declarations', text: lines.join('\n'), lines: [at + 1, at + 2] };
  },
  'rename macro'(text, random) {
    const name = pick([...text.matchAll(/^\s*#\s*define\s+([A-Za-z_]\w*)/gm)], random)?.[1];
    if (name === undefined) return undefined;
    const edited = text.replace(new RegExp(`\\b${name}\\b`, 'g'), `${name}_RENAMED`);
    return { kind: 'rename macro', text: edited, lines: [1, 1] };
  },
  'unrelated function'(text) {
    const added = 'static float unrelatedFunction(const float *values, int at) {\n  return values[at] * 2.0f;\n}\n';
    return { kind: 'unrelated function', text: `${text}\n${added}`, lines: [1, 1] };
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

export function inKernel(kind: string, text: string, kernel: KernelText, body: string): EditedText {
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
