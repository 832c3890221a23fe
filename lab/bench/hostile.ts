// Measures what hostile inputs take: npx tsx lab/bench/hostile.ts [--only EXPRESSION] [--command] [--server]
// [--together N] [--keep FOLDER] [FILE…]
//
// Every input of test/robustness/hostileInputs.ts (or every file that is given) is handed to the built command,
// `warplens check`, whose seconds and largest resident size GNU time tells; and is opened in the built server, over its
// standard input and output, where the time counts until the diagnostics come of another file of the same folder that
// is opened right after it. `--together N` opens N inputs at once in one server. Exits with 1 when a bar is passed.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type ProtocolConnection,
} from 'vscode-languageserver-protocol/node';
import { hostileInputs, plainKernel } from '../../test/robustness/hostileInputs';

/**
 * Bars: seconds (of the processor: others may share the machine) and megabytes of the command, milliseconds until
 * another file's diagnostics.
 */
const mostSeconds = 10;
const mostMegabytes = 1024;
const mostMilliseconds = 2000;
/** Milliseconds for which the hostile file's own diagnostics are waited for. */
const patience = 40_000;
/** Seconds after which a command is ended. */
const mostWait = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    command: { type: 'boolean' },
    server: { type: 'boolean' },
    together: { type: 'string' },
    keep: { type: 'string' },
  },
});
const dist = join(__dirname, '..', '..', 'dist');
const both = !values.command && !values.server && values.together === undefined;

interface Laid {
  readonly name: string;
  readonly folder: string;
  readonly open: string;
  readonly options: readonly string[];
}

const home = values.keep ? resolve(values.keep) : mkdtempSync(join(tmpdir(), 'warplens-hostile-'));
let passed = 0;
void main();

async function main(): Promise<void> {
  const laid = positionals.length > 0 ? positionals.map(layFile) : hostileInputs.flatMap(layInput);
  if (both || values.command) {
    console.log('| command | seconds | of the processor | MB | cut short |\n|---|---|---|---|---|');
    for (const each of laid) measureCommand(each);
  }
  if (both || values.server) {
    console.log('| server | other file, ms | the file itself, ms | MB | cut short |\n|---|---|---|---|---|');
    for (const each of laid) await measureServer([each]);
  }
  if (values.together !== undefined) {
    const count = Number(values.together);
    console.log(
      '| opened together | other file, ms | the files themselves, ms | MB | cut short |\n|---|---|---|---|---|',
    );
    for (let at = 0; at + count <= laid.length; at++)
      await measureServer(Array.from({ length: count }, (_, i) => laid[(at + i * 37) % laid.length]!));
  }
  if (!values.keep) rmSync(home, { recursive: true, force: true });
  console.log(passed > 0 ? `${passed} passed a bar.` : 'No bar was passed.');
  process.exit(passed > 0 ? 1 : 0);
}

function layFile(path: string): Laid {
  const folder = join(home, basename(path));
  cpSync(
    /inc_exp|redos/.test(path) ? dirname(path) : path,
    /inc_exp|redos/.test(path) ? folder : join(folder, basename(path)),
    { recursive: true },
  );
  return { name: path, folder, open: join(folder, basename(path)), options: [] };
}

function layInput(input: (typeof hostileInputs)[number], at: number): Laid[] {
  if (values.only !== undefined && !new RegExp(values.only).test(input.name)) return [];
  const folder = join(home, String(at));
  const files = input.files();
  const open = join(folder, input.open ?? Object.keys(files)[0]!);
  if (!existsSync(folder))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  return [
    { name: input.name, folder, open, options: (input.options ?? []).map((each) => each.replace('{folder}', folder)) },
  ];
}

function tell(name: string, over: boolean, figures: readonly (string | number)[]): void {
  if (over) passed++;
  console.log(`| ${name} | ${figures.join(' | ')} |${over ? ' **over**' : ''}`);
}

function measureCommand({ name, open, options }: Laid): void {
  const told = join(home, 'time');
  const { stdout, stderr, status, signal } = spawnSync(
    '/usr/bin/time',
    [
      '-o',
      told,
      '-f',
      '%e %U %S %M',
      'timeout',
      '-s',
      'KILL',
      String(mostWait),
      process.execPath,
      join(dist, 'cli.js'),
      'check',
      '--no-cache',
      ...options,
      open,
    ],
    { encoding: 'utf8', maxBuffer: 1 << 30 },
  );
  const [elapsed = 0, user = 0, system = 0, kilobytes = 0] = readFileSync(told, 'utf8')
    .trim()
    .split('\n')
    .at(-1)!
    .split(' ')
    .map(Number);
  const refused = status === 2 && /^warplens: [^\n]+\n$/.test(stderr);
  const fell = !refused && ![0, 1].includes(status ?? -1);
  const cut = refused ? 'refused' : /only a part|left out|was not|too /.exec(stderr + stdout) ? 'yes' : '';
  const megabytes = Math.round(kilobytes / 1024);
  tell(name, fell || user + system > mostSeconds || megabytes > mostMegabytes, [
    fell ? `${signal ?? status}: ${stderr.slice(0, 200).replaceAll('\n', ' ')}` : elapsed.toFixed(1),
    (user + system).toFixed(1),
    megabytes,
    cut,
  ]);
}

interface Server {
  readonly child: ChildProcess;
  readonly connection: ProtocolConnection;
  open(path: string, text: string): void;
  diagnostics(path: string): Promise<readonly { readonly code: string; readonly message: string }[]>;
}

async function startServer(folder: string): Promise<Server> {
  const child = spawn(process.execPath, [join(dist, 'server.js'), '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout!),
    new StreamMessageWriter(child.stdin!),
  );
  connection.onError(() => {
    /* it is ended below */
  });
  connection.onRequest('workspace/diagnostic/refresh', () => null);
  connection.onRequest('workspace/configuration', ({ items }: { items: unknown[] }) => items.map(() => null));
  connection.onRequest('client/registerCapability', () => null);
  connection.onRequest('window/workDoneProgress/create', () => null);
  connection.listen();
  const uri = pathToFileURL(folder).href;
  await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: uri,
    capabilities: { textDocument: { diagnostic: {} }, workspace: { diagnostics: { refreshSupport: true } } },
    workspaceFolders: [{ uri, name: 'project' }],
  });
  void connection.sendNotification('initialized', {});
  return {
    child,
    connection,
    open(path, text) {
      const languageId = /\.f/i.test(path) ? 'fortran' : path.endsWith('.c') ? 'c' : 'cuda-cpp';
      void connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri: pathToFileURL(path).href, languageId, version: 1, text },
      });
    },
    async diagnostics(path) {
      const answer = await connection.sendRequest('textDocument/diagnostic', {
        textDocument: { uri: pathToFileURL(path).href },
      });
      return (answer as { items: { code: string; message: string }[] }).items;
    },
  };
}

/** Milliseconds until an answer says something of the file; asked again where it says nothing yet. */
async function untilFound(server: Server, path: string): Promise<number> {
  const begun = performance.now();
  while (performance.now() - begun < patience) {
    const items = await Promise.race([server.diagnostics(path).catch(() => []), wait(patience).then(() => [])]);
    if (items.length > 0) return Math.round(performance.now() - begun);
    await wait(50);
  }
  return Infinity;
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}

async function measureServer(laid: readonly Laid[]): Promise<void> {
  const [first] = laid;
  const server = await startServer(first!.folder);
  // As in life: something was read before the hostile file is opened, a while ago.
  const warm = join(first!.folder, '..', 'warm.cu');
  server.open(warm, plainKernel);
  await untilFound(server, warm);
  await wait(2500);
  const itself: string[] = [];
  let cut = '';
  const asked = laid.map(async ({ open }, at) => {
    const begun = performance.now();
    server.open(open, readFileSync(open, 'latin1'));
    for (;;) {
      const items = await Promise.race([
        server.diagnostics(open).catch(() => undefined),
        wait(patience).then(() => 'late' as const),
      ]);
      if (items === 'late' || performance.now() - begun > patience) {
        itself[at] = 'none';
        return;
      }
      if (items?.some(({ message }) => /^Not analysed:/.test(message))) cut = 'not read';
      else if (items?.some(({ code }) => String(code).startsWith('warplens/'))) cut ||= 'yes';
      itself[at] = String(Math.round(performance.now() - begun));
      if (items !== undefined) return;
    }
  });
  await wait(100);
  const other = join(first!.folder, 'other.cu');
  server.open(
    other,
    '__global__ void o(float *a) { a[threadIdx.x * 16] = 1; }\nvoid p(float *a) { o<<<1, 256>>>(a); }\n',
  );
  const milliseconds = await untilFound(server, other);
  await Promise.race([Promise.all(asked), wait(patience)]);
  let megabytes = 0;
  try {
    megabytes = Math.round(
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))![1]) / 1024,
    );
  } catch {
    cut = 'the server has ended';
  }
  tell(
    laid.map(({ name }) => name).join(' + '),
    milliseconds > mostMilliseconds ||
      cut === 'the server has ended' ||
      itself.includes('none') ||
      megabytes > mostMegabytes,
    [milliseconds, laid.map((_, at) => itself[at] ?? 'none').join(', '), megabytes, cut],
  );
  server.connection.dispose();
  server.child.kill('SIGKILL');
}
