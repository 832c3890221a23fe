// Measures a fix for an agent after the user agreed: runs `warplens measure` in a separate process.
import { spawn } from 'node:child_process';
import { shownPath } from '../diff/sides';
import { BadUse } from '../source';
import { answerOf, type ToolAnswer } from './answer';
import { pathWithin } from './sources';

export interface MeasureQuestion {
  readonly file: string;
  readonly line: number;
  readonly host?: string | undefined;
  readonly arguments: readonly string[];
}

function words({ file, line, host, arguments: behind }: MeasureQuestion): string[] {
  return [
    'measure',
    ...(host === undefined ? [] : ['--host', host]),
    `${file}:${line}`,
    ...(behind.length > 0 ? ['--', ...behind] : []),
  ];
}

/** The question to the user, and the equivalent command. */
export function measureQuestion(
  root: string,
  asked: MeasureQuestion,
): { readonly question: string; readonly command: string } {
  const command = `warplens ${words(asked).map(quoted).join(' ')}`;
  const where = asked.host === undefined ? 'this machine' : asked.host;
  return { command, question: `An agent wants to build and run ${asked.file} of ${root} on ${where}: ${command}` };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Throws BadUse with the command's error if it could not measure. */
export async function measureAnswer(root: string, asked: MeasureQuestion): Promise<ToolAnswer> {
  if (asked.host?.startsWith('-')) throw new BadUse(`"${asked.host}": invalid host name.`);
  const file = shownPath(root, pathWithin(root, asked.file));
  const { code, out, err } = await runOwn(root, words({ ...asked, file }));
  if (code !== 0) throw new BadUse(`The measurement failed: ${err.trim() || `the command ended with ${code}`}`);
  return answerOf({ head: [], lines: out.trimEnd().split('\n'), narrower: 'Run the command for the full output.' });
}

/** The running program, with other arguments. */
function runOwn(
  folder: string,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const texts = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
    const stop = (): void => void child.kill();
    process.once('exit', stop);
    child.once('error', reject).once('close', (code) => {
      process.off('exit', stop);
      resolve({ code, ...texts });
    });
  });
}
