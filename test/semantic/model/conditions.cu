// The build decides: defines, conditional code, constants of headers that were not found.
#ifdef FAST
#define STEP 1
#else
#define STEP 4
#endif
#if STEP > 2 && defined(__CUDACC__)
typedef double real;
#else
typedef float real;
#endif
enum { FIRST = 3, SECOND };
const unsigned block_size = 32u * SECOND;

__global__ __launch_bounds__(block_size) void conditional(real *v) {
  int t = blockIdx.x * block_size + threadIdx.x;
  v[t * STEP] = FIRST;
//^^^^^^^^^^^ store 32/8
}

void run(real *v) { conditional<<<7, block_size>>>(v); }
