// Answers that are waited for so long and no longer, and errors as the log has them.

/** An error as the log has it. */
export function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** What a promise gives within so many milliseconds, else `late`; a promise that rejects is late too. */
export async function within<T>(milliseconds: number, promise: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), milliseconds);
  });
  try {
    return await Promise.race([promise.catch(() => late), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
