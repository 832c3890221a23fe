// Findings as SARIF 2.1.0, for code scanning services and viewers.
import { pathToFileURL } from 'node:url';
import type { ArtifactLocation, Log, Notification, Region, ReportingDescriptor, Result } from 'sarif';
import { docsBase, docsUrlOf, type ResolvedFinding } from '../../server/src/lint/finding';
import { registry } from '../../server/src/rules/registry';
import { rulePage } from '../../server/src/rules/page';
import type { Fix, Severity } from '../../server/src/rules/rule';
import type { Span } from '../../server/src/semantic/model';
import { type CheckedFile, headsOf } from './checkedFile';
import { pathOf, type placeFinder } from './analysis';
import type { Remark, UnreadOfFile } from './remarks';
import { unreadText } from '../../server/src/rules/unreadWording';
import { createFingerprints } from './fingerprints';
import { displayPath } from './source';
import { version } from '../../package.json';
import toolRules from './toolRules.json';

const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const base = 'SRCROOT';

export function sarifOf(
  files: readonly CheckedFile[],
  placeOf: ReturnType<typeof placeFinder>,
  remarks: readonly Remark[],
  unread: readonly UnreadOfFile[] = [],
): string {
  const rules = descriptors();
  const indexes = new Map(rules.map((rule, index) => [rule.id, index]));
  const fingerprintOf = createFingerprints();
  const results = files.flatMap((file) =>
    headsOf(file).map(
      (finding): Result => ({
        ruleId: finding.rule,
        ruleIndex: indexes.get(finding.rule),
        level: levelOf(finding.severity),
        message: { text: finding.text },
        locations: [
          { physicalLocation: { artifactLocation: artifact(finding.at.uri), region: regionOf(finding.at, placeOf) } },
        ],
        ...(placesOf(finding).length > 0
          ? {
              relatedLocations: placesOf(finding).map((reason, id) => ({
                id,
                message: { text: reason.text },
                physicalLocation: { artifactLocation: artifact(reason.at.uri), region: regionOf(reason.at, placeOf) },
              })),
            }
          : {}),
        partialFingerprints: { 'warplensFinding/v1': fingerprintOf(finding, file) },
        ...(finding.fixes.length > 0 ? { fixes: finding.fixes.map((fix) => fixOf(fix, placeOf)) } : {}),
        // SARIF counts the rank of a result from 0 to 100.
        ...(finding.share === undefined ? {} : { rank: Math.round(1000 * finding.share) / 10 }),
        properties: {
          messageId: finding.message,
          confidence: finding.confidence,
          ...(finding.verdict ? { verdict: finding.verdict.sentences.join(' ') } : {}),
          ...(finding.kernel === undefined ? {} : { kernel: finding.kernel }),
        },
      }),
    ),
  );
  const notifications = [
    ...remarks.map(notificationOf),
    // The limit of a file is among the remarks.
    ...unread.flatMap(({ path, list }) =>
      list
        .filter(({ what }) => what !== 'file')
        .map(
          (one): Notification => ({
            ...notificationOf({ path, line: one.line, column: one.column, text: `Not read: ${unreadText(one)}.` }),
            properties: { unread: one.what, reason: one.reason, kernels: [...one.kernels] },
          }),
        ),
    ),
  ];
  const log: Log = {
    $schema: schema,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Warplens',
            semanticVersion: version,
            informationUri: 'https://github.com/warplens/warplens',
            rules,
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          { executionSuccessful: !remarks.some(({ fails }) => fails), toolExecutionNotifications: notifications },
        ],
        originalUriBaseIds: { [base]: { uri: `${pathToFileURL(process.cwd()).href}/` } },
        results,
      },
    ],
  };
  return JSON.stringify(log, null, 2);
}

/** What the analysis omitted: a viewer must not show an unread file as clean. */
function notificationOf({ path, line, column, text, fails }: Remark): Notification {
  const region = line === undefined ? {} : { region: { startLine: line, startColumn: column } };
  return {
    level: fails ? 'error' : line === undefined ? 'warning' : 'note',
    message: { text },
    locations: [{ physicalLocation: { artifactLocation: artifact(pathToFileURL(path).href), ...region } }],
  };
}

/** The other places of a finding, and the trail to its cause. */
function placesOf({ places, related }: ResolvedFinding): ResolvedFinding['related'] {
  return [...(places ?? []), ...related];
}

function descriptors(): ReportingDescriptor[] {
  const own: ReportingDescriptor[] = registry.map(({ meta }) => ({
    id: meta.id,
    name: meta.id
      .split('/')
      .map((part) =>
        part
          .split('-')
          .map((word) => word[0]!.toUpperCase() + word.slice(1))
          .join(''),
      )
      .join(''),
    shortDescription: { text: meta.summary },
    fullDescription: { text: meta.docs.what },
    help: { text: `${meta.docs.what}\n\n${meta.docs.why}`, markdown: rulePage(meta) },
    helpUri: docsUrlOf(meta.id),
    defaultConfiguration: { level: levelOf(meta.severity) },
    properties: { tags: ['performance', meta.family] },
  }));
  return [...own, ...toolRules.map(descriptorOf)];
}

/** A rule of the tool itself. Code scanning asks every rule for a full description and help (GH2012). */
function descriptorOf({ id, name, text, help }: (typeof toolRules)[number]): ReportingDescriptor {
  return {
    id,
    name,
    shortDescription: { text },
    fullDescription: { text: `${text} ${help}` },
    help: { text: help, markdown: help },
    helpUri: `${docsBase}README.md`,
    defaultConfiguration: { level: 'note' },
  };
}

function levelOf(severity: Severity): 'error' | 'warning' | 'note' {
  return severity === 'error' || severity === 'warning' ? severity : 'note';
}

/** Below the working directory relative to it, elsewhere the file's own URI. */
function artifact(uri: string): ArtifactLocation {
  const shown = displayPath(pathOf(uri));
  return /^([A-Za-z]:)?\//.test(shown)
    ? { uri }
    : { uri: shown.split('/').map(encodeURIComponent).join('/'), uriBaseId: base };
}

function regionOf(span: Span, placeOf: ReturnType<typeof placeFinder>): Region {
  const place = placeOf(span);
  return place
    ? { startLine: place.line, startColumn: place.column, endLine: place.endLine, endColumn: place.endColumn }
    : { charOffset: span.start, charLength: span.end - span.start };
}

function fixOf(fix: Fix, placeOf: ReturnType<typeof placeFinder>): NonNullable<Result['fixes']>[number] {
  const uris = [...new Set(fix.edits.map((edit) => edit.at.uri))];
  return {
    description: { text: `${fix.title} (${fix.applicability})` },
    artifactChanges: uris.map((uri) => ({
      artifactLocation: artifact(uri),
      replacements: fix.edits
        .filter((edit) => edit.at.uri === uri)
        .map((edit) => ({ deletedRegion: regionOf(edit.at, placeOf), insertedContent: { text: edit.newText } })),
    })),
  };
}
