// Damages text: bytes, tokens, pieces of other texts, and pieces that have broken readers before.
import type { Random } from './random';

/** What has been too much for one part or another. Each is small; repetition is another mutation. */
const nasty = [
  ...'( ) { } [ ] < > <<< >>> ; ,'.split(' '),
  '"',
  "'",
  '\\',
  '\\\n',
  ...'/* */ // # ##'.split(' '),
  '\0',
  '\r',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\u0085',
  '\x1b[31m',
  '\x07',
  '🚀',
  'ä',
  '#if 1\n',
  '#ifdef X\n',
  '#else\n',
  '#endif\n',
  '#define X X X\n',
  '#define F(a, b) a ## b # a\n',
  '#define V(...) __VA_OPT__(__VA_ARGS__, __VA_ARGS__)\n',
  '#include "self.cu"\n',
  '#include <a.h>\n',
  '#include X\n',
  '#pragma acc parallel loop\n',
  '#pragma once\n',
  '_Pragma("acc loop")',
  'F(F(F(1)))',
  'template<',
  'typename T',
  'operator()',
  ...':: -> ...'.split(' '),
  'R"x(',
  '0x',
  '1e',
  '1u',
  '0xffffffffffffffffff',
  '99999999999999999999',
  '-2147483648',
  '1 << 63',
  '% 0',
  '/ 0',
  'threadIdx.x',
  'blockDim.x',
  '__shared__ float s[32][33];',
  '__syncthreads();',
  'for (;;) ',
  'while (1) ',
  'if (threadIdx.x < n) ',
  'k<<<1 << 30, 1 << 20>>>()',
  'k<<<0, 0>>>()',
  'return',
  'goto l; l:',
  'case 0:',
  'default:',
  '__global__ void k() {',
  'struct S {',
  'namespace n {',
  'extern "C" {',
  'constexpr int N = N + 1;',
  '!$acc loop',
  'end do',
  'do i = 1, n',
  'call f(',
  '&\n',
  'NaN',
  'true',
  'null',
  '{}',
  '[]',
  '""',
  '-0',
  '1e999',
] as const;

const word = /[A-Za-z_]\w*|\d[\w.]*|\s+|[^\w\s]/g;

/** One to four mutations; at most `longest` characters come out. */
export function mutateText(text: string, others: readonly string[], random: Random, longest = 60_000): string {
  let now = text;
  for (let count = 1 + random.below(4); count > 0; count--) now = mutateOnce(now, others, random);
  return now.slice(0, longest);
}

function mutateOnce(text: string, others: readonly string[], random: Random): string {
  const at = random.below(text.length + 1);
  switch (random.below(13)) {
    case 0:
      return (
        text.slice(0, at) + String.fromCharCode(random.below(random.chance(0.8) ? 128 : 65536)) + text.slice(at + 1)
      );
    case 1:
      return text.slice(0, at);
    case 2:
      return text.slice(0, at) + text.slice(at + random.below(80));
    case 3:
      return text.slice(0, at) + random.pick(nasty) + text.slice(at);
    case 4: {
      const piece = random.pick(nasty);
      return text.slice(0, at) + piece.repeat(1 + random.below(random.chance(0.1) ? 3000 : 40)) + text.slice(at);
    }
    case 5: {
      const from = random.below(text.length + 1);
      return text.slice(0, at) + text.slice(from, from + random.below(400)) + text.slice(at);
    }
    case 6: {
      const other = random.pick(others);
      const from = random.below(other.length + 1);
      return text.slice(0, at) + other.slice(from, from + random.below(600)) + text.slice(at + random.below(200));
    }
    case 7:
      return changeWords(text, random, (words, index) => words.splice(index, 1));
    case 8:
      return changeWords(text, random, (words, index) => words.splice(index, 0, words[random.below(words.length)]!));
    case 9:
      return changeWords(text, random, (words, index) => {
        const other = random.below(words.length);
        [words[index], words[other]] = [words[other]!, words[index]!];
      });
    case 10:
      return changeWords(text, random, (words, index) => {
        words[index] = random.pick(nasty);
      });
    case 11: {
      const lines = text.split('\n');
      const from = random.below(lines.length);
      const taken = lines.splice(from, 1 + random.below(5));
      lines.splice(random.below(lines.length + 1), 0, ...taken, ...(random.chance(0.3) ? taken : []));
      return lines.join('\n');
    }
    default:
      return text.replace(/\b\d+\b/g, (number) =>
        random.chance(0.2)
          ? random.pick(['0', '1', '-1', '31', '32', '33', '2147483647', '4294967296', '1e9'])
          : number,
      );
  }
}

function changeWords(text: string, random: Random, change: (words: string[], index: number) => void): string {
  const words: string[] = text.match(word) ?? [];
  if (words.length === 0) return random.pick(nasty);
  change(words, random.below(words.length));
  return words.join('');
}
