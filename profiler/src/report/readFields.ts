// Fields that several messages of a report have: strings, shapes, metrics by name.
import type { ByteSource } from './byteSource';
import { type MetricValue, readValue } from './messages';
import { StreamReader } from './streamReader';
import type { WireReader } from './wire';
import type { Launch, Metric } from './report';

export const mostPieces = 5_000_000;
export const longestPath = 32_768;

export function mostFrequent(counts: ReadonlyMap<number, number>, otherwise: number): number {
  let best = otherwise;
  let most = 0;
  for (const [field, count] of counts) {
    if (count > most) {
      best = field;
      most = count;
    }
  }
  return best;
}

export async function readString(reader: StreamReader): Promise<string> {
  const body = await reader.loadBody();
  return body.rest();
}

export function readShape(reader: WireReader): readonly [number, number, number] {
  const shape: [number, number, number] = [1, 1, 1];
  while (reader.next()) {
    if (reader.field >= 1 && reader.field <= 3 && reader.wire === 0) shape[reader.field - 1] = reader.varint();
    else reader.skip();
  }
  return shape;
}

export function readMetric(name: string, reader: WireReader): Metric {
  let value: MetricValue | undefined;
  const instances: { id: MetricValue | undefined; value: MetricValue | undefined }[] = [];
  while (reader.next()) {
    if (reader.field === 2 && reader.wire === 2) value = readValue(reader.message());
    else if (reader.field === 3 && reader.wire === 2) {
      const element = reader.message();
      const instance: { id: MetricValue | undefined; value: MetricValue | undefined } = {
        id: undefined,
        value: undefined,
      };
      while (element.next()) {
        if (element.field === 1 && element.wire === 2) instance.id = readValue(element.message());
        else if (element.field === 2 && element.wire === 2) instance.value = readValue(element.message());
        else element.skip();
      }
      instances.push(instance);
    } else reader.skip();
  }
  return { name, value, instances };
}

/** Calls `visit` with each metric of a launch whose number is accepted; the others go by unread. */
export async function forEachMetric(
  source: ByteSource,
  launch: Launch,
  accepted: readonly boolean[],
  visit: (nameId: number, metric: WireReader) => void,
): Promise<void> {
  const { offset, end, metricsField } = launch.place;
  const reader = new StreamReader(source);
  reader.seek(offset);
  while (reader.position < end) {
    if (!reader.readyForField(end)) await reader.loadField(end);
    reader.nextField(end);
    if (reader.field === metricsField && reader.wire === 2) {
      if (!reader.readyToPeek()) await reader.loadToPeek();
      const nameId = reader.peekLeadingNumber(1);
      if (nameId !== undefined && accepted[nameId]) {
        visit(nameId, reader.bodyReady() ? reader.body() : await reader.loadBody());
        continue;
      }
    }
    reader.skipField();
  }
}

/** Calls `visit` at each field of a launch; what it does not read is skipped. */
export async function forEachField(
  source: ByteSource,
  launch: Launch,
  visit: (reader: StreamReader) => Promise<void>,
): Promise<void> {
  const { offset, end } = launch.place;
  const reader = new StreamReader(source);
  reader.seek(offset);
  while (reader.position < end) {
    if (!reader.readyForField(end)) await reader.loadField(end);
    reader.nextField(end);
    const { bodyEnd } = reader;
    await visit(reader);
    reader.seek(bodyEnd);
  }
}

/** Calls `visit` with each value of a metric at an address, except 0. */
export function forEachInstance(metric: WireReader, visit: (address: number, value: number) => void): void {
  while (metric.next()) {
    if (metric.field !== 3 || metric.wire !== 2) {
      metric.skip();
      continue;
    }
    const element = metric.message();
    let address = NaN;
    let value = 0;
    while (element.next()) {
      if (element.field === 1 && element.wire === 2) address = readNumber(element.message());
      else if (element.field === 2 && element.wire === 2) value = readNumber(element.message());
      else element.skip();
    }
    if (!Number.isNaN(address) && (value > 0 || value < 0)) visit(address, value);
  }
}

/** A value of a metric, or of an instance: its number, NaN for a text. */
export function readNumber(reader: WireReader): number {
  let value = NaN;
  while (reader.next()) {
    if (reader.wire === 0 && (reader.field === 4 || reader.field === 5)) value = reader.varint();
    else if (reader.wire === 1 && reader.field === 3) value = reader.double();
    else if (reader.wire === 5 && reader.field === 2) value = reader.float();
    else reader.skip();
  }
  return value;
}
