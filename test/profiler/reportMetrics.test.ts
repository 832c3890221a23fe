// Launches, whole-launch metrics and rule results of a report equal what Nsight Compute prints of them.
import assert from 'node:assert/strict';
import {
  bytesSource,
  describeDevice,
  measureReport,
  openReport,
  readRuleFindings,
  type Report,
} from '../../profiler/src/report';
import { functionAt } from '../../profiler/src/report/cubin';
import { nameOfSymbol, shortNameOf } from '../../profiler/src/report/functionNames';
import shortNames from './shortNames.json';
import { scaleOfUnit } from './support/ncuPages';
import { readOracle, readReportFixture, reportFixtureNames } from './support/reportFixtures';

const describing = new Set([
  'ID',
  'Process ID',
  'Process Name',
  'Host Name',
  'Kernel Name',
  'Context',
  'Stream',
  'Block Size',
  'Grid Size',
  'Device',
  'CC',
]);

describe('launches and metrics of a report', () => {
  for (const name of reportFixtureNames()) {
    describe(name, () => {
      let report: Report;
      const oracle = readOracle(name);
      before(async () => {
        report = await openReport(bytesSource(readReportFixture(name)));
      });

      it('lists the launches of the raw page', () => {
        const shape = (values: readonly number[]) => `(${values.join(', ')})`;
        const device = describeDevice(report);
        assert.deepEqual(
          // A graph has no separate shape; the page prints that of a node.
          report.launches.map(({ index, process, name: kernel, context, stream, block, grid, kind }) => [
            String(index),
            String(process.id),
            process.host,
            kernel,
            String(context),
            kind === 'range' ? 'n/a' : String(stream),
            kind === 'kernel' ? shape(block) : '',
            kind === 'kernel' ? shape(grid) : '',
            device?.computeCapability,
          ]),
          oracle.raw.launches.map((row, index) => [
            row['ID'],
            row['Process ID'],
            row['Host Name'],
            row['Kernel Name'],
            row['Context'],
            row['Stream'],
            report.launches[index]?.kind === 'kernel' ? row['Block Size'] : '',
            report.launches[index]?.kind === 'kernel' ? row['Grid Size'] : '',
            row['CC'],
          ]),
        );
      });

      it('has every number of the raw page', async () => {
        let compared = 0;
        for (const launch of report.launches) {
          const row = oracle.raw.launches[launch.index]!;
          const metrics = new Map((await report.metrics(launch)).map((metric) => [metric.name, metric]));
          for (const [column, cell] of Object.entries(row)) {
            if (describing.has(column) || cell === '' || cell === 'no data') continue;
            const value = metrics.get(column)?.value;
            // Numbers have six digits, in base units two; a whole number without digits is meant exactly.
            const number = /^-?[\d,]+(?:\.(\d+))?$/.exec(cell);
            if (number && typeof value !== 'string') {
              const digits = number[1]?.length ?? 0;
              const scale = scaleOfUnit(oracle.raw.units[column] ?? '');
              const printed = Number(cell.replaceAll(',', '')) * scale;
              assert.ok(value !== undefined, `${column} of launch ${launch.index} is there`);
              // What a measuring error puts below nothing is printed as nothing.
              const amount = cell === '0' ? Math.max(0, Number(value)) : Number(value);
              assert.ok(
                Math.abs(amount - printed) <=
                  (digits === 0 ? 0 : 0.501 * 10 ** -digits * scale) + Math.abs(printed) * 1e-12,
                `${column} of launch ${launch.index}: ${value} is printed as ${cell}`,
              );
            } else if (cell === 'nan') assert.ok(Number.isNaN(value), column);
            else assert.equal(value, cell, column);
            compared++;
          }
        }
        assert.ok(compared > 200 * report.launches.length, `only ${compared} numbers compared`);
      });

      it('has the results of the rules with their estimated speed-ups', async () => {
        if (oracle.rules.length === 0) return;
        for (const launch of report.launches) {
          const rows = oracle.rules.filter((row) => row.launch === launch.index);
          const findings = (await readRuleFindings(report, launch)).filter(({ messages }) => messages.length > 0);
          const printed = new Map<string, { types: string[]; speedup: string }>();
          for (const { rule, type, speedupType, speedup } of rows) {
            const entry = printed.get(rule) ?? { types: [], speedup: '' };
            entry.types.push(type);
            if (speedupType !== '') entry.speedup = `${speedupType} ${Number(speedup).toPrecision(3)}`;
            printed.set(rule, entry);
          }
          const types = { ok: 'INF', optimization: 'OPT', warning: 'WRN', error: 'ERR', none: '' };
          const read = findings.map(
            ({ rule, messages, speedup }) =>
              [
                rule,
                {
                  types: messages.map(({ severity }) => types[severity]),
                  speedup: speedup ? `${speedup.kind} ${Number(speedup.percent.toPrecision(4)).toPrecision(3)}` : '',
                },
              ] as const,
          );
          assert.deepEqual(Object.fromEntries(read), Object.fromEntries(printed), `rules of launch ${launch.index}`);
        }
      });

      it('puts the instructions that rules mark on lines of the profiled files', async () => {
        const paths = new Set(report.embeddedSources.map(({ path }) => path));
        if (paths.size === 0) return;
        for (const launch of report.launches) {
          const cubins = await Promise.all(launch.cubins.map((reference) => report.cubin(reference, launch.process)));
          for (const { rule, markers } of await readRuleFindings(report, launch)) {
            for (const marker of markers) {
              // Helpers of the compiler have no lines.
              const code = cubins
                .map((cubin) => cubin && functionAt(cubin, marker.address ?? 0))
                .find((found) => found);
              assert.ok(
                marker.at.length > 0 || (code && !code.lines),
                `${rule} of launch ${launch.index} marks a line`,
              );
              for (const { file, line } of marker.at) assert.ok(paths.has(file) && line > 0, `${file}:${line}`);
            }
          }
        }
      });

      it('takes totals from the launch, which is the sum of its instructions', async () => {
        const { kernels } = await measureReport(report);
        for (const launch of report.launches) {
          const metric = (await report.metrics(launch, (metricName) => metricName === 'smsp__pcsamp_sample_count'))[0];
          // Of a range replayed with its application there is only the total.
          if (!metric || (launch.kind === 'range' && metric.instances.length === 0)) continue;
          const sum = metric.instances.reduce((total, { value }) => total + Number(value), 0);
          assert.equal(kernels[launch.index]!.values['smsp__pcsamp_sample_count'], sum);
        }
      });
    });
  }

  it('keeps what the profiler noted of the session', async () => {
    const report = await openReport(bytesSource(readReportFixture('corners')));
    const [session] = report.sessions;
    assert.equal(session?.process.executable, '/srv/kernels/corners');
    assert.equal(session?.versions['CUDA Version'], '13.0');
    assert.match(session?.versions['Nsight Compute Target'] ?? '', /^2025\.3\.1/);
    assert.match(session?.profilerCommandLine ?? '', /ncu/);
    assert.equal(session?.hostSystem?.os, 'Linux');
    assert.deepEqual(
      report.devices.map((device) => [device.name, device.attributes['device__attribute_multiprocessor_count']]),
      [['NVIDIA H200', 132]],
    );
  });

  it('shortens names of functions', () => {
    for (const [demangled, short] of Object.entries(shortNames.demangled)) assert.equal(shortNameOf(demangled), short);
    for (const [symbol, name] of Object.entries(shortNames.symbols)) assert.equal(nameOfSymbol(symbol), name);
  });
});
