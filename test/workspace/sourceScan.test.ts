// The scan of a text for includes, launches and kernels: what it finds, and that no text makes it slow.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { createSourceIndex } from '../../server/src/workspace/sourceIndex';
import { scanSource } from '../../server/src/workspace/sourceScan';
import { memoryFileSystem } from '../support/analyseText';
import { inTime } from '../support/depth';

const found = (text: string): { includes: readonly string[]; launched: string[]; defined: string[] } => {
  const { includes, launched, defined } = scanSource(text);
  return { includes, launched: [...launched].sort(), defined: [...defined].sort() };
};

describe('the scan of a source', () => {
  it('finds includes, but not those in comments, strings or that are computed', () => {
    deepStrictEqual(
      found(
        '#include "a.cuh"\n  #  include <b/c.h>\n// #include "no.h"\n/*\n#include "no.h"\n*/\nconst char *s = "\\\n#include";\n#include MACRO\n#include "open\n#include_next "d.h"\n',
      ).includes,
      ['a.cuh', 'b/c.h', 'd.h'],
    );
  });
  it('finds launches with and without template arguments, namespaces, casts and line breaks', () => {
    deepStrictEqual(
      found(`void run() {
        plain<<<1, 32>>>(p);
        ns::scaled<float, (N > 4 ? 8 : 2), Pair<int, int>><<<g, b>>>(p);
        if (a < b) guarded<<<g, b>>>(p);
        broken<T> \\
          <<<g, b>>>(p);
        (*pointer)<<<g, b>>>(p);
        cudaLaunchKernel((const void *)byHand<int>, g, b, args);
        cudaLaunchCooperativeKernel(reinterpret_cast<void *>(&ns::together), g, b, args);
        cudaLaunchKernelEx(&config, configured, x);
        hipLaunchKernelGGL((portable<float, 4>), dim3(g), dim3(b), 0, 0, notLaunched);
        std::cout << "never<<<1, 2>>>()" << x << y;
      }`).launched,
      ['broken', 'byHand', 'config', 'configured', 'guarded', 'plain', 'portable', 'scaled', 'together'],
    );
  });
  it('tells where a program begins', () => {
    strictEqual(scanSource('int main(int argc, char **argv) { }').main, true);
    strictEqual(scanSource('// main()\nint domain(); int mainly(int x);').main, false);
  });
  it('tells kernels that are defined from those that are declared', () => {
    deepStrictEqual(
      found(`__global__ void declared(int *p);
        template <typename T, int N = (4 > 3)> static __global__ __launch_bounds__(256, 2) void bounded(T *p) { }
        __global__ void plain(const char *s = ")", void (*f)(int) = nullptr)
        { for (;;) { } }
        extern "C" void __global__ odd(int) { }`).defined,
      ['bounded', 'odd', 'plain'],
    );
  });
  it('takes no longer than the text is long, whatever it holds', () => {
    const texts = [
      `${'x'.repeat(300_000)}${' '.repeat(300_000)}`,
      '__global__ '.repeat(90_000),
      '#include <\n'.repeat(200_000),
      '#include "'.repeat(200_000),
      'k<'.repeat(300_000),
      'f('.repeat(300_000),
      '"\n'.repeat(300_000),
      'R"('.repeat(200_000),
      'cudaLaunchKernel('.repeat(50_000),
      '/*'.repeat(400_000),
      '\\\n'.repeat(400_000),
    ];
    for (const text of texts) {
      const started = performance.now();
      scanSource(text);
      const once = performance.now() - started;
      inTime(once, 1500, `${JSON.stringify(text.slice(0, 20))}…`);
    }
  });
});

describe('the index of sources', () => {
  it('answers for what files hold now, and takes back what they held', () => {
    const files = new Map([
      ['/p/a.cu', '#include "sub/k.cuh"\nvoid f() { scale<<<1, 2>>>(); }\n'],
      ['/p/b.cu', '#include "k.cuh"\n__global__ void scale() { }\nvoid g() { scale<<<1, 2>>>(); }\n'],
    ]);
    const index = createSourceIndex(memoryFileSystem(files));
    for (const path of files.keys()) ok(index.update(path));
    deepStrictEqual(index.includersOf('k.cuh'), ['/p/a.cu', '/p/b.cu']);
    deepStrictEqual(index.launchersOf(['scale']), ['/p/a.cu'], 'a file that launches its own kernel needs no other');
    deepStrictEqual(index.definersOf('scale'), ['/p/b.cu']);
    files.set('/p/a.cu', '// nothing any more\n');
    ok(index.update('/p/a.cu'));
    ok(!index.update('/p/b.cu'), 'what did not change is not read again');
    deepStrictEqual(index.includersOf('k.cuh'), ['/p/b.cu']);
    deepStrictEqual(index.launchersOf(['scale']), []);
    files.delete('/p/b.cu');
    ok(index.update('/p/b.cu'));
    deepStrictEqual([...index.includersOf('k.cuh'), ...index.definersOf('scale')], []);
  });
});
