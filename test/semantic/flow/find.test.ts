// Runtime calls in host code: statements, wrappers, loops, what can be hoisted, which waits are needed.
import assert from 'node:assert/strict';
import type { RuntimeCallFact } from '../../../server/src/semantic/model';
import { Fn } from '../../../server/src/semantic/language/fn';
import { findRuntimeCalls } from '../../../server/src/semantic/flow/find';
import { testSyntax } from '../../support/analyseText';

const head =
  '#include <chrono>\n#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("%s", cudaGetErrorString(e)); exit(1); } } while (0)\n#define BRACED(ans) { check((ans), __FILE__); }\n' +
  '__global__ void work(float *p, int n);\nvoid check(cudaError_t, const char *);\nvoid keep(float *);\nvoid follow(int n, float *&of);\n__managed__ int flag;\n';

async function callsIn(body: string, before = ''): Promise<{ facts: RuntimeCallFact[]; text: string }> {
  const text = `${head}${before}void run(float *p, float *host, float *q, int n, int turns, size_t bytes, cudaStream_t s) {\n${body}\n}\n`;
  const unit = (await testSyntax()).parse(
    'file:///memory/host.cu',
    text,
    0,
    { defines: {}, computeCapability: 90 },
    { resolve: () => undefined },
  );
  return {
    facts: findRuntimeCalls(new Fn(unit, unit.main, unit.main.functions.find((fn) => fn.name === 'run')!)),
    text,
  };
}
async function fact(body: string, name: string): Promise<RuntimeCallFact & { readonly written: string }> {
  const { facts, text } = await callsIn(body);
  const found = facts.find((one) => one.name === name);
  assert.ok(found, `${name} in ${facts.map((one) => one.name).join(', ')}`);
  return { ...found, written: text.slice(found.statementAt.start, found.statementAt.end) };
}
const launch = 'work<<<n, 256>>>(p, n);';
const turns = (body: string): string => `  for (int i = 0; i < turns; i++) {\n    ${body}\n  }`;

describe('runtime calls in host code', () => {
  it('are seen through wrappers, with their whole statement', async () => {
    for (const statement of [
      'cudaFree(p);',
      'CHECK(cudaFree(p));',
      'BRACED(cudaFree(p));',
      'checkCuda(cudaFree(p));',
      'CHECK( cudaFree( p ) ) ;',
    ]) {
      const found = await fact(`  n++;\n  ${statement}\n  n++;`, 'cudaFree');
      assert.equal(found.written, statement);
      assert.equal(found.loops.length, 0, statement);
    }
  });

  it('know their loops', async () => {
    const one = await fact(
      `  for (int i = 0; i < 8; i += 2) {\n    ${launch}\n    while (n--) { CHECK(cudaFree(p)); }\n  }`,
      'cudaFree',
    );
    assert.deepEqual(
      one.loops.map((loop) => loop.text),
      ['while (n--)', 'for (int i = 0; i < 8; i += 2)'],
    );
  });

  describe('an allocation on each turn', () => {
    const pair = (
      more: string,
      size = 'bytes',
      first = 'cudaMemcpy(d, host, bytes, cudaMemcpyHostToDevice);',
    ): string =>
      turns(
        `float *d;\n    cudaMalloc(&d, ${size});\n    ${first}\n    work<<<n, 256>>>(d, n);\n    ${more}\n    cudaFree(d);`,
      );
    it('can move when nothing depends on it', async () => {
      const { hoist } = await fact(pair(''), 'cudaMalloc');
      assert.equal(hoist?.safe, true);
      assert.equal(hoist.edits.length, 6);
    });
    it('is seen around the algorithms of CUB', async () => {
      const { hoist } = await fact(
        turns(
          'void *d = nullptr;\n    size_t size = 0;\n    cub::DeviceScan::ExclusiveSum(d, size, p, q, n);\n    cudaMalloc(&d, size);\n    cub::DeviceScan::ExclusiveSum(d, size, p, q, n);\n    cudaFree(d);',
        ),
        'cudaMalloc',
      );
      assert.match(hoist?.why ?? '', /computed in the loop/);
    });
    const doubtful: readonly (readonly [string, string, RegExp, boolean])[] = [
      ['what it held may be read', pair('', 'bytes', ''), /keeps the data of the previous iteration/, true],
      ['less is filled than allocated', pair('', '2 * bytes'), /keeps the data of the previous iteration/, true],
      ['it is handed on', pair('keep(d);'), /passed on/, true],
      ['it is stored', pair('q = d;'), /passed on/, true],
      ['a return is between', pair('if (n == i) return;'), /return is between/, false],
      ['a loop may be left between, in a block', pair('if (n == i) { n++; break; }'), /break is between/, false],
      ['a break is between', pair('if (n == i) break;'), /break is between/, false],
      ['it is freed under a condition too', pair('if (n == i) { cudaFree(d); continue; }'), /freed in 2 places/, false],
      [
        'it is set to nothing behind the free',
        `${pair('').slice(0, -3)}  d = nullptr;\n  }`,
        /changes in the loop/,
        false,
      ],
      ['it becomes another', pair('d = q;'), /changes in the loop/, false],
      ['it moves on', pair('d++;'), /changes in the loop/, false],
      ['it is swapped with another', pair('std::swap(d, q);'), /changes in the loop/, false],
      ['its address is handed on', pair('renew(&d);'), /changes in the loop/, false],
      ['its address is kept', pair('float **at = &d; *at = q;'), /changes in the loop/, false],
      ['another name for it', pair('float *&same = d; same = q;'), /changes in the loop/, false],
      ['a function changes it', pair('follow(n, d);'), /changes in the loop/, false],
      // Nothing of a pool either: the host may see memory of the GPU (`__managed__`).
      ['its size comes from the turn', pair('', 'bytes * i'), /computed in the loop/, false],
      [
        'its size is an element',
        pair('', 'sizes[i]').replace('float *d;', 'float *d; size_t *sizes = 0;'),
        /computed in the loop/,
        false,
      ],
    ];
    describe('of a size that is not a local variable', () => {
      const before =
        'struct Pool { int n, used; void grow(); };\nextern int count;\nstatic int own;\nint unsteady;\n' +
        'constexpr int fixed = 8;\nvoid advance();\nvoid refill(Pool *pool);\nvoid look(int n);\n' +
        'static int seen() { return own + fixed; }\nvoid change(int &of);\nstatic void step() { unsteady++; }\nstatic void twice() { step(); step(); }\n';
      const sized = async (size: string, more: string): Promise<boolean | undefined> => {
        const { facts } = await callsIn(
          `  Pool *pool = (Pool *)host;\n${turns(
            `float *d;\n    cudaMalloc(&d, ${size});\n    cudaMemset(d, 0, ${size});\n    work<<<n, 256>>>(d, n);\n    ${more}\n    cudaFree(d);`,
          )}`,
          before,
        );
        return facts.find(({ name }) => name === 'cudaMalloc')!.hoist?.safe;
      };
      for (const [size, more] of [
        ['pool->n', ''],
        ['pool->n', 'pool->used++; printf("%d", pool->n); look(pool->n); cudaMemset(p, 0, pool->n);'],
        ['fixed', 'advance();'],
        ['own', 'advance(); n = seen();'],
        ['count', 'printf("%d", n); n = seen(); clock();'],
        ['unsteady', 'n = seen();'],
      ] as const)
        it(`moves ${size} beside \`${more}\``, async () => assert.equal(await sized(size, more), true));
      for (const [size, more] of [
        ['pool->n', 'pool->n++;'],
        ['pool->n', 'pool->n = n;'],
        ['pool->n', 'Pool *same = (Pool *)host; same->n = n;'],
        ['pool->n', 'int *at = &pool->n; *at = 3;'],
        ['pool->n', '*pool = Pool();'],
        ['pool->n', 'pool[0] = Pool();'],
        ['pool->n', 'refill(pool);'],
        ['pool->n', 'pool->grow();'],
        ['count', 'checkErrors(n);'],
        ['count', 'startTimer();'],
        ['count', 'count++;'],
        ['count', 'advance();'],
        ['count', 'pool->grow();'],
        ['own', 'own = n;'],
        ['own', 'change(own);'],
        ['unsteady', 'step();'],
        ['unsteady', 'twice();'],
      ] as const)
        it(`leaves ${size} beside \`${more}\``, async () => assert.equal(await sized(size, more), false));
    });
    for (const [name, body, why, edits] of doubtful) {
      it(`is not safe to move when ${name}`, async () => {
        const { hoist } = await fact(body, 'cudaMalloc');
        assert.equal(hoist?.safe, false);
        assert.match(hoist.why ?? '', why);
        assert.equal(hoist.edits.length > 0, edits);
      });
    }
    const fine: readonly (readonly [string, string])[] = [
      ['one turn', pair('').replace('i < turns', 'i < 1')],
      ['a buffer that only grows', turns(`if (n > i) { cudaFree(p); cudaMalloc(&p, n); }\n    ${launch}`)],
      [
        'one buffer for each turn',
        turns(`float *all[9];\n    cudaMalloc(&all[i], bytes);\n    ${launch}\n    cudaFree(all[i]);`),
      ],
      ['several devices', pair('cudaSetDevice(i);')],
      ['sizes that double', pair('').replace('i++', 'i *= 2')],
      [
        'a turn with a loop of launches',
        turns(
          `float *d;\n    cudaMalloc(&d, bytes);\n    for (int k = 0; k < n; k++) work<<<n, 256>>>(d, n);\n    cudaFree(d);`,
        ),
      ],
      // What is given back at the start of an iteration is not what was made in the one before.
      ...['p = q;', 'q = p;', 'q = p + 1;', 'swap(p, q);', 'std::swap(q, p);', 'if (n) { p = q; }'].map(
        (more) =>
          [
            `\`${more}\` between iterations`,
            turns(`cudaFree(p);\n    cudaMalloc(&p, bytes);\n    ${launch}\n    ${more}`),
          ] as const,
      ),
      ['no launch at all', turns('float *d;\n    cudaMalloc(&d, bytes);\n    cudaFree(d);')],
    ];
    for (const more of ['', 'p = nullptr;', 'p = 0;', 'host = q;', 'swap(host, q);', 'printf("%p", p);'])
      it(`is given back at the start of an iteration, \`${more}\` before that`, async () =>
        assert.match(
          (await fact(turns(`cudaFree(p);\n    ${more}\n    cudaMalloc(&p, bytes);\n    ${launch}`), 'cudaMalloc'))
            .hoist?.why ?? '',
          /freed at the start/,
        ));
    for (const [name, body] of fine)
      it(`is nothing to say about with ${name}`, async () =>
        assert.equal((await fact(body, 'cudaMalloc')).hoist, undefined));
  });

  describe('a wait on each turn', () => {
    const needed: readonly (readonly [string, string, string?])[] = [
      ['memory is read through an address', turns(`${launch}\n    cudaDeviceSynchronize();\n    if (*host > 1) n++;`)],
      ['managed memory is read', turns(`${launch}\n    cudaDeviceSynchronize();\n    if (flag) n++;`)],
      ['a function that may look', turns(`${launch}\n    cudaDeviceSynchronize();\n    look(n);`)],
      ['memory is read', turns(`${launch}\n    cudaDeviceSynchronize();\n    if (host[i] > 1) n++;`)],
      ['memory is read through a pointer', turns(`${launch}\n    cudaDeviceSynchronize();\n    n += *host;`)],
      ['a managed variable is read', turns(`${launch}\n    cudaDeviceSynchronize();\n    n += flag;`)],
      ['a function may read', turns(`${launch}\n    cudaDeviceSynchronize();\n    report(p);`)],
      [
        'a copy without waiting fills a number that is read',
        `  float sum;\n${turns(`${launch}\n    CHECK(cudaMemcpyAsync(&sum, p, 4, cudaMemcpyDeviceToHost, 0));\n    cudaDeviceSynchronize();\n    if (sum < 1) break;`)}`,
      ],
      [
        'a copy without waiting fills a number that a launch is given',
        `  float sum;\n${turns(`work<<<n, 256>>>(p, sum);\n    cudaMemcpyAsync((void *)&sum, p, 4, cudaMemcpyDeviceToHost);\n    cudaDeviceSynchronize();`)}`,
      ],
      [
        'a copy without waiting fills elements that are read',
        `  float sums[4];\n${turns(`${launch}\n    cudaMemcpyAsync(&sums[1], p, 8, cudaMemcpyDeviceToHost);\n    cudaDeviceSynchronize();\n    if (sums[2] < 1) break;`)}`,
      ],
      [
        'a structure keeps the address of a number that is read',
        `  float sum;\n  cudaMemcpy3DParms node = {0};\n  node.dstPtr = make_cudaPitchedPtr(&sum, 4, 1, 1);\n${turns(`CHECK(cudaGraphLaunch(exec, s));\n    cudaStreamSynchronize(s);\n    if (sum < 1) break;`)}`,
        'cudaStreamSynchronize',
      ],
      [
        'a graph is made with the address of a number that is read',
        `  float sum;\n  cudaGraphAddMemcpyNode1D(&node, graph, 0, 0, &sum, p, 4, cudaMemcpyDeviceToHost);\n${turns(`cudaGraphLaunch(exec, s);\n    cudaStreamSynchronize(s);\n    if (sum < 1) break;`)}`,
        'cudaStreamSynchronize',
      ],
      [
        'a pool of the function is set up',
        `  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes);\n${turns(`${launch}\n    cudaDeviceSynchronize();`)}`,
      ],
      [
        'a clock measures copies that are overwritten',
        `  cudaEventRecord(a);\n${turns(`${launch}\n    cudaMemcpy(host, p, bytes, cudaMemcpyDeviceToHost);`)}\n  cudaEventRecord(b);`,
        'cudaMemcpy',
      ],
      [
        'a texture that the kernel reads is given up',
        turns(`${launch}\n    cudaDeviceSynchronize();\n    cudaDestroyTextureObject(t);`),
      ],
      ['the loop has no counter', `  do {\n    ${launch}\n    cudaDeviceSynchronize();\n  } while (n > 0);`],
      ['it is conditional', turns(`${launch}\n    if (i % 10 == 0) cudaDeviceSynchronize();`)],
      ['it is under a directive', turns(`${launch}\n#ifdef __CUDACC__\n    cudaDeviceSynchronize();\n#endif`)],
      ['each turn is timed', turns(`double a = omp_get_wtime();\n    ${launch}\n    cudaDeviceSynchronize();`)],
      [
        'events are held against each other',
        `  cudaEvent_t e;\n  float t;\n${turns(`${launch}\n    cudaDeviceSynchronize();\n    cudaEventElapsedTime(&t, e, e);`)}`,
      ],
      ['two streams meet', turns(`${launch}\n    work<<<n, 256, 0, s>>>(q, n);\n    cudaDeviceSynchronize();`)],
      ['a device is chosen', turns(`cudaSetDevice(i);\n    ${launch}\n    cudaDeviceSynchronize();`)],
      [
        'the copied value decides',
        `  int again = 1;\n  for (int i = 0; i < turns && again; i++) {\n    ${launch}\n    cudaMemcpy(&again, p, 4, cudaMemcpyDeviceToHost);\n  }`,
        'cudaMemcpy',
      ],
      [
        'the copied memory is read',
        turns(`${launch}\n    cudaMemcpy(host, p, bytes, cudaMemcpyDeviceToHost);\n    n += (int)host[0];`),
        'cudaMemcpy',
      ],
      [
        'the source is written',
        turns(`fill(host, i);\n    cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice);\n    ${launch}`),
        'cudaMemcpy',
      ],
    ];
    for (const [name, body, call = 'cudaDeviceSynchronize'] of needed) {
      it(`is needed when ${name}`, async () => {
        const { wait } = await fact(body, call);
        assert.equal(wait?.needed, true);
        assert.ok(wait.why);
      });
    }
    const idle: readonly (readonly [string, string])[] = [
      ['a counter is printed', turns(`${launch}\n    cudaDeviceSynchronize();\n    printf("%d", i);`)],
      [
        'a number is read whose address a call of the runtime used',
        `  int device = 0;\n  cudaGetDevice(&device);\n${turns(`${launch}\n    cudaDeviceSynchronize();\n    if (device > 1) n++;`)}`,
      ],
      ['a stream prints it', turns(`${launch}\n    cudaDeviceSynchronize();\n    std::cout << i;`)],
      [
        'an event is recorded',
        `  cudaEvent_t e;\n${turns(`${launch}\n    cudaEventRecord(e);\n    cudaDeviceSynchronize();`)}`,
      ],
      [
        'the whole loop is timed',
        `  auto a = std::chrono::steady_clock::now();\n${turns(`${launch}\n    cudaDeviceSynchronize();`)}\n  auto b = std::chrono::steady_clock::now();`,
      ],
    ];
    for (const [name, body] of idle)
      it(`is not needed when ${name}`, async () => {
        const { wait } = await fact(body, 'cudaDeviceSynchronize');
        assert.equal(wait?.needed, false, wait?.why);
        assert.equal(!!wait.bracketed, name.includes('timed'));
      });
    it('is not needed between launches of one stream', async () => {
      for (const statement of [
        'cudaDeviceSynchronize();',
        'CHECK(cudaDeviceSynchronize());',
        'BRACED(cudaStreamSynchronize(0));',
      ]) {
        const { wait } = await fact(
          turns(`${launch}\n    CHECK(cudaGetLastError());\n    ${statement}\n    std::swap(p, q);`),
          statement.includes('Stream') ? 'cudaStreamSynchronize' : 'cudaDeviceSynchronize',
        );
        assert.equal(wait?.needed, false, wait?.why);
        assert.equal(wait.edits?.length, 2);
        assert.equal(wait.edits[1]!.newText.trim(), statement);
      }
    });
    it('is not moved where one follows the loop anyway', async () => {
      const { wait } = await fact(
        `${turns(`${launch}\n    cudaDeviceSynchronize();`)}\n  cudaDeviceSynchronize();`,
        'cudaDeviceSynchronize',
      );
      assert.deepEqual(
        wait?.edits?.map((edit) => edit.newText),
        [''],
      );
    });
    it('of a copy names the memory that has to be pinned', async () => {
      const { wait } = await fact(
        turns(
          `${launch.replace('256>>>', '256, 0, s>>>')}\n    cudaMemcpy(host + i * n, p, bytes, cudaMemcpyDeviceToHost);`,
        ),
        'cudaMemcpy',
      );
      assert.equal(wait?.needed, false, wait?.why);
      assert.match(wait.title!, /pinned `host`/);
      assert.deepEqual(
        wait.edits?.map((edit) => edit.newText.trim()),
        ['cudaMemcpyAsync', ', s', 'cudaStreamSynchronize(s);'],
      );
    });
    it('says nothing about copies on the device', async () =>
      assert.equal(
        (await fact(turns(`${launch}\n    cudaMemcpy(q, p, bytes, cudaMemcpyDeviceToDevice);`), 'cudaMemcpy')).wait,
        undefined,
      ));
  });
});
