// Calls of unknown functions that are known by name to touch no variable of the program, or only what they are handed.

const mathematics = new RegExp(
  [
    '^(f?abs|labs|llabs|sqrt|cbrt|exp2?|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan2?|sinh',
    'cosh|tanh|asinh|acosh|atanh|floor|ceil|round|lround|rint|nearbyint|trunc|fmod|remainder|hypot|fmax',
    'fmin|fma|erfc?|tgamma|lgamma|copysign|isnan|isinf|isfinite|max|min|swap|abs)[fl]?$',
  ].join('|'),
);
const hostWords = new RegExp(
  [
    '^(printf|fprintf|puts|putchar|fflush|perror|exit|abort|assert|__assert_fail|rand|srand|drand48',
    String.raw`srand48|rand_r|time|clock|omp_get_wtime|omp_get_\w+|gettimeofday|clock_gettime|MPI_Wtime|MPI_Barrier`,
    String.raw`malloc|calloc|new|atoi|atof|strtol|strtod|strlen|strcmp|strncmp|getenv|usleep|sleep|timer_\w+`,
    String.raw`acc_get_\w+|acc_set_\w+|acc_init|acc_shutdown|acc_on_device|acc_async_test\w*|acc_is_present)$`,
  ].join('|'),
  'i',
);
export const argumentWords = new RegExp(
  [
    '^(free|delete|memcpy|memmove|memset|memcmp|realloc|fopen|fclose|fread|fwrite|fgets|fputs|scanf',
    String.raw`fscanf|sscanf|sprintf|snprintf|posix_memalign|aligned_alloc|std::swap|mpi_\w+|acc_\w+|allocate`,
    'deallocate|nullify|read|random_number|get_command_argument|getarg|move_alloc|mvbits)$',
  ].join('|'),
  'i',
);
const fortranWords = new RegExp(
  [
    '^(d?sqrt|d?exp|d?log|d?log10|d?sin|d?cos|d?tan|d?atan2?|d?abs|iabs|max[01]?|min[01]?|amax1|dmax1',
    'amin1|dmin1|mod|modulo|sign|int|nint|real|dble|float|cmplx|dcmplx|aimag|conjg|floor|ceiling|sum',
    'product|maxval|minval|maxloc|minloc|dot_product|matmul|transpose|reshape|spread|merge|any|all|count',
    'iand|ior|ieor|ishft|btest|not|char|ichar|achar|iachar|trim|adjustl|adjustr|len_trim|len|index',
    'epsilon|tiny|huge|precision|cshift|eoshift|pack|unpack|dot|norm2|aint|anint|dim|write|print|cpu_time',
    'sngl|[di]sign|[ad]mod|d?nint|dint|id(?:n?int|im)|ifix|ddim|dprod|alog(?:10)?|amax0|amin0|max1|min1',
    'd(?:asin|acos|sinh|cosh|tanh)|c(?:abs|sqrt|exp|log|sin|cos)',
    'system_clock|random_seed|date_and_time|omp_get_wtime|mpi_wtime|stop)$',
  ].join('|'),
);
export const inquiries: ReadonlySet<string> = new Set([
  'size',
  'shape',
  'lbound',
  'ubound',
  'allocated',
  'associated',
  'present',
  'kind',
  'selected_real_kind',
  'sizeof',
  'storage_size',
  'rank',
  'c_sizeof',
]);

export function isHarmless(name: string, fortran: boolean): boolean {
  return fortran ? fortranWords.test(name) || inquiries.has(name) : mathematics.test(name) || hostWords.test(name);
}
