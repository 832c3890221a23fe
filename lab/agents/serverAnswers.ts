// Asks the server for agents all that it knows of a folder, as an agent would, and returns the answers as texts.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { findSources } from '../../cli/src/source';

interface Said {
  readonly content: readonly { readonly text: string }[];
  readonly isError?: boolean;
}

const finding = /^(\S+):(\d+) (?:error|warning|information|hint) ([\w/-]+): /gm;

/** The answers by file name: check, model of each file and kernel, fix of each finding, explain of each rule. */
export async function serverAnswers(root: string): Promise<Map<string, string>> {
  const bundle = join(__dirname, '..', '..', 'dist', 'cli.js');
  readFileSync(bundle);
  const client = new Client({ name: 'agents', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [bundle, 'mcp', root] }));
  const answers = new Map<string, string>();
  /** The text of an answer, kept under its name. That a line has no automatic fix is an answer as well. */
  const ask = async (tool: string, name: string, asked: Record<string, unknown>): Promise<string> => {
    for (;;) {
      const said = (await client.callTool({ name: tool, arguments: asked })) as unknown as Said;
      const text = said.content.map((each) => each.text).join('\n');
      if (said.isError && tool !== 'fix') return '';
      if (text.startsWith('PARTIAL:')) continue;
      answers.set(`${[tool, ...(name === '' ? [] : [name.replaceAll('/', '-')])].join('.')}.txt`, `${text}\n`);
      return text;
    }
  };
  try {
    const findings = [...(await ask('check', '', { paths: ['.'] })).matchAll(finding)];
    for (const { path } of findSources([root], () => {})) {
      const file = relative(root, path);
      const kernels = [...(await ask('model', file, { file })).matchAll(/^kernel ([^\s,]+), line/gm)];
      for (const [, kernel] of kernels) {
        const name = kernel!.split('::').at(-1)!;
        await ask('model', `${file}.${name}`, { file, kernel: name });
      }
    }
    for (const [, file, line] of findings) await ask('fix', `${file}.${line}`, { file, line: Number(line) });
    for (const rule of new Set(findings.map(([, , , rule]) => rule!))) await ask('explain', rule, { rule });
  } finally {
    await client.close();
  }
  return answers;
}
