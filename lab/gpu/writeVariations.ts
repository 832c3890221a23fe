// Writes variations of each family of fixes, both sides in one CUDA program a family, for a machine with nvcc and a
// GPU:
// npx tsx lab/gpu/writeVariations.ts FOLDER [COUNT] [SEED] [FAMILY…]. `runVariations.sh FOLDER` builds and runs them
// there.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { families } from '../../test/fixes/families';
import { drawFrom, fixedBy } from '../../test/fixes/variations';
import type { Pair } from '../../test/support/onProcessor/pairs';

const prelude = `#include <cuda_fp16.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>
struct Draw {
  unsigned long long state;
  unsigned below(unsigned count) {
    state ^= state >> 12; state ^= state << 25; state ^= state >> 27;
    return unsigned(((state * 0x2545F4914F6CDD1Dull) >> 33) % count);
  }
};
template <typename T> struct Array {
  std::vector<T> host;
  T *device = nullptr;
  explicit Array(size_t count) : host(count) { cudaMallocManaged(&device, count ? count * sizeof(T) : 1); }
  Array(const Array &) = delete;
  ~Array() { cudaFree(device); }
  void fill(Draw draw, bool zero, bool whole) {
    for (T &value : host)
      value = zero ? T(0)
              : whole || std::is_integral<T>::value ? T(std::is_unsigned<T>::value ? int(draw.below(9)) : int(draw.below(9)) - 4)
                                                    : T(float(draw.below(2000001)) / 1000000.0f - 1.0f);
    up();
  }
  void up() { cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice); }
  void down() { cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost); }
};
template <typename T> bool agree(const char *name, const char *where, const Array<T> &a, const Array<T> &b, double bound) {
  for (size_t at = 0; at < a.host.size(); at++) {
    const T x = a.host[at], y = b.host[at];
    if (std::memcmp(&x, &y, sizeof(T)) == 0 || x == y || (x != x && y != y)) continue;
    if (!std::is_integral<T>::value && std::fabs(double(x) - double(y)) <= bound * std::fmax(1.0, std::fmax(std::fabs(double(x)), std::fabs(double(y))))) continue;
    std::printf("%s[%zu] is %.9g before and %.9g after (%s)\\n", name, at, double(x), double(y), where);
    return false;
  }
  return true;
}
`;

function driverOf({ parameters, sizes, bound = 0, rounds }: Pair, index: number, seed: number): string {
  const names = [...new Set(sizes.flatMap((each) => Object.keys(each)))];
  const arrays = parameters.flatMap((one) => ('name' in one ? [one] : []));
  const call = (side: string): string =>
    `${side}${index}::run(${parameters.map((one) => ('name' in one ? `${one.name}_${side}.device` : one.size)).join(', ')});`;
  return [
    `static bool drive${index}() {`,
    `static const int sizes[][${names.length}] = {${sizes.map((each) => `{${names.map((name) => each[name] ?? 0).join(', ')}}`).join(', ')}};`,
    `for (int at = 0; at < ${2 * sizes.length}; at++) {`,
    '  const bool whole = at % 2;',
    ...names.map((name, at) => `  const int ${name} = sizes[at / 2][${at}];`),
    '  char where[200];',
    `  std::snprintf(where, sizeof where, "${names.map((name) => `${name} %d`).join(', ')}%s"${names.map((name) => `, ${name}`).join('')}, whole ? ", whole" : "");`,
    ...arrays.flatMap(({ name, type, count, input }) =>
      ['before', 'after'].map(
        (side) =>
          `  Array<${type}> ${name}_${side}{size_t(${count})}; ${name}_${side}.fill(Draw{${seed * 7919 + index}ull * 1000003 + at + 1}, ${input === 'zero'}, whole);`,
      ),
    ),
    `  ${call('before')} ${call('after')}`,
    ...arrays.flatMap(({ name }) => [
      `  ${name}_before.down(); ${name}_after.down();`,
      `  if (!agree("${name}", where, ${name}_before, ${name}_after, whole ? ${rounds ? bound : 0} : ${bound})) return false;`,
    ]),
    // A launch of no blocks is refused before and after alike.
    '  cudaGetLastError();',
    '}',
    'return true;',
    '}',
  ].join('\n');
}

async function main([folder, count = '12', seed = '1', ...names]: readonly string[]): Promise<void> {
  if (!folder) throw new Error('usage: npx tsx lab/gpu/writeVariations.ts FOLDER [COUNT] [SEED] [FAMILY…]');
  mkdirSync(folder, { recursive: true });
  for (const { name, titles, vary } of families) {
    if (names.length > 0 && !names.includes(name)) continue;
    const parts: string[] = [];
    const includes = new Set<string>();
    let made = 0;
    for (let number = 0; made < Number(count) && number < 20 * Number(count); number++) {
      const { text, reference = text, ...rest } = vary(drawFrom(Number(seed) * 500_009 + number), `${name} ${number}`);
      const after = (await fixedBy(text, titles))?.after;
      if (after === undefined) continue;
      for (const [side, of] of [
        ['before', reference],
        ['after', after],
      ] as const) {
        const macros = [...of.matchAll(/^\s*#\s*define\s+(\w+)/gm)].map((match) => `#undef ${match[1]}`);
        // One name of dynamic shared memory has one type in a program.
        const dynamic = /extern __shared__ [\w ]+ (\w+)\[\]/.exec(of)?.[1];
        const own = dynamic ? of.replaceAll(new RegExp(`\\b${dynamic}\\b`, 'g'), `${dynamic}_${side}${made}`) : of;
        // Headers stand outside of the namespace that keeps the two sides apart.
        const body = own.replace(/^[ \t]*#[ \t]*include\b.*$/gm, (line) => {
          includes.add(line.trim());
          return '';
        });
        parts.push(`namespace ${side}${made} {`, body, '}', ...macros);
      }
      parts.push(driverOf({ ...rest, before: reference, after }, made, Number(seed)));
      made++;
    }
    parts.push(
      'int main() {',
      'int wrong = 0;',
      ...Array.from(
        { length: made },
        (_, index) => `if (!drive${index}()) { std::printf("differ: ${name} ${index}\\n"); wrong++; }`,
      ),
      `std::printf("${name}: ${made} variations, %d differ, %s\\n", wrong, cudaGetErrorString(cudaDeviceSynchronize()));`,
      'return wrong != 0;',
      '}',
    );
    writeFileSync(join(folder, `${name}.cu`), [...includes, prelude, ...parts].join('\n'));
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
