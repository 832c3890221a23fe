// What is fuzzed: each target damages a seed, hands it to its reader, and throws where that breaks a promise.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEditor, uriOf, type Editor } from '../../server/support';
import { mutate } from '../../profiler/support/mutateReport';
import { readReportFixture } from '../../profiler/support/reportFixtures';
import { readCompilerOutput } from '../../../profiler/src/build/diagnostics';
import { readPtxasReport } from '../../../profiler/src/build/ptxasReport';
import { readNcuOutput } from '../../../profiler/src/collect/ncuOutput';
import { recordedSources } from '../../../profiler/src/lines/sourceMapping';
import { readProbe } from '../../../profiler/src/preflight/probe';
import { bytesSource, measureReport, openReport, readRuleFindings, ReportError } from '../../../profiler/src/report';
import { applyEdits, fixAll } from '../../../server/src/workspace/edits';
import { lint } from '../../../server/src/lint/lint';
import { readEditorSettings } from '../../../server/src/lsp/editorSettings';
import { createSyntax } from '../../../server/src/syntax';
import { readGrammarFiles } from '../../../server/src/syntax/grammarFiles';
import { parseCompileCommands } from '../../../server/src/workspace/compileCommands';
import { parseMakefile } from '../../../server/src/workspace/makefile';
import { createWorkspace, type Workspace } from '../../../server/src/workspace/workspace';
import { filesInMemory } from '../../server/support';
import { mutateText } from './mutateText';
import type { Random } from './random';

const root = join(__dirname, '..', '..', '..');

export interface Target {
  readonly name: string;
  /** How many of a hundred mutations are its own. */
  readonly share: number;
  /** Resolves when the reader did what it promises; `keep` gets the input before it is read. */
  attempt(random: Random, keep: (input: string | Uint8Array) => void): Promise<void>;
}

/** Sources of the checkout, and those below `corpus`, as far as they are short. */
function readSources(corpus: string | undefined): { readonly name: string; readonly text: string }[] {
  const found: { name: string; text: string }[] = [];
  const walk = (folder: string, most: number): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!/^(?:node_modules|\.git|dist)$/.test(entry.name)) walk(path, most);
      } else if (/\.(?:cu|cuh|c|cpp|h|hpp|f90|F90|f)$/.test(entry.name) && found.length < most) {
        const text = readFileSync(path, 'utf8');
        if (text.length < 20_000) found.push({ name: entry.name, text });
      }
    }
  };
  walk(join(root, 'server/src/rules'), 2000);
  walk(join(root, 'samples'), 2000);
  if (corpus !== undefined && existsSync(corpus)) walk(corpus, found.length + 3000);
  return found;
}

/** Makes the targets; `corpus` is a folder of more sources to begin with. */
export async function makeTargets(corpus?: string): Promise<readonly Target[] & { readonly end: () => void }> {
  const sources = readSources(corpus);
  const texts = sources.map(({ text }) => text);
  const syntax = await createSyntax(readGrammarFiles());
  await syntax.loadFortran();
  let kept: Editor | undefined;
  let conversations = 0;
  const targets: Target[] = [
    { name: 'source', share: 40, attempt: async (random, keep) => attemptSource(random, keep) },
    { name: 'include', share: 15, attempt: async (random, keep) => attemptIncludes(random, keep) },
    { name: 'report', share: 15, attempt: attemptReport },
    { name: 'log', share: 12, attempt: async (random, keep) => attemptLog(random, keep) },
    { name: 'settings', share: 10, attempt: async (random, keep) => attemptSettings(random, keep) },
    { name: 'lsp', share: 8, attempt: attemptServer },
  ];
  return Object.assign(targets, { end: () => kept?.stop() });

  function check(workspace: Workspace, path: string, text: string, random: Random): void {
    const uri = uriOf(path);
    const analysed = workspace.analyse(uri, { text, version: 1 });
    if (!analysed) return;
    const options = { gpu: analysed.gpu };
    const result = lint(analysed.model, text, options);
    if (result.failures.length > 0)
      throw new Error(`a rule failed: ${result.failures[0]!.rule}: ${result.failures[0]!.error}`);
    for (const finding of result.findings) {
      const { start, end } = finding.at;
      if (finding.at.uri === uri && !(start >= 0 && start <= end && end <= text.length))
        throw new Error(`${finding.rule} at ${start}..${end} of ${text.length}`);
      if (/(?<![\w`])(?:NaN|\[object)(?![\w`])/.test(finding.text) && !text.includes('NaN'))
        throw new Error(`${finding.rule} says "${finding.text}"`);
      for (const fix of finding.fixes)
        if (applyEdits(text, fix.edits, uri) === undefined) throw new Error(`${finding.rule}: its fix does not apply`);
    }
    if (random.chance(0.15))
      fixAll(text, uri, result.findings, (now) => {
        const again = workspace.analyse(uri, { text: now, version: 2 });
        return again ? lint(again.model, now, options).findings : [];
      });
  }

  function attemptSource(random: Random, keep: (input: string) => void): void {
    const base = random.pick(sources);
    const text = mutateText(base.text, texts, random);
    keep(`${base.name}\n${text}`);
    const path = `/project/${base.name}`;
    const workspace = createWorkspace({ fileSystem: filesInMemory({ [path]: text }), syntax, root: '/project' });
    check(workspace, path, text, random);
    workspace.forget(uriOf(path));
  }

  /** Headers that include each other at random, with and without guards, between mutated pieces. */
  function attemptIncludes(random: Random, keep: (input: string) => void): void {
    const count = 2 + random.below(6);
    const name = (index: number): string => (index === 0 ? 'main.cu' : `h${index}.cuh`);
    const files: Record<string, string> = {};
    for (let index = 0; index < count; index++) {
      const lines: string[] = [];
      if (random.chance(0.3)) lines.push(random.pick(['#pragma once', `#ifndef G${index}`, `#define G${index}`]));
      for (let line = random.below(8); line > 0; line--)
        lines.push(
          random.pick([
            () => `#include "${name(random.below(count))}"`,
            () => `#define M${random.below(4)} M${random.below(4)} ${random.below(9)}`,
            () => `#define F${random.below(3)}(x) F${random.below(3)}(x) x ## ${random.below(3)} #x`,
            () => `#undef M${random.below(4)}`,
            () => `#if M${random.below(4)} + F${random.below(3)}(1)`,
            () => '#endif',
            () => `int a${random.below(9)} = F${random.below(3)}(F${random.below(3)}(M${random.below(4)}));`,
            () => mutateText(random.pick(texts), texts, random, 600),
          ])(),
        );
      files[`/project/${name(index)}`] = lines.join('\n');
    }
    keep(JSON.stringify(files));
    const workspace = createWorkspace({ fileSystem: filesInMemory(files), syntax, root: '/project' });
    for (const path of Object.keys(files).slice(0, 2)) check(workspace, path, files[path]!, random);
    for (const path of Object.keys(files)) workspace.forget(uriOf(path));
  }

  async function attemptReport(random: Random, keep: (input: Uint8Array) => void): Promise<void> {
    const { bytes } = mutate(random.pick(reports()), random.next);
    keep(bytes);
    try {
      const report = await openReport(bytesSource(bytes));
      await measureReport(report, { callers: true });
      for (const launch of report.launches.slice(0, 2)) {
        await readRuleFindings(report, launch);
        await report.metrics(launch);
      }
      await recordedSources(report);
    } catch (error) {
      if (!(error instanceof ReportError)) throw error;
    }
  }

  function attemptLog(random: Random, keep: (input: string) => void): void {
    const text = mutateText(random.pick(logs()), [...logs(), ...texts.slice(0, 20)], random);
    keep(text);
    const workspace = createWorkspace({ fileSystem: filesInMemory({}), syntax, root: '/project' });
    workspace.takeCompilerLog('log', text);
    const source = random.pick(sources);
    check(workspace, `/project/${source.name}`, source.text, random);
    workspace.forget(uriOf(`/project/${source.name}`));
    readCompilerOutput(text);
    readPtxasReport(text);
    readProbe(text);
    const reader = readNcuOutput();
    for (let at = 0; at < text.length; ) {
      const length = 1 + random.below(2000);
      reader.feed(text.slice(at, at + length));
      at += length;
    }
    reader.end();
  }

  function attemptSettings(random: Random, keep: (input: string) => void): void {
    const value = randomSettings(random, 0);
    const text = mutateText(random.pick(buildFiles), buildFiles, random, 8000);
    keep(`${JSON.stringify(value)}\n${text}`);
    const { settings, complaints } = readEditorSettings(value);
    if (typeof settings.debounce !== 'number') throw new Error('the debounce is no number');
    if (complaints.some(({ text }) => text.length > 2000)) throw new Error('a complaint without end');
    parseCompileCommands('/project/compile_commands.json', text);
    parseMakefile('/project/Makefile', text);
    const source = random.pick(sources);
    const workspace = createWorkspace({
      fileSystem: filesInMemory({ '/project/compile_commands.json': text, '/project/Makefile': text }),
      syntax,
      root: '/project',
      settings,
    });
    check(workspace, `/project/${source.name}`, source.text, random);
    workspace.forget(uriOf(`/project/${source.name}`));
  }

  /** A conversation of some twenty messages; every request must be answered, and the server must read on afterwards. */
  async function attemptServer(random: Random, keep: (input: string) => void): Promise<void> {
    const said: string[] = [];
    // One server for many conversations, as in life; each server loads its grammars again, into memory that the process
    // keeps.
    if (!kept || ++conversations % 200 === 0) {
      kept?.stop();
      kept = await startEditor({ files: { '/project/h.cuh': '#define STEP 16\n' } });
    }
    const editor = kept;
    try {
      const uris = ['a.cu', 'b.cuh', 'c.f90', 'd.txt'].map((each) => uriOf(each));
      const replies: Promise<unknown>[] = [];
      for (let count = 8 + random.below(16); count > 0; count--) say(editor, random.pick(uris), random, said, replies);
      keep(said.join('\n'));
      await within(120_000, Promise.allSettled(replies), 'a request was not answered');
      const uri = uriOf(`last${random.below(1000)}.cu`);
      editor.open(uri, '__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\n');
      const found = await within(120_000, editor.diagnostics(uri), 'the server is silent afterwards');
      if (found.length === 0) throw new Error('the server found nothing afterwards');
      for (const each of [uri, ...uris]) editor.close(each);
      editor.configure({});
    } catch (error) {
      kept = undefined;
      editor.stop();
      throw error;
    }
  }

  function say(editor: Editor, uri: string, random: Random, said: string[], replies: Promise<unknown>[]): void {
    const number = (): number => random.pick([0, 1, 5, 80, -1, 1e9, 0.5]);
    const position = (): object => ({ line: number(), character: number() });
    const range = (): object => ({ start: position(), end: position() });
    const source = mutateText(random.pick(texts), texts, random, 4000);
    const notify = (method: string, params: object): void => {
      said.push(JSON.stringify({ method, params }));
      void editor.connection.sendNotification(method, params);
    };
    const ask = (method: string, params: object): void => {
      said.push(JSON.stringify({ method, params }));
      replies.push(editor.connection.sendRequest(method, params));
    };
    const version = random.below(9);
    switch (random.below(12)) {
      case 0:
      case 1:
        notify('textDocument/didOpen', { textDocument: { uri, languageId: 'cuda-cpp', version, text: source } });
        break;
      case 2:
      case 3:
        notify('textDocument/didChange', {
          textDocument: { uri, version },
          contentChanges: random.chance(0.5) ? [{ text: source }] : [{ range: range(), text: source.slice(0, 200) }],
        });
        break;
      case 4:
        notify('textDocument/didClose', { textDocument: { uri } });
        break;
      case 5:
        ask('textDocument/diagnostic', { textDocument: { uri } });
        break;
      case 6:
        ask('textDocument/hover', { textDocument: { uri }, position: position() });
        break;
      case 7:
        ask('textDocument/codeAction', { textDocument: { uri }, range: range(), context: { diagnostics: [] } });
        break;
      case 8:
        ask(random.pick(['textDocument/codeLens', 'textDocument/inlayHint', 'textDocument/completion']), {
          textDocument: { uri },
          range: range(),
          position: position(),
        });
        break;
      case 9:
        ask(
          random.pick(['warplens/model', 'warplens/findings', 'warplens/kernels', 'warplens/parameters', 'no/such']),
          { uri, position: position() },
        );
        break;
      case 10:
        editor.configure(randomSettings(random, 0) as Record<string, unknown>);
        break;
      default:
        notify('workspace/didChangeWatchedFiles', { changes: [{ uri, type: 1 + random.below(3) }] });
    }
  }
}

let packedReports: Uint8Array[] | undefined;
function reports(): Uint8Array[] {
  packedReports ??= ['basic-noline', 'many-one', 'corners-graph', 'app-range', 'two-on-a-line', 'openacc-gcc'].map(
    readReportFixture,
  );
  return packedReports;
}

let readLogs: string[] | undefined;
function logs(): string[] {
  const folder = join(root, 'test/semantic/acc/logs');
  readLogs ??= [
    ...readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
    'k.cu(3): error: identifier "x" is undefined\n    x = 1;\n    ^\n1 error detected in the compilation of "k.cu".\n',
    "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\nptxas info    : Function " +
      'properties for _Z1kPf\n    0 bytes stack frame, 4 bytes spill stores, 4 bytes spill ' +
      'loads\nptxas info    : Used 32 registers, 380 bytes cmem[0]\n',
    '==PROF== Connected to process 123 (/tmp/a)\n==PROF== Profiling "k" - 0: 0%....50%....100% ' +
      '- 38 passes\n==WARNING== x\n==ERROR== y\n==PROF== Report: /tmp/r.ncu-rep\n',
    'main:\n     4, Loop is parallelizable\n        Generating NVIDIA GPU code\n        4, ' +
      '#pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */\n',
  ];
  return readLogs;
}

const buildFiles = [
  '[{"directory":"/project","file":"a.cu","command":"nvcc -arch=sm_80 -Iinclude -DN=4 -c ' +
    'a.cu"},{"directory":"/project","file":"b.cu","arguments":["nvcc","-gencode","arch=compute_90,code=sm_90","-c","b.cu"]}]',
  'NVCC=nvcc\nFLAGS:=-O3 -arch=sm_90 $(INC)\nINC=-I../include\n%.o: %.cu\n\t$(NVCC) $(FLAGS) -DX=$(N) -c $<\n',
];

function randomSettings(random: Random, depth: number): unknown {
  const leaf = (): unknown =>
    random.pick([
      null,
      true,
      false,
      0,
      -1,
      1e9,
      0.5,
      '',
      'off',
      'warning',
      'H100',
      'auto',
      'sm_90',
      '__proto__',
      'x'.repeat(500),
      [],
      {},
    ]);
  if (depth > 2 || random.chance(0.2)) return leaf();
  if (random.chance(0.15)) return Array.from({ length: random.below(5) }, () => randomSettings(random, depth + 1));
  const keys = (
    'gpu rules trace debounce defines includeFolders indexWorkspace useCompileCommands timings compilerFeedback ' +
    'cuda/bank-conflict constructor __proto__ severity ratio'
  ).split(' ');
  const value: Record<string, unknown> = Object.create(null);
  for (let count = random.below(8); count > 0; count--) value[random.pick(keys)] = randomSettings(random, depth + 1);
  return { ...value };
}

async function within<T>(milliseconds: number, work: Promise<T>, otherwise: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(otherwise)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
