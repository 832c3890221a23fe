// Progress of a long command on the error stream: lines that stay, and one that is redrawn.
import type { HostFacts } from '../../profiler/src/preflight/probe';

export type StatusLine = ReturnType<typeof statusLine>;

/** `interactive`: the progress line may be redrawn. */
export function statusLine(io: { readonly interactive: boolean; stderr(text: string): void }) {
  let drawn = false;
  return {
    /** A line that stays. */
    line(text: string): void {
      io.stderr(`${drawn ? '\r\u001b[K' : ''}${text}\n`);
      drawn = false;
    },
    /** The current activity; shown only on a terminal. */
    draw(text: string): void {
      if (!io.interactive) return;
      io.stderr(`\r\u001b[K${text}`);
      drawn = true;
    },
  };
}

/** Whether the numbers come from a recording instead of a GPU. */
export function isReplay({ ncu }: HostFacts): boolean {
  return ncu?.title?.includes('(replay)') === true;
}

/** `NVIDIA H200, nvcc 13.0.88, ncu 2025.3.1`: the tools of a host. */
export function toolsLine(facts: HostFacts): string {
  return (
    `${facts.gpus?.[0]?.name ?? 'no GPU'}, nvcc ${facts.nvcc?.version ?? '-'}, ` +
    `ncu${isReplay(facts) ? ' (replay)' : ''} ` +
    `${facts.ncu?.version ?? '-'}`
  );
}
