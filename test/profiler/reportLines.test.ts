// Every number of every line that Nsight Compute prints of a report is the reader's number too.
import assert from 'node:assert/strict';
import { bytesSource, measureReport, openReport, type Report } from '../../profiler/src/report';
import { shortNameOf } from '../../profiler/src/report/functionNames';
import type { LineMetrics, MeasuredReport } from '../../protocol/src/lineMetrics';
import { kindColumns, metricOfColumn, type SourceBlock } from './support/ncuPages';
import { readOracle, readReportFixture, reportFixtureNames } from './support/reportFixtures';

/** How a line prints the cells of ncu's page. */
function cellOf(line: LineMetrics, column: string, cell: string): string {
  if (column.startsWith('Warp Stall Sampling')) {
    const notIssued = column.includes('Not-issued');
    return String(
      Object.entries(line.values).reduce(
        (sum, [name, value]) =>
          name.startsWith('smsp__pcsamp_warps_issue_stalled_') && name.endsWith('_not_issued') === notIssued
            ? sum + value
            : sum,
        0,
      ),
    );
  }
  const metric = metricOfColumn(column);
  assert.ok(metric, `the column ${column} is not known`);
  if (kindColumns.has(column)) {
    // '-' (no instruction has the metric) and '' (all zero) are distinguished by ncu alone.
    const kinds = Object.entries(line.kinds?.[metric] ?? {});
    if (kinds.length === 0 && (cell === '-' || cell === '')) return cell;
    return kinds.map(([name, count]) => (count > 1 ? `${name}(${count})` : name)).join(',');
  }
  const value = line.values[metric];
  return value === undefined ? 'absent' : String(value);
}

function sumOfNodes(nodes: readonly LineMetrics[]): LineMetrics {
  const values: Record<string, number> = {};
  const kinds: Record<string, Record<string, number>> = {};
  for (const node of nodes) {
    for (const [name, value] of Object.entries(node.values)) values[name] = (values[name] ?? 0) + value;
    for (const [name, counts] of Object.entries(node.kinds ?? {})) {
      const sums = (kinds[name] ??= {});
      for (const [kind, count] of Object.entries(counts)) sums[kind] = (sums[kind] ?? 0) + count;
    }
  }
  return { ...nodes[0]!, values, kinds };
}

/** Blocks of the page put to their launches: a launch has a block per file and function, the first of them in its kernel's name. */
function blocksByLaunch(blocks: readonly SourceBlock[], measured: MeasuredReport): Map<number, SourceBlock[]> {
  const byLaunch = new Map<number, SourceBlock[]>();
  let position = 0;
  const withLines = measured.kernels.filter(({ launch }) => measured.lines.some((line) => line.launch === launch));
  withLines.forEach(({ launch, kind, name }, index) => {
    const own: SourceBlock[] = [];
    const next = withLines[index + 1];
    const seen = new Set<string>();
    for (; position < blocks.length; position++) {
      const block = blocks[position]!;
      const key = `${block.path} ${block.function}`;
      // The next launch begins where a block comes again or bears the name of the next kernel.
      if (seen.has(key) || (kind === 'kernel' && next && block.function === next.name && block.function !== name))
        break;
      if (
        kind === 'kernel' &&
        own.length > 0 &&
        next?.kind === 'graph' &&
        block.path <= own[own.length - 1]!.path &&
        block.function !== name &&
        measured.kernels.some((kernel) => kernel.name === block.function)
      )
        break;
      seen.add(key);
      own.push(block);
    }
    assert.ok(
      kind !== 'kernel' || own.some((block) => block.function === name),
      `launch ${launch}: the page has its blocks elsewhere`,
    );
    byLaunch.set(launch, own);
  });
  // Of a range replayed with its application the page has lines whose every number is 0, since ncu does not find the code of its counters either.
  const nothingCounted = (block: SourceBlock) =>
    block.lines.every(({ cells }) => cells.every((cell) => /^(?:0|-|)$/.test(cell)));
  if (measured.kernels.every(({ kind }) => kind === 'range') && withLines.length === 0 && blocks.every(nothingCounted))
    return byLaunch;
  assert.equal(position, blocks.length, 'every block of the page has its launch');
  return byLaunch;
}

describe('lines of a report', () => {
  for (const name of reportFixtureNames()) {
    describe(name, () => {
      let report: Report;
      let measured: MeasuredReport;
      const oracle = readOracle(name);
      before(async () => {
        report = await openReport(bytesSource(readReportFixture(name)));
        measured = await measureReport(report);
      });

      it('has the line set and every number of the source page', () => {
        let compared = 0;
        for (const [launch, blocks] of blocksByLaunch(oracle.blocks, measured)) {
          const lines = measured.lines.filter((line) => line.launch === launch);
          const graph = measured.kernels[launch]!.kind !== 'kernel';
          const taken = new Set<LineMetrics>();
          for (const block of blocks) {
            // Where no launch of the report gives its parameters, a node has its short name.
            const ofBlock = ({ kernel }: LineMetrics) =>
              kernel === block.function || kernel === shortNameOf(block.function);
            const own = lines.filter(
              (line) =>
                line.file === block.path &&
                (!graph || ofBlock(line)) &&
                block.lines.some(({ line: number }) => number === line.line),
            );
            assert.deepEqual(
              own.map(({ line }) => line),
              block.lines.map(({ line }) => line),
              `lines of ${block.function} in ${block.path}`,
            );
            own.forEach((nodeLine, index) => {
              taken.add(nodeLine);
              // The reader keeps the nodes of a graph apart; the page shows the sum of all nodes in each.
              const line = graph
                ? sumOfNodes(
                    lines.filter(({ file, line: number }) => file === nodeLine.file && number === nodeLine.line),
                  )
                : nodeLine;
              const { cells } = block.lines[index]!;
              const expected = Object.fromEntries(block.columns.map((column, at) => [column, cells[at]]));
              const actual = Object.fromEntries(
                block.columns.map((column, at) => [column, cellOf(line, column, cells[at]!)]),
              );
              assert.deepEqual(actual, expected, `${block.path}:${line.line} of ${block.function}`);
              compared += block.columns.length;
            });
          }
          assert.equal(taken.size, lines.length, `launch ${launch}: no lines but the page's`);
        }
        const blocks = measured.lines.length === 0 ? [] : oracle.blocks;
        assert.equal(
          compared,
          blocks.reduce((sum, block) => sum + block.lines.length * block.columns.length, 0),
        );
      });

      it('has every number of every instruction that the page lists', async () => {
        for (const [launch, blocks] of blocksByLaunch(oracle.blocks, measured)) {
          const metrics = new Map(
            (await report.metrics(report.launches[launch]!)).map(({ name: metric, instances }) => [metric, instances]),
          );
          for (const block of blocks) {
            block.columns.forEach((column, at) => {
              const metric = metricOfColumn(column);
              if (!metric || kindColumns.has(column) || block.instructions.length === 0) return;
              const values = new Map(metrics.get(metric)!.map(({ id, value }) => [id, value]));
              for (const { address, cells } of block.instructions)
                assert.equal(
                  String(values.get(address) ?? 0),
                  cells[at],
                  `${column} at ${address.toString(16)} of ${block.function}`,
                );
            });
          }
        }
      });

      it('says of which launches there are no lines', () => {
        const without = measured.kernels
          .filter((kernel) => kernel.withoutLines === 'no line table')
          .map((kernel) => kernel.name);
        assert.deepEqual(without, oracle.withoutLines);
      });

      it('has the source text that the page prints', async () => {
        if (report.embeddedSources.length === 0) return;
        for (const block of oracle.blocks) {
          const text = (await report.readSource(block.path))?.split('\n');
          assert.ok(text, `${block.path} is in the report`);
          for (const { line, text: printed } of block.lines)
            assert.equal(text[line - 1]?.trim(), printed, `${block.path}:${line}`);
        }
      });
    });
  }
});
