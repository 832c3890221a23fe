// warplens rules and warplens explain: the list of rules, and the page of one.
import type { Command } from 'commander';
import { unknownRule } from '../../server/src/lint/settings';
import { rulePage } from '../../server/src/rules/page';
import { registry } from '../../server/src/rules/registry';
import type { Terminal } from './options';
import { BadUse } from './badUse';

export const ruleIds: readonly string[] = registry.map(({ meta }) => meta.id);

/** The rule of an id, with or without its family: `cuda/bank-conflict`, `bank-conflict`. */
export function ruleNamed(id: string): (typeof registry)[number] | undefined {
  return registry.find(({ meta }) => meta.id === id || meta.id.split('/')[1] === id);
}

export function registerRules(program: Command, terminal: Terminal): void {
  program
    .command('rules')
    .option('-f, --format <format>', 'text or json', 'text')
    .action((flags: { readonly format: string }) => {
      if (flags.format === 'json')
        terminal.print(
          JSON.stringify(
            registry.map(({ meta }) => meta),
            null,
            2,
          ),
        );
      else if (flags.format === 'text') {
        const width = Math.max(...registry.map(({ meta }) => meta.id.length));
        terminal.print(
          registry
            .map(
              ({ meta }) =>
                `${meta.id.padEnd(width)}  ${meta.severity.padEnd(11)}  ` +
                `${meta.fixable === 'no' ? '       ' : 'fixable'}  ${meta.summary}`,
            )
            .join('\n'),
        );
      } else throw new BadUse(`Unknown format "${flags.format}". Use text or json.`);
    });
}

export function registerExplain(program: Command, terminal: Terminal): void {
  program
    .command('explain')
    .argument('<id>', 'a rule, such as cuda/bank-conflict')
    .action((id: string) => {
      const rule = ruleNamed(id);
      if (!rule) throw new BadUse(`${unknownRule(id, ruleIds)} "warplens rules" lists them.`);
      terminal.print(rulePage(rule.meta).trimEnd());
    });
}
