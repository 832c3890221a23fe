// Writes one thing that Warplens keeps, for tests that end this process while it does: node writeOnce WHAT FOLDER.
import { join } from 'node:path';
import { replaceFile } from '../../cli/src/replaceFile';
import { openResultCache } from '../../cli/src/resultCache';
import { addStep, describeStep } from '../../profiler/src/history/stepStore';
import { writeResultFile } from '../../profiler/src/transport/resultFile';

const [what, folder] = process.argv.slice(2) as [string, string];

/** Longer than one call writes in these tests. */
export const longText = 'x'.repeat(20_000);

const step = (remark: string): Parameters<typeof addStep>[1] => ({
  time: '2026-01-01T00:00:00.000Z',
  host: 'here',
  report: 'a-001.ncu-rep',
  program: '/tmp/bench',
  buildCommand: 'nvcc',
  collectCommand: 'ncu',
  arguments: [],
  folders: [],
  kernels: [],
  notes: [remark],
});

const writers: Readonly<Record<string, () => unknown>> = {
  baseline: () => replaceFile(join(folder, 'baseline.json'), 'it', JSON.stringify({ all: longText })),
  source: () => replaceFile(join(folder, 'k.cu'), 'it', `// new\n${longText}\n`),
  step: () => addStep(folder, step(longText), [{ path: '/home/me/k.cu', text: longText }], '/home/me'),
  remark: () => describeStep(folder, 0, { label: 'named', remark: longText }),
  report: () => writeResultFile(join(folder, 'a-001.ncu-rep'), async (write) => write(Buffer.from(`NVR${longText}`))),
  result: () =>
    openResultCache({} as never, folder).put('/k.cu', {
      findings: [],
      marked: { hot: 0, cold: 0 },
      notes: [],
      unread: [],
      sentences: [longText],
      asked: [['never', 'asked']],
    }),
};

if (what) Promise.resolve(writers[what]?.()).catch(() => process.exit(3));
