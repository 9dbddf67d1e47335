import type { Context } from './context.js';

/** Shows how far it has come; figures by their names in the bar's form. */
export type Show = (done: number, total: number, figures?: Readonly<Record<string, string | number>>) => void;

/**
 * Work with a bar on stderr, on a terminal alone; its numbers are those that are counted. However the work ends, the bar
 * has ended, and the cursor is back, before anything else is said.
 * @param form what stands behind the bar, such as `{value}/{total} events  {rate}/s`
 */
export async function withProgress<T>(
  { io, json }: Pick<Context, 'io' | 'json'>,
  form: string,
  work: (show: Show) => Promise<T>,
): Promise<T> {
  if (!io.interactive || json) return work(() => undefined);
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar(
    { stream: process.stderr, format: `{bar} {percentage}%  ${form}`, hideCursor: true },
    cliProgress.Presets.shades_classic,
  );
  // Ctrl-C ends the process before the work.
  const stop = (): void => bar.stop();
  process.once('exit', stop);
  let started = false;
  try {
    return await work((done, total, figures = {}) => {
      // It draws at once: what is done is never beyond the whole.
      bar.setTotal(total);
      if (!started) bar.start(total, done, figures);
      else bar.update(done, figures);
      started = true;
    });
  } finally {
    process.off('exit', stop);
    stop();
  }
}

/** Such as `12 s`, or `?` where nobody can tell yet. */
export function timeLeft(seconds: number | null): string {
  return seconds === null ? '?' : `${seconds} s`;
}
