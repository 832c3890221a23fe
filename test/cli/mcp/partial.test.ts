// Answers in part: what an agent hears of a folder that is read for longer than it waits.
import { match, ok } from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { checkAnswer } from '../../../cli/src/mcp/code';
import { testSyntax } from '../../support/analyseText';
import { bundleOf } from '../../support/bundles';
import { cacheOfTests, writeFiles } from '../../support/commandLine';

const copy = '__global__ void copy(float *o, const float *a) { o[threadIdx.x] = a[threadIdx.x]; }\n';
const strided = '__global__ void pick(float *o, const float *a) { o[threadIdx.x] = a[8 * threadIdx.x]; }\n';

describe('an answer in part', () => {
  let folder: string;
  cacheOfTests((path) => {
    folder = path;
    writeFiles(folder, { 'src/a.cu': copy, 'src/b.cu': strided, 'src/c.cu': copy });
  });

  /** Of a question that came so many milliseconds ago. */
  const answerAfter = async (waited: number, rule?: string): Promise<string> => {
    const question = { root: folder, analysis: {}, came: Date.now() - waited, parsers: testSyntax };
    return (await checkAnswer(question, ['src'], 'hint', rule)).text;
  };

  it('says that nothing is found so far, and how to go on', async () => {
    const answer = await answerAfter(60_000);
    match(answer, /^PARTIAL: 0 of 3 files are read so far; .*Call check again with the same arguments for all/);
    match(answer, /\nNo finding of hint or above so far, which says nothing of the files that are not read yet\.$/);
    match(await answerAfter(-60_000), /^\d+ of \d+ findings in 3 files: /);
  });

  it('waits a little longer for the first finding', async () => {
    match(await answerAfter(4000), /^PARTIAL: 2 of 3 files are read so far[^\n]*\n[^\n]*\nsrc\/b\.cu:1 /);
    await answerAfter(-60_000);
    // Where nothing is found, up to the end.
    match(await answerAfter(4000, 'cuda/bank-conflict'), /^0 of 0 findings in 3 files: /);
  });

  it('does not wait for its thread: that one starts with the connection', async function () {
    if (!existsSync('/proc/self/task')) this.skip();
    this.timeout(60_000);
    const threadsOf = async (asks: boolean, enough: number): Promise<number> => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      const transport = new StdioClientTransport({ command: process.execPath, args: [bundleOf('cli'), 'mcp', folder] });
      await client.connect(transport);
      const count = (): number => readdirSync(`/proc/${transport.pid}/task`).length;
      try {
        if (asks) await client.callTool({ name: 'model', arguments: { file: 'src/a.cu' } });
        for (let tries = 0; tries < 100 && count() < enough; tries++)
          await new Promise((resolve) => setTimeout(resolve, 50));
        return count();
      } finally {
        await client.close();
      }
    };
    const most = await threadsOf(true, 0);
    ok((await threadsOf(false, most)) >= most);
  });
});
