import type { Context } from './context.js';

export interface Progress {
  show(done: number, total: number): void;
  end(): void;
}

/** A bar on stderr, on a terminal alone; its numbers are those that are counted. @param unit what is counted */
export async function progressOf({ io, json }: Pick<Context, 'io' | 'json'>, unit: string): Promise<Progress> {
  if (!io.interactive || json) return { show: () => undefined, end: () => undefined };
  const { default: cliProgress } = await import('cli-progress');
  const format = `{bar} {percentage}%  {value}/{total} ${unit}`;
  const bar = new cliProgress.SingleBar(
    { stream: process.stderr, format, hideCursor: true },
    cliProgress.Presets.shades_classic,
  );
  let started = false;
  return {
    show: (done, total) => {
      if (!started) bar.start(total, done);
      else bar.update(done);
      bar.setTotal(total);
      started = true;
    },
    end: () => bar.stop(),
  };
}
