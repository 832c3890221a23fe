// A step of `npm test` that dies or hangs is a failure, whatever it said before.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runStep, runTogether } from '../../tools/testSteps';

describe('steps of npm test', () => {
  let folder: string;
  let printed: string;
  const { log } = console;
  const { write } = process.stdout;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'warplens-steps-'));
    printed = '';
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a program as a step; what is printed of it goes to `printed`. */
  async function step(program: string, { sum = true, minutes = 1 } = {}): ReturnType<typeof runStep> {
    const file = join(folder, 'sum.json');
    console.log = (text: string) => {
      printed += `${text}\n`;
    };
    process.stdout.write = ((text: string) => {
      printed += text;
      return true;
    }) as typeof process.stdout.write;
    try {
      return await runStep(
        { name: 'a step', command: ['-e', program], ...(sum ? { sum: file } : {}) },
        { SUM: file },
        minutes,
      );
    } finally {
      console.log = log;
      process.stdout.write = write;
    }
  }
  const leave = (sum: object): string =>
    `require('fs').writeFileSync(process.env.SUM, ${JSON.stringify(JSON.stringify(sum))});`;

  it('are counted by the sum that they leave, and print what they said in one piece', async () => {
    const { passed, failed } = await step(`${leave({ passed: 3, failed: 0 })} console.log('a'); console.error('b');`);
    deepStrictEqual([passed, failed], [3, 0]);
    match(printed, /^\n── a step\n(a\nb|b\na)\n── a step: 3 passed, 0 failed, [\d.]+ s\n$/);
  });

  it('without a sum are one check', async () => {
    strictEqual((await step('', { sum: false })).passed, 1);
    const failed = await step('process.exit(2)', { sum: false });
    deepStrictEqual([failed.passed, failed.failed, failed.failures], [0, 1, ['a step: the whole step']]);
  });

  it('fail when they die before their sum, or end with an error after it', async () => {
    const died = await step('process.kill(process.pid, "SIGKILL")');
    deepStrictEqual(died.failures, ['a step: It ended with SIGKILL before it had run its tests.']);
    const after = await step(`${leave({ passed: 3, failed: 0 })} process.exit(7)`);
    deepStrictEqual([after.passed, after.failed], [3, 1]);
    ok(printed.includes('It ended with 7 after its tests.'));
  });

  it('may take long while they say something', async () => {
    const says = 'let n = 0; const t = setInterval(() => { console.log(n); if (++n === 9) clearInterval(t); }, 300);';
    const { passed, failed } = await step(`${leave({ passed: 3, failed: 0 })} ${says}`, { minutes: 0.04 });
    deepStrictEqual([passed, failed], [3, 0]);
  });

  it('fail when they hang, and are ended', async () => {
    const at = "require('fs').writeFileSync(process.env.SUM + '.running', 'a test');";
    const hung = await step(`${leave({ passed: 3, failed: 0 })} ${at} setInterval(() => {}, 1000)`, { minutes: 0.02 });
    deepStrictEqual([hung.passed, hung.failed], [3, 1]);
    match(hung.failures![0]!, /said nothing for 0\.02 minutes and was stopped in "a test"/);
  });

  it('start in their order as places are free, and none before what it follows', async () => {
    const names: string[] = [];
    let most = 0;
    let now = 0;
    const steps = [{ name: 'a', after: ['c'] }, { name: 'b' }, { name: 'c', after: ['absent'] }];
    const waiting = ['d', 'e', 'f'].map((name) => ({ name, waits: true }));
    const results = await runTogether(
      [...steps, ...waiting].map((each) => ({ ...each, command: [] })),
      2,
      async ({ name }) => {
        names.push(name);
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, name === 'b' ? 30 : 5));
        now--;
        return name;
      },
    );
    deepStrictEqual([names, most], [['b', 'c', 'a', 'd', 'e', 'f'], 3]);
    deepStrictEqual(results.sort(), ['a', 'b', 'c', 'd', 'e', 'f']);
  });
});
