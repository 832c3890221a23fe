// What the words of OpenACC mean, in a sentence or two each, for hovers and completion.

export interface Meaning {
  readonly text: string;
  /** How it is written, a snippet's placeholders among it: `vector_length(${1:128})`. The name alone where absent. */
  readonly snippet?: string;
  /** What holds where it is not written. */
  readonly otherwise?: string;
}

export const directiveMeanings: Readonly<Record<string, Meaning>> = {
  parallel: {
    text:
      'Starts gangs on the device; each gang runs the block. A loop inside is divided among the gangs only ' +
      'with a `loop` directive.',
  },
  serial: {
    text:
      'Runs the block on the device with one gang, one worker and one vector lane. Use it for scalar code ' +
      'between kernels, so that the data can stay on the device.',
  },
  kernels: {
    text:
      'The compiler makes kernels from the loops in the block. It runs in parallel only the loops that it ' +
      'can prove independent or that `independent` declares so.',
  },
  loop: {
    text:
      'Divides the next loop among gangs, workers or vector lanes. ' + 'With `seq` it keeps its iterations in order.',
    otherwise:
      'inside `parallel` the iterations are assumed independent; inside `kernels` the compiler has to prove it',
  },
  'parallel loop': {
    text:
      '`parallel` and `loop` combined: starts gangs that share the iterations of the next loop. The ' +
      'iterations are assumed independent.',
  },
  'serial loop': { text: '`serial` and `loop` combined: the next loop runs on the device in order.' },
  'kernels loop': {
    text:
      '`kernels` and `loop` combined: a kernel of the next loop. ' +
      'The compiler has to prove the iterations independent, or `independent` says so.',
  },
  data: {
    text: 'Keeps arrays on the device for the duration of the block. Compute regions inside need not copy them.',
  },
  'enter data': {
    text:
      'Copies arrays to the device, where they stay until an `exit data`. The two directives may be in ' +
      'different functions.',
  },
  'exit data': {
    text: 'Releases arrays from `enter data`: copies them back or deletes them when no other region uses them.',
  },
  host_data: {
    text:
      'Gives host code in the block the device addresses of the variables in `use_device`, for CUDA calls and ' +
      'libraries.',
  },
  cache: {
    text:
      'Requests that the named elements are kept in the fastest memory while the enclosing loop runs. It comes ' +
      'first in the body of the loop.',
    snippet: 'cache(${1:array}[${2:i}])',
  },
  atomic: { text: 'Makes the memory update of the next statement atomic.', otherwise: '`update`' },
  declare: {
    text:
      'Allocates variables on the device for the lifetime of the function, program or module in which ' +
      'they are declared.',
  },
  init: { text: 'Initializes the runtime and the device, so that the first region does not pay for it.' },
  shutdown: { text: 'Disconnects from the device.' },
  set: { text: 'Sets the device, its type or the queue that following directives of this thread use.' },
  update: {
    text:
      'Copies values between host and device for data that is on both. `self` (or `host`) copies towards the host, ' +
      '`device` towards the device.',
  },
  wait: {
    text:
      'Blocks the host until the work in the named queues, or in all queues, is done. With `async` it orders ' +
      'queues against each other and blocks nothing.',
  },
  routine: { text: 'Compiles a function for the device and declares the level of parallelism that it uses.' },
};

export const clauseMeanings: Readonly<Record<string, Meaning>> = {
  if: {
    text:
      'Runs the construct on the device only where the condition holds; on data directives, does something ' +
      'only then.',
    snippet: 'if(${1:condition})',
  },
  self: {
    text: 'Runs the construct on the host itself; with a condition, where that holds.',
    snippet: 'self(${1:condition})',
  },
  async: {
    text:
      'Enqueues the work and continues. Work in one queue runs in order; work in different queues may ' + 'overlap.',
    snippet: 'async(${1:1})',
    otherwise: 'the host waits at the end of the construct',
  },
  wait: { text: 'Starts only when the named queues, or all, are done.', snippet: 'wait(${1:1})' },
  num_gangs: {
    text: 'Number of gangs; on NVIDIA a gang is a thread block. Up to three numbers for `parallel`.',
    snippet: 'num_gangs(${1:n})',
    otherwise: 'the compiler or the runtime chooses by the loop',
  },
  num_workers: {
    text:
      'Number of workers in a gang; on NVIDIA a worker is a row of vector lanes in one block. Workers times vector ' +
      'length is at most 1024 there.',
    snippet: 'num_workers(${1:4})',
    otherwise: 'the compiler chooses, often one',
  },
  vector_length: {
    text:
      'Number of lanes in a vector; on NVIDIA a multiple of 32, the warp. A short inner loop wastes the lanes ' +
      'without an iteration.',
    snippet: 'vector_length(${1:128})',
    otherwise: '128 with nvc, 32 with GCC',
  },
  device_type: {
    text:
      'The clauses after it apply to these devices only, up to the next `device_type`. Those before the first ' +
      'apply to the others.',
    snippet: 'device_type(${1:nvidia})',
  },
  default: {
    text:
      '`none`: every variable must be in a data clause. `present`: arrays without one are already on the device' +
      'already.',
    snippet: 'default(${1|present,none|})',
    otherwise: 'arrays without a clause are copied, in `parallel` scalars are private to each gang',
  },
  copy: {
    text:
      'Allocates on the device, copies in at the start and out at the end. Copies nothing if the data ' +
      'is already there.',
    snippet: 'copy(${1:array})',
  },
  copyin: {
    text: 'Allocates on the device and copies in at the start. With `readonly:` the device only reads it.',
    snippet: 'copyin(${1:array})',
  },
  copyout: {
    text: 'Allocates on the device and copies out at the end. With `zero:` it starts with zeros.',
    snippet: 'copyout(${1:array})',
  },
  create: {
    text: 'Allocates on the device and copies nothing. With `zero:` it starts with zeros.',
    snippet: 'create(${1:array})',
  },
  no_create: {
    text: 'Uses the device data if present, else the host address.',
    snippet: 'no_create(${1:array})',
  },
  present: {
    text: 'Declares that the data is already on the device; if it is not, the program fails at run time.',
    snippet: 'present(${1:array})',
  },
  deviceptr: {
    text: 'The pointer holds a device address: nothing is mapped or copied.',
    snippet: 'deviceptr(${1:pointer})',
  },
  attach: {
    text: 'Makes a pointer on the device point to the device copy of its target.',
    snippet: 'attach(${1:pointer})',
  },
  detach: { text: 'Gives a pointer on the device its host value back.', snippet: 'detach(${1:pointer})' },
  delete: { text: 'Releases the data on the device without copying it back.', snippet: 'delete(${1:array})' },
  private: {
    text: 'A private copy for each gang (on `parallel`) or thread (on `loop`). It starts without a value.',
    snippet: 'private(${1:variable})',
  },
  firstprivate: {
    text: 'A private copy for each gang, with the value of the host at the start.',
    snippet: 'firstprivate(${1:variable})',
    otherwise: 'the default for scalars in `parallel` and `serial`',
  },
  reduction: {
    text: 'Each thread accumulates into a private copy; the copies are combined at the end.',
    snippet: 'reduction(${1:+}:${2:variable})',
  },
  collapse: {
    text: 'Combines this many tightly nested loops into one; with `force:` also if there are statements between them.',
    snippet: 'collapse(${1:2})',
    otherwise: '1',
  },
  gang: {
    text:
      'Divides the iterations among gangs. `static:` sets the chunk size; `num:` is for kernels, ' +
      '`dim:` one of three dimensions.',
  },
  worker: { text: 'Divides the iterations among the workers of each gang.' },
  vector: {
    text:
      'Divides the iterations among vector lanes. Neighbouring iterations run together, so they should access ' +
      'neighbouring memory.',
  },
  seq: {
    text: 'Each thread runs all iterations in order. On `routine`: the function has no ' + 'parallelism inside.',
  },
  independent: {
    text: 'Declares that no iteration depends on another. Inside `kernels` it replaces the proof.',
    otherwise: 'the default inside `parallel`, unless `seq` or `auto` is given',
  },
  auto: {
    text:
      'The compiler decides whether and how the loop runs in parallel; it has to prove the iterations ' +
      'independent.',
    otherwise: 'the default inside `kernels`',
  },
  tile: {
    text:
      'Tiles tightly nested loops with these sizes, the first for the innermost loop; with `*` the ' +
      'compiler chooses.',
    snippet: 'tile(${1:32}, ${2:8})',
  },
  use_device: { text: 'Inside the block the name stands for the device address.', snippet: 'use_device(${1:array})' },
  if_present: { text: 'Does nothing for data that is not on the device, instead of failing.' },
  finalize: { text: 'Releases the data on the device immediately, whatever its reference count.' },
  host: { text: 'Copies from the device to the host; another name for `self`.', snippet: 'host(${1:array})' },
  device: { text: 'Copies from the host to the device.', snippet: 'device(${1:array})' },
  device_num: { text: 'Device number within its type, starting at 0.', snippet: 'device_num(${1:0})' },
  default_async: { text: 'The queue that `async` without a number uses.', snippet: 'default_async(${1:1})' },
  bind: { text: 'Device code calls another function instead.', snippet: 'bind(${1:name})' },
  nohost: { text: 'The function is compiled for the device only.' },
  device_resident: {
    text: 'The variable lives on the device, and has no copy on the host that device code would see.',
    snippet: 'device_resident(${1:variable})',
  },
  link: {
    text: 'Only a link to a large global variable is on the device; its data is brought by data clauses.',
    snippet: 'link(${1:variable})',
  },
  read: { text: 'The statement reads the location: `v = x`.' },
  write: { text: 'The statement writes the location: `x = v`.' },
  update: { text: 'The statement reads and writes the location: `x += v`.' },
  capture: { text: 'The statement updates the location and keeps its value from before or after: `v = x++`.' },
  shortloop: {
    text:
      'For PGI and NVIDIA compilers: declares that the loop has no more iterations than the vector has lanes. ' +
      'Not in the standard.',
  },
};

/** Clauses that mean something else on one directive. */
export const clauseMeaningsOn: Readonly<Record<string, Meaning>> = {
  'update self': { text: 'Copies from the device to the host.', snippet: 'self(${1:array})' },
  'routine gang': {
    text: 'The function may have loops over gangs, workers and lanes inside; it is called outside of any of them.',
  },
  'routine worker': {
    text: 'The function may have loops over workers and lanes inside; it is called outside of those.',
  },
  'routine vector': { text: 'The function may have loops over vector lanes inside; it is called outside of those.' },
  'set device_type': { text: 'The type of device that following directives use.', snippet: 'device_type(${1:nvidia})' },
  'init device_type': { text: 'The type of device that is started.', snippet: 'device_type(${1:nvidia})' },
  'shutdown device_type': { text: 'The type of device that is shut down.', snippet: 'device_type(${1:nvidia})' },
};

/** Words inside parentheses: `default(none)`, `gang(static: *)`. */
export const wordMeanings: Readonly<Record<string, string>> = {
  none: 'every variable must be in a data clause',
  present: 'arrays without a clause are already on the device',
  nvidia: 'NVIDIA GPUs',
  radeon: 'AMD GPUs',
  host: 'the host, one thread',
  multicore: 'the cores of the host',
  default: 'the device that the compiler builds for',
  '*': 'every other device',
  readonly: 'the device only reads it',
  zero: 'it starts with zeros',
  always: 'copied even if already present (3.4)',
  alwaysin: 'copied in even if already present (3.4)',
  alwaysout: 'copied out even if other regions use it (3.4)',
  capture: 'keeps a device copy separate from host memory (3.4)',
  force: 'also with statements between the loops (3.3)',
  num: 'number',
  dim: 'dimension 1, 2 or 3 of the gangs (3.3)',
  static: 'chunk size, assigned round robin; with `*` the compiler chooses',
  length: 'number of lanes',
  devnum: 'the device that owns the queues',
  queues: 'the queues',
  '+': 'sum',
  max: 'greatest',
  min: 'smallest',
  '&': 'bitwise and',
  '|': 'bitwise or',
  '^': 'bitwise exclusive or',
  '&&': 'logical and',
  '||': 'logical or',
  iand: 'bitwise and',
  ior: 'bitwise or',
  ieor: 'bitwise exclusive or',
  '.and.': 'logical and',
  '.or.': 'logical or',
  '.eqv.': 'logical equivalence',
  '.neqv.': 'logical difference',
};
