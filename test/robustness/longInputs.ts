// Files as long as the command takes them that repeat one line of each kind: what is asked once for every line must not look at all lines.
export interface HostileInput {
  readonly name: string;
  /** Texts by path from the folder of the input. */
  readonly files: () => Readonly<Record<string, string>>;
  /** What is checked, and opened; the first of the files where absent. */
  readonly open?: string;
  /** More arguments of `check`; `{folder}` stands for the folder of the input. */
  readonly options?: readonly string[];
}

/** Characters: the command takes 2.5 MB. */
const longest = 2_400_000;

function until(length: number, line: (index: number) => string): string {
  const lines: string[] = [];
  for (let index = 0, sum = 0; sum < length; index++) {
    const next = line(index);
    if (next === '') break;
    lines.push(next);
    sum += next.length;
  }
  return lines.join('');
}

const plain = '__global__ void k(float *a, int n) { a[threadIdx.x * 2] = 1; }\n';
/** The text before the lines, a line, and the text after them. */
const cuda: readonly (readonly [string, string, (index: number) => string, string])[] = [
  [
    'kernels, each with its launch',
    '',
    (i) =>
      `__global__ void k${i}(float *a) { a[threadIdx.x*${i}] = 1; }\nvoid h${i}(float*a){k${i}<<<1,${(i % 1024) + 1}>>>(a);}\n`,
    '',
  ],
  ['short kernels', '', (i) => `__global__ void k${i}(int*a){a[0]=1;}\n`, ''],
  [
    'device functions that each call the one before',
    '',
    (i) => `__device__ float d${i}(float x) { return x * 1.0 + ${i ? `d${i - 1}(x)` : '1'}; }\n`,
    plain,
  ],
  [
    'templates, each with its instance',
    '',
    (i) =>
      `template <int N> __global__ void k${i}(float *a) { a[threadIdx.x*N] = 1; }\ntemplate __global__ void k${i}<${i}>(float*);\n`,
    '',
  ],
  [
    'suppressed findings',
    '__global__ void k(float*a){\n',
    (i) => `a[threadIdx.x*${i}]=1; // warplens-ignore-line cuda/uncoalesced-access\n`,
    '}\n',
  ],
  ['allocations', 'void h(){\n', (i) => `float*p${i};cudaMalloc(&p${i},4);cudaFree(p${i});\n`, '}\n'],
  ['branches', '__global__ void k(float*a,int n){\n', (i) => `if(threadIdx.x%2==0)a[threadIdx.x]=${i};\n`, '}\n'],
  [
    'barriers',
    '__global__ void k(float*a){__shared__ float s[64];\n',
    () => 's[threadIdx.x]=1;__syncthreads();\n',
    '}\n',
  ],
  [
    'shared arrays',
    '__global__ void k(float*a){\n',
    (i) => `__shared__ float s${i}[64]; s${i}[threadIdx.x*2]=1;\n`,
    '}\n',
  ],
  ['lambdas', 'void h(float*a){\n', (i) => `auto l${i}=[=] __device__ (int i){ a[i*2]=1; };\n`, '}\n'],
  [
    'launches in a loop',
    `${plain}void h(float*a){for(;;){\n`,
    () => 'k<<<1,256>>>(a,1);cudaDeviceSynchronize();\n',
    '}}\n',
  ],
  [
    'cases',
    '__global__ void k(float*a,int n){switch(n){\n',
    (i) => `case ${i}: a[threadIdx.x*2]=${i}; break;\n`,
    '}}\n',
  ],
  ['structures', '', (i) => `struct S${i} { float x, y; ${i ? `S${i - 1} *p;` : ''} };\n`, plain],
  ['bases of bases', '', (i) => `struct S${i}${i ? ` : S${i - 1}` : ''} { float x${i}; };\n`, plain],
  ['names of names', '', (i) => `typedef ${i ? `T${i - 1}` : 'float'} T${i};\n`, plain],
  ['open conditions', '', (i) => `#ifdef X${i}\nint a${i};\n#else\n`, ''],
  ['alternatives', '#if 0\n', (i) => `#elif defined(A${i})\nint a;\n`, `#endif\n${plain}`],
  ['macros of macros', '', (i) => `#define A${i} A${i + 1}\n`, '__global__ void k(float*a){a[threadIdx.x*A0]=1;}\n'],
  ['macros that come and go', '', (i) => `#define A ${i}\n#undef A\n`, plain],
  ['continued comments', '', () => '/* */ // \\\n', plain],
  [
    'a raw string that almost ends',
    'const char*s=R"aaaaaaaaaaaaaaaa(',
    () => ')aaaaaaaaaaaaaaa"',
    `)aaaaaaaaaaaaaaaa";${plain}`,
  ],
  ['choices of choices', '__global__ void k(float*a,int n){a[threadIdx.x*2]=', (i) => `n==${i}?${i}:`, '1;}\n'],
  ['conversions', '__global__ void k(float*a,int n){a[threadIdx.x*2]=', () => '(float)', '1;}\n'],
  ['commas', '__global__ void k(float*a,int n){', (i) => `a[threadIdx.x*2]=${i},`, 'n=1;}\n'],
  ['jumps', '__global__ void k(float*a,int n){', (i) => `L${i}: if(n==${i}) goto L${(i * 7) % 1000};\n`, '}\n'],
  [
    'assembly',
    '__global__ void k(float*a,int n){',
    () => 'asm volatile("mov.u32 %0, %1;" : "=r"(n) : "r"(n));\n',
    'a[threadIdx.x*2]=1;}\n',
  ],
  ['enumerators', 'enum E { ', (i) => `E${i}${i ? `=E${i - 1}+1` : ''},`, ` };${plain}`],
  [
    'namespaces that use each other',
    '',
    (i) => `namespace n${i} { using namespace n${i ? i - 1 : 0}; int x${i}; }\n`,
    '__global__ void k(float*a){a[threadIdx.x*2]=n5::x5;}\n',
  ],
  [
    'overloads',
    '',
    (i) => `__device__ void f(int (*)[${i + 1}]) {}\n`,
    '__global__ void k(float*a){f(0);a[threadIdx.x*2]=1;}\n',
  ],
  ['names beyond ASCII', '', (i) => (i < 80_000 ? `int é${i} = 1; // ü€😀\n` : ''), plain],
  ['a table', '__constant__ int t[] = {', (i) => `${i % 100},`, '};__global__ void k(float*a){a[t[threadIdx.x]]=1;}\n'],
  [
    'loops side by side',
    '__global__ void k(float*a,int n){',
    (i) => `for(int i=0;i<n;i++)a[i*${i}+threadIdx.x]=1;\n`,
    '}\n',
  ],
  [
    'shuffles',
    '__global__ void k(float*a,int n){float v=a[threadIdx.x];',
    (i) => `v+=__shfl_down_sync(0xffffffff,v,${i % 32});\n`,
    'a[threadIdx.x]=v;}\n',
  ],
  ['atomics', '__global__ void k(int*a,int n){', (i) => `atomicAdd(&a[threadIdx.x%${i + 1}],1);\n`, '}\n'],
];

const c: typeof cuda = [
  [
    'loops with directives',
    'void s(float *a, int n) {\n',
    (i) => `#pragma acc parallel loop\nfor (int i = 0; i < n; i++)\na[i*${i}] = 1;\n`,
    '}\n',
  ],
  [
    'functions with directives',
    '',
    (i) => `void s${i}(float *a, int n) {\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++)\na[i*${i}] = 1;\n}\n`,
    '',
  ],
  ['updates', 'void s(float *a, int n) {\n', () => '#pragma acc update self(a[0:n])\n', '}\n'],
  [
    'data that comes and goes',
    'void s(float *a, int n) {\n',
    () => '#pragma acc enter data copyin(a[0:n])\n#pragma acc exit data copyout(a[0:n])\n',
    '}\n',
  ],
];

const declared = 'integer :: n, i\nreal :: a(n)\n';
const fortran: typeof cuda = [
  [
    'loops with directives, and more without',
    `subroutine s(a, n)\n${declared}`,
    () => '!$acc parallel loop\ndo i = 1, n\na(i*7) = 1\nend do\n',
    'end subroutine\n',
  ],
  ['updates', `subroutine s(a, n)\n${declared}`, () => '!$acc update host(a)\n', 'end subroutine\n'],
  [
    'procedures with directives',
    '',
    (i) => `subroutine s${i}(a, n)\n${declared}!$acc parallel loop\ndo i = 1, n\na(i*7) = 1\nend do\nend subroutine\n`,
    '',
  ],
  ['routines', '', (i) => `subroutine s${i}(a)\n!$acc routine seq\nreal :: a\na = ${i}\nend subroutine\n`, ''],
];

const inputsOf = (language: string, file: string, kinds: typeof cuda): HostileInput[] =>
  kinds.map(([name, before, line, behind]) => ({
    name: `long: ${language}, ${name}`,
    files: () => ({ [file]: before + until(longest - before.length - behind.length, line) + behind }),
  }));

export const longInputs: readonly HostileInput[] = [
  ...inputsOf('CUDA', 'main.cu', cuda),
  ...inputsOf('C', 'main.c', c),
  ...inputsOf('Fortran', 'main.f90', fortran),
];
