// Figures of kernels that templates of the host launch, with types that functions declare, through accessors.
import { deepStrictEqual, notDeepStrictEqual, strictEqual } from 'node:assert/strict';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

const kernel =
  'template <typename T> __global__ void k(const T *a, T *b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[2 * i]; }\n';

async function figures(text: string): Promise<readonly string[]> {
  const uri = memoryUri('library.cu');
  const analysed = (await memoryWorkspace(new Map())).analyse(uri, { text, version: 1 });
  return analysed!.model.facts.access.map(
    ({ mode, sectors, sectorsIdeal, certainty }) => `${mode} ${sectors}/${sectorsIdeal} ${certainty}`,
  );
}
/** With the array and what each figure rests on. */
async function assumptions(text: string): Promise<readonly string[]> {
  const uri = memoryUri('library.cu');
  const analysed = (await memoryWorkspace(new Map())).analyse(uri, { text, version: 1 });
  return analysed!.model.facts.access.map(({ mode, array, sectors, sectorsIdeal, assumed }) => {
    const rests = assumed.map((one) => ('name' in one ? `${one.kind}=${one.name}` : one.kind)).sort();
    return [`${mode} ${array.name} ${sectors}/${sectorsIdeal}`, ...rests].join(' ');
  });
}
const ofDoubles = ['load 16/8 proven', 'store 8/8 proven'];

describe('library style', () => {
  it('takes the types of a host template from its caller, wherever that is', async () => {
    const host = 'template <typename E> void run(const E *a, E *b, int n) { k<E><<<n / 256, 256>>>(a, b, n); }\n';
    const caller = 'void callIt(const double *a, double *b, int n) { run<double>(a, b, n); }\n';
    deepStrictEqual(await figures(kernel + host + caller), ofDoubles);
  });

  it('takes the types of a host template from its explicit instantiation, and of none that there is not', async () => {
    const host = 'template <typename E> void run(const E *a, E *b, int n) { k<E><<<n / 256, 256>>>(a, b, n); }\n';
    const parameters = '(const double *, double *, int);\n';
    deepStrictEqual(await figures(`${kernel}${host}template void run<double>${parameters}`), ofDoubles);
    deepStrictEqual(await figures(`${kernel}${host}template void run${parameters}`), ofDoubles);
    deepStrictEqual(await figures(`${kernel}namespace one { ${host} template void run${parameters} }`), ofDoubles);
    const unknown = await figures(kernel + host);
    deepStrictEqual(await figures(`${kernel}${host}template void other<double>${parameters}`), unknown);
    notDeepStrictEqual(unknown, ofDoubles);
  });

  it('takes the types of a member that launches from an instantiation of its class', async () => {
    const launch = 'k<E><<<n / 256, 256>>>(a, b, n);';
    const inside = `template <typename E> struct Runner { void run(const E *a, E *b, int n) { ${launch} } };\n`;
    const outside = `template <typename E> struct Runner { void run(const E *a, E *b, int n); };\ntemplate <typename E> void Runner<E>::run(const E *a, E *b, int n) { ${launch} }\n`;
    for (const runner of [inside, outside]) {
      deepStrictEqual(await figures(`${kernel}${runner}template struct Runner<double>;\n`), ofDoubles);
      deepStrictEqual(
        await figures(`${kernel}${runner}template void Runner<double>::run(const double *, double *, int);\n`),
        ofDoubles,
      );
    }
  });

  it('runs a kernel without a launch as it is instantiated', async () => {
    deepStrictEqual(await figures(`${kernel}template __global__ void k<double>(const double *, double *, int);\n`), [
      'load 16/8 proven',
      'store 8/8 proven',
    ]);
  });

  it('resolves a type that the block around a launch declares, and not one of another block', async () => {
    const within = (body: string): Promise<readonly string[]> =>
      figures(`${kernel}void run(const double *a, double *b, int n) { ${body} }\n`);
    const launch = '[&] { k<real><<<n / 256, 256>>>(a, b, n); }();';
    deepStrictEqual(await within(`using real = double; ${launch}`), ofDoubles);
    deepStrictEqual(await within(`using real = double; { using real = float; } ${launch}`), ofDoubles);
    deepStrictEqual(await within(`switch (n) { case 1: { using real = double; ${launch} } }`), ofDoubles);
  });

  it('takes a member for the one constant that all code sets it to', async () => {
    const strided =
      '__global__ void k(const float *a, float *b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; b[i] = a[n * i]; }\n';
    const ofClass = (members: string, more = ''): Promise<readonly string[]> =>
      figures(
        `${strided}enum { N_SCALARS = 4 };\nstruct Base { int n_; int m_; };\nclass Solver : public Base { Solver(); ${members} void run(const float *a, float *b); };\nvoid Solver::run(const float *a, float *b) { k<<<4096, 256>>>(a, b, n_); }\n${more}`,
      );
    const known = ['load 16/4 proven', 'store 4/4 proven'];
    deepStrictEqual(await ofClass('void init() { m_ = N_SCALARS; n_ = m_; }'), known);
    deepStrictEqual(await ofClass('void init() { n_ = 4; } void again() { n_ = 4; }'), known);
    for (const other of [
      'void init() { n_ = 4; } void again() { n_ = 8; }',
      'void init(int n) { n_ = n; }',
      'void init() { n_ = 4; } void again() { n_++; }',
      'void init() { n_ = 4; } void again() { read(&n_); }',
      'int n_ = 1; void init() { n_ = 4; }',
    ])
      notDeepStrictEqual(await ofClass(other), known, other);
    notDeepStrictEqual(await ofClass('void init() { n_ = 4; }', 'void set(Solver &s) { s.n_ = 2; }\n'), known);
  });

  it('knows the fields of structures by value as it knows other arguments', async () => {
    const text = (given: string): string =>
      `struct Inner { int stride; };\nstruct Params { const float *a; float *b; Inner inner; };\n__global__ void k(Params p) { int i = blockIdx.x * blockDim.x + threadIdx.x; p.b[i] = p.a[p.inner.stride * i]; }\nvoid run(const float *a, float *b, int n) { Params p{a, b, {${given}}}; k<<<4096, 256>>>(p); }\n`;
    deepStrictEqual(await figures(text('2')), ['load 8/4 proven', 'store 4/4 proven']);
    notDeepStrictEqual(await figures(text('n')), ['load 8/4 proven', 'store 4/4 proven']);
  });

  it('types the text of a template as all its launches agree, and not where they differ', async () => {
    const text = (types: readonly string[]): string =>
      `template <typename T> __global__ void k(T *a) { int i = blockIdx.x * 256 + threadIdx.x; a[i] = a[i] * 0.1; }\n${types
        .map((type) => `void run(${type} *a) { k<<<4096, 256>>>(a); }\n`)
        .join('')}`;
    const doubles = async (types: readonly string[]): Promise<number> => {
      const workspace = await memoryWorkspace(new Map());
      const analysed = workspace.analyse(memoryUri('library.cu'), { text: text(types), version: 1 });
      return analysed!.model.facts.double.length;
    };
    strictEqual(await doubles(['float']), 1);
    strictEqual(await doubles(['float', 'double']), 0);
  });

  it('follows waits into methods and lambdas that launch', async () => {
    const needed = async (body: string, method = ''): Promise<boolean | undefined> => {
      const text = `__global__ void k(float *a) { a[threadIdx.x] += 1; }\nstruct Runner { float *a; float *h; void run() { k<<<1, 32>>>(a); ${method} } };\nvoid f(float *a, Runner r) { for (int i = 0; i < 100; i++) { ${body} cudaDeviceSynchronize(); } }\n`;
      const workspace = await memoryWorkspace(new Map());
      const analysed = workspace.analyse(memoryUri('library.cu'), { text, version: 1 });
      return analysed!.model.facts['runtime-call'][0]?.wait?.needed;
    };
    strictEqual(await needed('k<<<1, 32>>>(a);'), false);
    strictEqual(await needed('r.run();'), false);
    strictEqual(await needed('[&] { k<<<1, 32>>>(a); }();'), false);
    strictEqual(await needed('r.run();', 'unknown(h);'), true);
    strictEqual(await needed('auto later = [&] { k<<<1, 32>>>(a); }; later();'), true);
  });

  it('loads what a call returns by reference where its value is taken, and only there', async () => {
    const accessor = 'struct View { double *data; __device__ double &operator()(int i) const { return data[i]; } };\n';
    const body = (statement: string): Promise<readonly string[]> =>
      figures(
        `${accessor}__global__ void k(View a, View b) { int i = blockIdx.x * 256 + threadIdx.x; ${statement} }\nvoid run(View a, View b) { k<<<4096, 256>>>(a, b); }\n`,
      );
    deepStrictEqual(await body('double x = a(2 * i); if (x > 1) b(0);'), ['load 16/8 proven']);
    deepStrictEqual(await body('a(i);'), []);
  });

  const generic =
    'template <typename F> __global__ void forall(int n, F f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f(i); }\n';
  const lambda = '[=] __device__ (int i) { b[i] = a[s * i]; }';
  const hostOf = (body: string): string => `void run(const double *a, double *b, int n) { ${body} }\n`;

  it('runs a lambda that a launch gives a generic kernel, with what it captures', async () => {
    const launch = (factor: string): string => hostOf(`int s = ${factor}; forall<<<n / 256, 256>>>(n, ${lambda});`);
    deepStrictEqual(await figures(generic + launch('2')), ofDoubles);
    deepStrictEqual(await figures(generic + launch('1')), ['load 8/8 proven', 'store 8/8 proven']);
    deepStrictEqual(await figures(generic + launch('n')), ['load 32/8 conditional', 'store 8/8 proven']);
    const shifted = launch('2').replace('int s', 'const double *c = a + 2; int s').replace('a[s', 'c[s');
    deepStrictEqual(await figures(generic + shifted), ['load 17/8 proven', 'store 8/8 proven']);
  });

  it('runs a lambda through the wrappers of the host that it comes by', async () => {
    const wrapper =
      'template <typename F> void parallelFor(int n, F &&f) { forall<<<n / 256, 256>>>(n, std::forward<F>(f)); }\n' +
      'template <typename F> void outer(int n, const F &f) { parallelFor(n, f); }\n';
    deepStrictEqual(await figures(generic + wrapper + hostOf(`int s = 2; outer(n, ${lambda});`)), ofDoubles);
    deepStrictEqual(
      await figures(generic + wrapper + hostOf(`int s = 2; auto f = ${lambda}; outer(n, f);`)),
      ofDoubles,
    );
  });

  it('follows launches into lambdas that the host gives to unknown macros and functions', async () => {
    const launch = 'k<double><<<n / 256, 256>>>(a, b, n);';
    const host = (body: string): string => `void run(const double *a, double *b, int n) { ${body} }\n`;
    for (const body of [
      `AT_DISPATCH_FLOATING_TYPES(type, "k", ([&] { ${launch} }));`,
      `parallel_for(4, [=](int device) { ${launch} });`,
      `auto go = [&] { ${launch} }; submit(go);`,
    ])
      deepStrictEqual(await figures(kernel + host(body)), ofDoubles);
    notDeepStrictEqual(await figures(kernel + host(`auto go = [&] { ${launch} };`)), ofDoubles);
    // What an unknown function of the device does with a lambda may be for one lane alone.
    const device = '__global__ void d(float *a) { visit(a, [&](int j) { a[32 * threadIdx.x] = j; }); }\n';
    deepStrictEqual(await figures(device), []);
  });

  it('keeps lambdas of one kernel apart', async () => {
    const launch = (factor: string): string =>
      `forall<<<n / 256, 256>>>(n, [=] __device__ (int i) { b[${factor} * i] = 1; });`;
    deepStrictEqual(await figures(generic + hostOf(`${launch('2')} ${launch('1')}`)), [
      'store 16/8 proven',
      'store 8/8 proven',
    ]);
  });

  it('runs a functor with the values that it is constructed with', async () => {
    const functor =
      'struct Scale { const double *a; double *b; int s; __device__ void operator()(int i) const { b[i] = a[s * i]; } };\n';
    const launch = hostOf('forall<<<n / 256, 256>>>(n, Scale{a, b, 2});');
    deepStrictEqual(await figures(generic + functor + launch), ofDoubles);
  });

  describe('of well-known classes without their headers', () => {
    const within = (params: string, statements: string, before = ''): Promise<readonly string[]> =>
      assumptions(
        `${before}__global__ void k(${params}) { int i = blockIdx.x * 256 + threadIdx.x; ${statements} }\nvoid run() { k<<<dim3(4096, 8), 256>>>(); }\n`,
      );

    it('takes the last dimension of a tensor as contiguous and says so', async () => {
      const tensor = 'at::PackedTensorAccessor64<float, 2, at::RestrictPtrTraits> a';
      deepStrictEqual(await within(tensor, 'a[1][i] = 0;'), ['store a 4/4 alignment contiguous=a']);
      deepStrictEqual(await within('torch::PackedTensorAccessor32<double, 1> a', 'a[i] = 0;'), [
        'store a 8/8 contiguous=a',
      ]);
      deepStrictEqual(await within(tensor, 'auto row = a[1]; row[2 * i] = 0;'), ['store a 8/4 alignment contiguous=a']);
      deepStrictEqual(await within(tensor, 'a.data()[i * a.stride(1)] = 0;'), ['store a 4/4 contiguous=a']);
    });

    it('takes other dimensions of a tensor as of unknown stride', async () => {
      const tensor = 'at::PackedTensorAccessor64<float, 3> a';
      deepStrictEqual(await within(tensor, 'a[i][0][0] = 0;'), ['store a 32/4 stride=a.strides_[0]']);
      deepStrictEqual(await within(tensor, 'auto rows = a[0]; rows[i][0] = 0;'), ['store a 32/4 stride=a.strides_[1]']);
      deepStrictEqual(await within(tensor, 'a.data()[i * a.stride(1)] = 0;'), ['store a 32/4 stride=a.strides_[1]']);
      const row = '__device__ void clear(at::TensorAccessor<float, 1> row) { row[2] = 0; }\n';
      deepStrictEqual(await within(tensor, 'clear(a[i][1]);', row), ['store a 32/4 stride=a.strides_[0]']);
    });

    it('knows rows of a pitch in bytes', async () => {
      const image = 'cv::cuda::PtrStepSz<float> a';
      for (const row of ['a(1, i) = 0;', 'a.ptr(1)[i] = 0;', 'a.ptr()[i + a.step / sizeof(float)] = 0;'])
        deepStrictEqual(await within(image, row), ['store a 4/4 alignment'], row);
      deepStrictEqual(await within(image, 'a(i, 1) = 0;'), ['store a 32/4 stride=a.step']);
      deepStrictEqual(await within('PtrStepb a', 'a(1, 8 * i) = 0;'), ['store a 8/1 alignment']);
      deepStrictEqual(await within('cv::gpu::DevMem2D_<double> a', 'a.data[i] = 0;'), ['store a.data 8/8']);
      deepStrictEqual(
        await within('cudaPitchedPtr a', 'float *row = (float *)((char *)a.ptr + a.pitch); row[i] = 0;'),
        ['store a.ptr 4/4 alignment'],
      );
    });

    it('knows spans, device pointers and mdspan', async () => {
      deepStrictEqual(await within('std::span<double> a', 'a[2 * i] = 0;'), ['store a 16/8']);
      deepStrictEqual(await within('cuda::std::span<float> a', 'a.data()[i] = 0;'), ['store a 4/4']);
      deepStrictEqual(await within('thrust::device_ptr<float> a', 'a[i] = 0; *a = 0; a.get()[2 * i] = 0;'), [
        'store a 4/4',
        'store a 1/1',
        'store a 8/4',
      ]);
      const array = (layout: string): string => `cuda::std::mdspan<float, cuda::std::dextents<int, 2>${layout}> a`;
      deepStrictEqual(await within(array(''), 'a(i, 0) = 0;'), ['store a 32/4 stride=a.extents_[1]']);
      deepStrictEqual(await within(array(', cuda::std::layout_left'), 'a(i, 1) = 0;'), ['store a 4/4 alignment']);
      deepStrictEqual(await within(array(', cuda::std::layout_stride'), 'a(0, i) = 0;'), [
        'store a 32/4 stride=a.strides_[1]',
      ]);
    });

    it('leaves names to the program, and to other namespaces', async () => {
      const own =
        'template <typename T, int N> struct PackedTensorAccessor64 { T *p; __device__ T &operator[](int i) { return p[4 * i]; } };\n';
      deepStrictEqual(await within('PackedTensorAccessor64<float, 1> a', 'a[i] = 0;', own), ['store a 16/4']);
      deepStrictEqual(await within('span<float> a', 'a[i] = 0;'), []);
      deepStrictEqual(await within('mine::PtrStep<float> a', 'a(1, i) = 0;'), []);
      const member =
        'template <typename T> __global__ void k(PtrStep<T> a, elem_type *b) { a(1, threadIdx.x) = 0; b[threadIdx.x] = 0; }\nvoid run(PtrStep<double> a) { k<double><<<1, 256>>>(a, 0); }\n';
      deepStrictEqual(await assumptions(member), ['store a 8/8 alignment', 'store b 4/4 type-size']);
    });
  });

  it('follows nested accessors by the code of their class', async () => {
    const code =
      'template <typename T, int N> struct Sub { T *data; const long *strides; __device__ Sub<T, N - 1> operator[](long i) { return Sub<T, N - 1>{data + strides[0] * i, strides + 1}; } };\n' +
      'template <typename T> struct Sub<T, 1> { T *data; const long *strides; __device__ T &operator[](long i) { return data[i]; } };\n' +
      'template <typename T, int N> struct Whole { T *data; long strides[N]; __device__ Sub<T, N - 1> operator[](long i) { return Sub<T, N - 1>{data + strides[0] * i, strides + 1}; } };\n';
    const text = (index: string): string =>
      `${code}__global__ void k(Whole<float, 3> a) { int i = blockIdx.x * 256 + threadIdx.x; a${index} = 0; }\nvoid run() { k<<<4096, 256>>>(); }\n`;
    deepStrictEqual(await assumptions(text('[1][2][i]')), ['store a 4/4 alignment']);
    deepStrictEqual(await assumptions(text('[1][i][2]')), ['store a 32/4 stride=a.strides[1]']);
  });

  it('reads constants of a class through its objects', async () => {
    const text = (constant: string): string =>
      `template <typename T> struct Rows { ${constant} T *data; };\n__global__ void k(Rows<double> a) { int i = blockIdx.x * 256 + threadIdx.x; a.data[a.apart * i] = 0; }\nvoid run() { k<<<4096, 256>>>(); }\n`;
    for (const constant of ['enum { apart = sizeof(T) / 4 };', 'static constexpr int apart = 2;'])
      deepStrictEqual(await assumptions(text(constant)), ['store a.data 16/8'], constant);
  });
});
