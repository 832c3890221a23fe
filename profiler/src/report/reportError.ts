// The one error that reading a report raises: a sentence for the user, with the next step.

export class ReportError extends Error {
  override readonly name = 'ReportError';

  /** @param offset byte of the file at which the reading stopped, where there is one */
  constructor(
    message: string,
    readonly offset?: number,
  ) {
    super(message);
  }
}

/** The report stops before what it announces. */
export function truncatedReport(offset: number, size: number): ReportError {
  return new ReportError(
    `The report is truncated: a part at byte ${offset} extends past its ${size} bytes. ` +
      'Copy the file again, or profile again.',
    offset,
  );
}

/** The report contradicts itself. */
export function damagedReport(what: string, offset: number): ReportError {
  return new ReportError(
    `The report is damaged: ${what} at byte ${offset}. Copy the file again, or profile again.`,
    offset,
  );
}
