import { join } from 'node:path';

import {
  applyToServer,
  type Difference,
  EventStoreDbSetup,
  EventStoreDbUrlError,
  parseEventStoreDbUrl,
  readServerSettings,
  ServerDeniesError,
  ServerSettingsError,
  StoreUnavailableError,
  verifyServer,
} from '#lib/event-store';

import { PROJECT_ROOT } from '../../../api/src/configuration-files.js';
import { secret } from '../../../api/src/platform.environment.js';
import type { Context } from '../context.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';

interface Options {
  readonly settings?: string;
}

/** `mace eventstore apply`: brings the server to its settings, or says with --dry-run what that would change. */
export function apply(context: Context, options: Options): Promise<ExitCode> {
  const { io, json, dryRun } = context;
  return withServer(context, options, async (server, settings) => {
    if (dryRun) {
      const found = await verifyServer(server, settings);
      tell(context, { would_change: found.filter(isMended), by_hand: found.filter(isByHand) });
      return found.some(isByHand) ? EXIT.divergence : EXIT.ok;
    }
    const { changed, left } = await applyToServer(server, settings, (difference) => {
      if (!json) io.out(`changed ${lineOf(difference)}`);
    });
    if (json) tell(context, { changed, by_hand: left });
    else for (const difference of left) io.out(`by hand ${lineOf(difference)}`);
    if (!json && changed.length === 0 && left.length === 0) io.out('nothing to change');
    return left.length === 0 ? EXIT.ok : EXIT.divergence;
  });
}

/** `mace eventstore verify`: what differs from the settings. */
export function verify(context: Context, options: Options): Promise<ExitCode> {
  return withServer(context, options, async (server, settings) => {
    const differs = await verifyServer(server, settings);
    tell(context, { differs });
    return differs.length === 0 ? EXIT.ok : EXIT.divergence;
  });
}

const isByHand = ({ change }: Difference): boolean => change === null;
const isMended = (difference: Difference): boolean => !isByHand(difference);

/** Each list under its name, a line for each difference. */
function tell({ io, json }: Context, lists: Readonly<Record<string, readonly Difference[]>>): void {
  if (json) return io.out(JSON.stringify(lists, shownOf, 2));
  const lines = Object.entries(lists).flatMap(([name, list]) =>
    list.map((difference) => `${name.replace('_', ' ')} ${lineOf(difference)}`),
  );
  for (const line of lines.length > 0 ? lines : ['nothing differs']) io.out(line);
}

/** In JSON a change is its kind: the rest stands in the settings. */
function shownOf(name: string, value: unknown): unknown {
  return name === 'change' && value !== null ? (value as { kind: string }).kind : value;
}

function lineOf({ subject, problem, by_hand }: Difference): string {
  return `${subject}: ${problem}${by_hand === null ? '' : `; ${by_hand}`}`;
}

type Settings = ReturnType<typeof readServerSettings>;

async function withServer(
  { env, io }: Context,
  options: Options,
  act: (server: EventStoreDbSetup, settings: Settings) => Promise<ExitCode>,
): Promise<ExitCode> {
  const url = urlOf(env);
  let server: EventStoreDbSetup | undefined;
  try {
    const settings = readServerSettings(options.settings ?? join(PROJECT_ROOT, 'eventstore-config'));
    server = await EventStoreDbSetup.of(url);
    if (!parseEventStoreDbUrl(url).tls) {
      io.say(
        'without TLS the server asks nobody who they are: users are not looked at, and access lists hold nobody off',
      );
    }
    return await act(server, settings);
  } catch (error) {
    if (error instanceof ServerSettingsError) throw new CommandError(error.message, EXIT.usage, { cause: error });
    if (error instanceof ServerDeniesError) throw new CommandError(error.message, EXIT.denied, { cause: error });
    if (error instanceof StoreUnavailableError)
      throw new CommandError(error.reason, EXIT.unavailable, { cause: error });
    throw error;
  } finally {
    await server?.close();
  }
}

/** @throws CommandError */
function urlOf(env: NodeJS.ProcessEnv): string {
  const url = secret(env, 'EVENTSTORE_URL') ?? '';
  try {
    parseEventStoreDbUrl(url);
    return url;
  } catch (error) {
    if (!(error instanceof EventStoreDbUrlError)) throw error;
    throw new CommandError(`EVENTSTORE_URL: ${error.message}`, EXIT.usage, { cause: error });
  }
}
