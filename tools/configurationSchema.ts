// The JSON schema of warplens.json, printed from the rules: what editors complete and check.
import type { RuleMeta } from '../server/src/rules/rule';

const severities = ['off', 'hint', 'information', 'warning', 'error', 'default'];

export function configurationSchema(metas: readonly RuleMeta[]): string {
  const patterns = (description: string): object => ({
    type: 'array',
    items: { type: 'string' },
    description: `${description} Patterns as in .gitignore, relative to the folder of this file.`,
  });
  const rows = [...metas].sort((a, b) => a.id.localeCompare(b.id));
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Warplens configuration (warplens.json)',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      severities: {
        type: 'object',
        description: 'Severity by rule.',
        additionalProperties: false,
        properties: Object.fromEntries(
          rows.map(({ id, summary, severity }) => [
            id,
            { enum: severities, description: `${summary} Default: ${severity}.` },
          ]),
        ),
      },
      options: {
        type: 'object',
        description: 'Options by rule.',
        additionalProperties: false,
        properties: Object.fromEntries(
          rows.flatMap(({ id, options }) =>
            options && Object.keys(options).length > 0 ? [[id, optionsSchema(options)] as const] : [],
          ),
        ),
      },
      gpu: {
        type: 'string',
        description:
          'The GPU that figures are computed for: a name such as H100, an architecture such as sm_90, or auto.',
      },
      defines: {
        type: 'object',
        description: 'Macros by name, as with -D.',
        additionalProperties: { type: 'string' },
        propertyNames: { pattern: '^[A-Za-z_]\\w*$' },
      },
      includeFolders: {
        type: 'array',
        items: { type: 'string' },
        description: 'Folders to search for included files, absolute or relative to the folder of this file.',
      },
      exclude: patterns('Files and folders that are not checked.'),
      failOnUnread: {
        type: 'boolean',
        description: 'warplens check exits with 1 if a kernel, launch or access could not be read. Default: false.',
      },
      quiet: patterns('Files and folders whose findings are hints, except errors. Replaces the default list.'),
    },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function optionsSchema(options: NonNullable<RuleMeta['options']>): object {
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(options).map(([name, option]) => [
        name,
        { type: option.type, default: option.default, description: option.description },
      ]),
    ),
  };
}
