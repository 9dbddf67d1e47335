import { wantsTracing } from './settings.js';
import { turnTracing } from './spans.js';

/** The export of spans by a process. */
export interface Tracing {
  /**
   * Sends what waits and ends; at most `waitMs`.
   * @returns false where not all was sent by then: what is under way may keep the process
   */
  end(waitMs: number): Promise<boolean>;
}

export interface TracingOptions {
  readonly version: string;
  /** Told that spans do not get where they should, once an hour while they do not. */
  readonly onFault: (error: unknown) => void;
}

const HOUR_MS = 3_600_000;
const NOTHING: Tracing = { end: () => Promise.resolve(true) };

/** Begins to export spans where the environment names an exporter; loads nothing where it does not. */
export async function beginTracing(
  env: Readonly<Record<string, string | undefined>>,
  { version, onFault }: TracingOptions,
): Promise<Tracing> {
  if (!wantsTracing(env)) return NOTHING;
  const { startSdk } = await import('./sdk.js');
  const sdk = startSdk({ version, onFault: onceIn(HOUR_MS, onFault) });
  return {
    end: async (waitMs) => {
      turnTracing(false);
      const late = new Promise<false>((resolve) => setTimeout(resolve, waitMs, false).unref());
      const sent = sdk.shutdown().then(
        () => true,
        () => false,
      );
      return Promise.race([sent, late]);
    },
  };
}

/** Tells the first of many, and one again after so long. */
function onceIn(pauseMs: number, tell: (error: unknown) => void): (error: unknown) => void {
  let last = -Infinity;
  return (error) => {
    const now = performance.now();
    if (now - last < pauseMs) return;
    last = now;
    tell(error);
  };
}
