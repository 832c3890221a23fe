// The tools of the Model Context Protocol: the findings, the model, the reports and comparisons for coding agents.
import { acceptedContent, inputRequired, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { severities } from '../../../server/src/lint/finding';
import { unknownRule } from '../../../server/src/lint/settings';
import { rulePage } from '../../../server/src/rules/page';
import { registry } from '../../../server/src/rules/registry';
import { version } from '../../../package.json';
import { ruleIds, ruleNamed } from '../rules';
import { BadUse } from '../source';
import { answerText } from './answer';
import { createAnswering, type Answering, type Asked, type Question } from './answering';
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
export async function serve(asked: Asked, mayMeasure: boolean): Promise<void> {
  const answering = createAnswering(asked);
  const handle = serveStdio(() => serverFor(asked.root, answering, mayMeasure));
  await new Promise<void>((resolve) => {
    process.stdin.on('end', resolve).on('close', resolve);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  await handle.close();
  // Workers and a measured program must not outlive the agent.
  process.exit(0);
}

function serverFor(root: string, answering: Answering, mayMeasure: boolean): McpServer {
  /** Answers in the thread; the client hears how far it is, if it asked to. */
  const inThread = ({ mcpReq }: ServerContext, question: () => Question): Promise<Said> =>
    answered(() => {
      const token = mcpReq._meta?.progressToken;
      let last = 0;
      return answering.ask(question(), mcpReq.signal, (progress, total) => {
        if (token === undefined || (Date.now() - last < 200 && progress < total)) return;
        last = Date.now();
        void mcpReq
          .notify({
            method: 'notifications/progress',
            params: { progressToken: token, progress, total, message: `${progress} of ${total} files` },
          })
          .catch(() => {});
      });
    });
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
  server.server.oninitialized = () => answering.ready();
  server.registerTool(
    'check',
    {
      title: 'Findings in CUDA and OpenACC code',
      description:
        'Lines that waste the GPU in files and folders, the costliest by predicted time first, with the cause and ' +
        'the fix. A large folder is answered in part after some seconds; ask again for the rest.',
      inputSchema: z.object({
        paths: z.array(z.string()).min(1).default(['.']).describe('files and folders'),
        minSeverity: z.enum(severities as [string, ...string[]]).default('hint'),
        rule: z.string().optional().describe('only this rule: cuda/uncoalesced-access'),
      }),
      annotations: readsOnly,
    },
    ({ paths, minSeverity, rule }, context) =>
      inThread(context, () => {
        if (rule !== undefined && !ruleIds.includes(rule)) throw new BadUse(unknownRule(rule, ruleIds));
        const least = minSeverity as (typeof severities)[number];
        return { tool: 'check', paths, least, ...(rule === undefined ? {} : { rule }) };
      }),
  );
  server.registerTool(
    'model',
    {
      title: 'Memory traffic of a kernel',
      description:
        'Predicted sectors and wavefronts of the kernels of a file, and the levels of its OpenACC loops; with a ' +
        'kernel, of each of its accesses: actual and ideal, the stride between lanes, the cause, ' +
        'the share of the kernel, and what the figure assumes.',
      inputSchema: z.object({
        file: z.string(),
        kernel: z.string().optional().describe('name with or without its namespace, without parameters'),
      }),
      annotations: readsOnly,
    },
    ({ file, kernel }, context) => inThread(context, () => ({ tool: 'model', file, kernel })),
  );
  server.registerTool(
    'fix',
    {
      title: 'The edits of a fix',
      description:
        'The fixes of the findings on a line: each as text edits and as a unified diff. Nothing is written. Safe ' +
        'fixes keep the results; unsafe ones may change rounding or resources.',
      inputSchema: z.object({ file: z.string(), line: z.number().int().min(1).describe('as check gives it') }),
      annotations: readsOnly,
    },
    ({ file, line }, context) => inThread(context, () => ({ tool: 'fix', file, line })),
  );
  server.registerTool(
    'rules',
    {
      title: 'The rules',
      description: 'The ids of all rules with what each finds.',
      inputSchema: z.object({}),
      annotations: readsOnly,
    },
    () =>
      answered(async () =>
        answerText({
          head: [],
          lines: registry.map(({ meta }) => `${meta.id}: ${meta.summary}`),
          narrower: 'Run warplens rules for all.',
        }),
      ),
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
          lines: usefulFirst(rulePage(found.meta)),
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
    ({ base, head }, context) =>
      head !== undefined && isReport(base) && isReport(head)
        ? answered(() => reportsAnswer(root, base, head))
        : inThread(context, () => ({ tool: 'compare', base, head })),
  );
  if (mayMeasure) registerMeasure(server, root);
  return server;
}

/** Sections of measurements and references last: an answer that is cut has lost those. */
function usefulFirst(page: string): string[] {
  const sections = page.trimEnd().split(/\n(?=## )/);
  const isLast = (section: string): boolean => /^## (?:Measured|References)/.test(section);
  return [...sections.filter((one) => !isLast(one)), ...sections.filter(isLast)].flatMap((one) => one.split('\n'));
}

function registerMeasure(server: McpServer, root: string): void {
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
      const agreed = acceptedContent(context.mcpReq.inputResponses, 'confirm', agreement);
      if (agreed === undefined)
        return inputRequired({
          inputRequests: { confirm: inputRequired.elicit({ message: sentence.question, requestedSchema: agreement }) },
        });
      if (!agreed.run) return said('Nothing was run: the user did not agree.');
      return answered(() => measureAnswer(root, asked));
    },
  );
}

const agreement = z.object({ run: z.boolean().describe('Build and run it?') });
