// What SARIF 2.1.0 (OASIS, sections 3.13 to 3.57) demands of the members that Warplens writes, as a JSON schema that admits no others.

const text = { type: 'string', minLength: 1 };
const message = {
  type: 'object',
  required: ['text'],
  properties: { text, markdown: text },
  additionalProperties: false,
};
const artifactLocation = {
  type: 'object',
  required: ['uri'],
  properties: { uri: { type: 'string', format: 'uri-reference' }, uriBaseId: text },
  additionalProperties: false,
};
const line = { type: 'integer', minimum: 1 };
const region = {
  type: 'object',
  properties: {
    startLine: line,
    startColumn: line,
    endLine: line,
    endColumn: line,
    charOffset: { type: 'integer', minimum: 0 },
    charLength: { type: 'integer', minimum: 0 },
  },
  anyOf: [{ required: ['startLine'] }, { required: ['charOffset'] }],
  additionalProperties: false,
};
const physicalLocation = {
  type: 'object',
  required: ['artifactLocation'],
  properties: { artifactLocation, region },
  additionalProperties: false,
};
const location = {
  type: 'object',
  properties: { id: { type: 'integer', minimum: 0 }, message, physicalLocation },
  additionalProperties: false,
};
const level = { enum: ['none', 'note', 'warning', 'error'] };
const properties = { type: 'object', properties: { tags: { type: 'array', items: text, uniqueItems: true } } };

const rule = {
  type: 'object',
  required: ['id'],
  properties: {
    id: text,
    name: text,
    shortDescription: message,
    fullDescription: message,
    help: message,
    helpUri: { type: 'string', format: 'uri' },
    defaultConfiguration: { type: 'object', properties: { level }, additionalProperties: false },
    properties,
  },
  additionalProperties: false,
};

const replacement = {
  type: 'object',
  required: ['deletedRegion'],
  properties: {
    deletedRegion: region,
    insertedContent: {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string' } },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};
const artifactChange = {
  type: 'object',
  required: ['artifactLocation', 'replacements'],
  properties: { artifactLocation, replacements: { type: 'array', minItems: 1, items: replacement } },
  additionalProperties: false,
};
const fix = {
  type: 'object',
  required: ['artifactChanges'],
  properties: {
    description: message,
    artifactChanges: { type: 'array', minItems: 1, uniqueItems: true, items: artifactChange },
  },
  additionalProperties: false,
};

const result = {
  type: 'object',
  required: ['message'],
  properties: {
    ruleId: text,
    ruleIndex: { type: 'integer', minimum: -1 },
    level,
    message,
    locations: { type: 'array', items: location },
    relatedLocations: { type: 'array', items: location, uniqueItems: true },
    rank: { type: 'number', minimum: -1, maximum: 100 },
    partialFingerprints: { type: 'object', additionalProperties: { type: 'string' } },
    fixes: { type: 'array', items: fix, uniqueItems: true },
    properties,
  },
  additionalProperties: false,
};

const notification = {
  type: 'object',
  required: ['message'],
  properties: {
    level,
    message,
    locations: { type: 'array', items: location, uniqueItems: true },
    properties: { type: 'object' },
  },
  additionalProperties: false,
};
const invocation = {
  type: 'object',
  required: ['executionSuccessful'],
  properties: {
    executionSuccessful: { type: 'boolean' },
    toolExecutionNotifications: { type: 'array', items: notification },
  },
  additionalProperties: false,
};

const run = {
  type: 'object',
  required: ['tool'],
  properties: {
    tool: {
      type: 'object',
      required: ['driver'],
      properties: {
        driver: {
          type: 'object',
          required: ['name'],
          properties: {
            name: text,
            semanticVersion: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
            informationUri: { type: 'string', format: 'uri' },
            rules: { type: 'array', items: rule, uniqueItems: true },
          },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
    invocations: { type: 'array', items: invocation },
    originalUriBaseIds: { type: 'object', additionalProperties: artifactLocation },
    results: { type: 'array', items: result },
  },
  additionalProperties: false,
};

export const sarifSchema = {
  type: 'object',
  required: ['version', 'runs'],
  properties: {
    $schema: { type: 'string', format: 'uri' },
    version: { const: '2.1.0' },
    runs: { type: 'array', items: run },
  },
  additionalProperties: false,
};
