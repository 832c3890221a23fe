// The tools of the Model Context Protocol: the findings, the model, the reports and comparisons for coding agents.
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { severities } from '../../../server/src/lint/finding';
import { unknownRule } from '../../../server/src/lint/settings';
import { rulePage } from '../../../server/src/rules/page';
import { createSyntax } from '../../../server/src/syntax';
import { readGrammarFiles } from '../../../server/src/syntax/grammarFiles';
import { version } from '../../../package.json';
import { ruleIds, ruleNamed } from '../rules';
import { BadUse } from '../source';
import { answerText } from './answer';
import { changeAnswer, checkAnswer, modelAnswer, type CodeQuestion } from './code';
import { measureAnswer, measureQuestion } from './measuring';
import { isReport, reportAnswer, reportsAnswer } from './reports';

interface Said {
  readonly [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: boolean;
}

function said(text: string): Said {
  return { content: [{ type: 'text', text }] };
}

/** A sentence for an error; the agent can ask again. */
async function answered(work: () => Promise<string>): Promise<Said> {
  try {
    return said(await work());
  } catch (error) {
    const sentence =
      error instanceof BadUse ? error.message : `Failed: ${error instanceof Error ? error.message : String(error)}`;
    return { ...said(answerText({ head: [sentence], lines: [], narrower: '' })), isError: true };
  }
}

const readsOnly = { readOnlyHint: true, openWorldHint: false } as const;

/** Serves standard input and output until the agent disconnects or the process gets a signal. */
export async function serve(asked: Omit<CodeQuestion, 'parsers'>, mayMeasure: boolean): Promise<void> {
  let made: ReturnType<typeof createSyntax> | undefined;
  const question: CodeQuestion = { ...asked, parsers: () => (made ??= createSyntax(readGrammarFiles())) };
  const handle = serveStdio(() => serverFor(question, mayMeasure));
  await new Promise<void>((resolve) => {
    process.stdin.on('end', resolve).on('close', resolve);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  await handle.close();
  // Workers and a measured program must not outlive the agent.
  process.exit(0);
}

function serverFor(question: CodeQuestion, mayMeasure: boolean): McpServer {
  const { root } = question;
  const server = new McpServer(
    { name: 'warplens', version },
    {
      instructions:
        'Which lines of CUDA and OpenACC code waste the GPU, predicted from the text (no GPU needed), and what ' +
        'Nsight Compute measured. Sectors are 32 bytes of global memory, wavefronts passes of shared memory, both ' +
        'counted as Nsight Compute counts them, a mean over a warp instruction. "proven" holds for every value that ' +
        'the code allows, "conditional" under what is named. Answers are cut to about 2,000 tokens and say so.',
    },
  );
  server.registerTool(
    'check',
    {
      title: 'Findings in CUDA and OpenACC code',
      description: 'Lines that waste the GPU in files and folders, the costliest first, with the cause and the fix.',
      inputSchema: z.object({
        paths: z.array(z.string()).min(1).default(['.']).describe('files and folders'),
        minSeverity: z.enum(severities as [string, ...string[]]).default('warning'),
        rule: z.string().optional().describe('only this rule: cuda/uncoalesced-access'),
      }),
      annotations: readsOnly,
    },
    ({ paths, minSeverity, rule }) =>
      answered(() => {
        if (rule !== undefined && !ruleIds.includes(rule)) throw new BadUse(unknownRule(rule, ruleIds));
        return checkAnswer(question, paths, minSeverity as (typeof severities)[number], rule);
      }),
  );
  server.registerTool(
    'model',
    {
      title: 'Memory traffic of a kernel',
      description:
        'Predicted sectors and wavefronts of the kernels of a file; with a kernel, of each of its accesses: actual ' +
        'and ideal, the stride between lanes, the cause, the share of the kernel, and what the figure assumes.',
      inputSchema: z.object({
        file: z.string(),
        kernel: z.string().optional().describe('name without namespace and parameters'),
      }),
      annotations: readsOnly,
    },
    ({ file, kernel }) => answered(() => modelAnswer(question, file, kernel)),
  );
  server.registerTool(
    'explain',
    {
      title: 'The page of a rule',
      description: 'What a rule finds, why it costs, and how to fix it, with measured figures.',
      inputSchema: z.object({ rule: z.string() }),
      annotations: readsOnly,
    },
    ({ rule }) =>
      answered(async () => {
        const found = ruleNamed(rule);
        if (!found) throw new BadUse(unknownRule(rule, ruleIds));
        return answerText({
          head: [],
          lines: rulePage(found.meta).trimEnd().split('\n'),
          narrower: 'Read the page itself.',
        });
      }),
  );
  server.registerTool(
    'report',
    {
      title: 'What Nsight Compute measured',
      description:
        'The kernels of a report (.ncu-rep) with their bounds; with a kernel, its hottest lines: samples, stall ' +
        'reasons, excess sectors and wavefronts.',
      inputSchema: z.object({
        report: z.string(),
        kernel: z.string().optional().describe("a part of a kernel's name"),
      }),
      annotations: readsOnly,
    },
    ({ report, kernel }) => answered(() => reportAnswer(root, report, kernel)),
  );
  server.registerTool(
    'compare',
    {
      title: 'Two versions side by side',
      description:
        'What a change does to the predicted figures of each kernel, between revisions of git (base HEAD: what is ' +
        'not committed), ranges (main...HEAD) or folders; or two reports (.ncu-rep) kernel by kernel and line by line.',
      inputSchema: z.object({
        base: z.string().default('HEAD'),
        head: z.string().optional().describe('default: the working tree'),
      }),
      annotations: readsOnly,
    },
    ({ base, head }) =>
      answered(() =>
        head !== undefined && isReport(base) && isReport(head)
          ? reportsAnswer(root, base, head)
          : changeAnswer(question, base, head),
      ),
  );
  server.registerTool(
    'measure',
    {
      title: 'The gain of a fix on the GPU',
      description:
        'Builds and runs the program before and after the fix on a line, in scratch copies, compares the outputs and ' +
        'times the kernel. The user is asked each time.',
      inputSchema: z.object({
        file: z.string(),
        line: z.number().int().min(1),
        host: z.string().optional().describe("over the user's ssh; default: this machine"),
        arguments: z.array(z.string()).default([]).describe('arguments of the program'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    async (asked, context) => {
      const sentence = measureQuestion(root, asked);
      if (!mayMeasure)
        return {
          ...said(
            `Nothing was run: this server was started without --allow-measure. The user can run: ${sentence.command}`,
          ),
          isError: true,
        };
      const agreed = acceptedContent(context.mcpReq.inputResponses, 'confirm', agreement);
      if (agreed === undefined)
        return inputRequired({
          inputRequests: { confirm: inputRequired.elicit({ message: sentence.question, requestedSchema: agreement }) },
        });
      if (!agreed.run) return said('Nothing was run: the user did not agree.');
      return answered(() => measureAnswer(root, asked));
    },
  );
  return server;
}

const agreement = z.object({ run: z.boolean().describe('Build and run it?') });
