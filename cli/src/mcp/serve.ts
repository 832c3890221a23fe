// The tools of the Model Context Protocol: the findings, the model, the reports and comparisons for coding agents.
import { acceptedContent, inputRequired, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { severities } from '../../../server/src/lint/finding';
import { unknownRule } from '../../../server/src/lint/settings';
import { rulePage } from '../../../server/src/rules/page';
import { registry } from '../../../server/src/rules/registry';
import { version } from '../../../package.json';
import schemas from '../../../schemas/mcp.schema.json';
import { ruleIds, ruleNamed } from '../rules';
import { BadUse } from '../source';
import { answerOf, type ToolAnswer } from './answer';
import { createAnswering, type Answering, type Asked, type Question } from './answering';
import { measureAnswer, measureQuestion } from './measuring';
import { isReport, reportAnswer, reportsAnswer } from './reports';
import texts from './tools.json';

interface Said {
  readonly [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: { [key: string]: unknown };
  isError?: boolean;
}

function said({ text, data }: ToolAnswer): Said {
  return { content: [{ type: 'text', text }], structuredContent: { ...data } };
}

/** A sentence for an error; the agent can ask again. */
async function answered(work: () => Promise<ToolAnswer>): Promise<Said> {
  try {
    return said(await work());
  } catch (error) {
    const sentence =
      error instanceof BadUse ? error.message : `Failed: ${error instanceof Error ? error.message : String(error)}`;
    return { ...said(answerOf({ head: [sentence], lines: [], narrower: '' })), isError: true };
  }
}

type ToolName = keyof typeof schemas.properties;

/** What the tool's answers have as data. */
const answerSchema = (tool: ToolName) => z.fromJSONSchema(schemas.properties[tool] as z.core.JSONSchema.JSONSchema);

const text = z.string();
const line = z.number().int().min(1);
const inputs = {
  check: z.strictObject({
    paths: z.array(text).min(1).default(['.']).describe('files and folders'),
    minSeverity: z.enum(severities as [string, ...string[]]).default('hint'),
    rule: text.optional().describe('only this rule: cuda/uncoalesced-access'),
  }),
  model: z.strictObject({ file: text, kernel: text.optional().describe('name without parameters, in full or alone') }),
  fix: z.strictObject({ file: text, line: line.describe('as check gives it') }),
  rules: z.strictObject({}),
  explain: z.strictObject({ rule: text }),
  report: z.strictObject({ report: text, kernel: text.optional().describe("a part of a kernel's name") }),
  compare: z.strictObject({ base: text.default('HEAD'), head: text.optional().describe('default: working tree') }),
};

/** Texts, arguments, answers and nature of a tool that reads only. */
const about = <T extends keyof typeof inputs>(tool: T) => ({
  ...texts[tool],
  inputSchema: inputs[tool],
  outputSchema: answerSchema(tool),
  annotations: { readOnlyHint: true, openWorldHint: false },
});

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
  const server = new McpServer({ name: 'warplens', version }, { instructions: texts.instructions });
  server.server.oninitialized = () => answering.ready();
  server.registerTool('check', about('check'), ({ paths, minSeverity, rule }, context) =>
    inThread(context, () => {
      if (rule !== undefined && !ruleIds.includes(rule)) throw new BadUse(unknownRule(rule, ruleIds));
      const least = minSeverity as (typeof severities)[number];
      return { tool: 'check', paths, least, ...(rule === undefined ? {} : { rule }) };
    }),
  );
  server.registerTool('model', about('model'), ({ file, kernel }, context) =>
    inThread(context, () => ({ tool: 'model', file, kernel })),
  );
  server.registerTool('fix', about('fix'), (asked, context) => inThread(context, () => ({ tool: 'fix', ...asked })));
  server.registerTool('rules', about('rules'), () =>
    answered(async () =>
      answerOf({
        head: [],
        lines: registry.map(({ meta }) => ({ text: `${meta.id}: ${meta.summary}`, id: meta.id })),
        narrower: 'Run warplens rules for all.',
      }),
    ),
  );
  server.registerTool('explain', about('explain'), ({ rule }) =>
    answered(async () => {
      const found = ruleNamed(rule);
      if (!found) throw new BadUse(unknownRule(rule, ruleIds));
      return answerOf({ head: [], lines: usefulFirst(rulePage(found.meta)), narrower: 'Read the page itself.' });
    }),
  );
  server.registerTool('report', about('report'), ({ report, kernel }) =>
    answered(() => reportAnswer(root, report, kernel)),
  );
  server.registerTool('compare', about('compare'), ({ base, head }, context) =>
    isReport(root, base) || (head !== undefined && isReport(root, head))
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
      ...texts.measure,
      inputSchema: z.strictObject({
        file: text,
        line,
        host: z.string().optional().describe("over the user's ssh; default: this machine"),
        arguments: z.array(z.string()).default([]).describe('arguments of the program'),
      }),
      outputSchema: answerSchema('measure'),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    async (asked, context) => {
      const { question: message } = measureQuestion(root, asked);
      const agreed = acceptedContent(context.mcpReq.inputResponses, 'confirm', agreement);
      if (agreed === undefined)
        return inputRequired({
          inputRequests: { confirm: inputRequired.elicit({ message, requestedSchema: agreement }) },
        });
      if (!agreed.run)
        return said(answerOf({ head: ['Nothing was run: the user did not agree.'], lines: [], narrower: '' }));
      return answered(() => measureAnswer(root, asked));
    },
  );
}

const agreement = z.object({ run: z.boolean().describe('Build and run it?') });
