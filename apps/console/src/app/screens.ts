import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

import { partsOf } from '../lib/router.js';

export type Parts = Readonly<Record<string, string>>;
type Screen = ComponentType<{ readonly parts: Parts }>;

/** What loading the page again mends. */
export class NotLoadedError extends Error {}

/** A screen, loaded when it is first gone to. */
function loaded(load: () => Promise<Screen>): LazyExoticComponent<Screen> {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch (error) {
      throw new NotLoadedError('This screen could not be loaded: the server is away, or has a newer console by now.', {
        cause: error,
      });
    }
  });
}

interface Route {
  readonly pattern: string;
  readonly title: string;
  readonly screen: LazyExoticComponent<Screen>;
  /** Roles that the interface lets in there; everybody where absent. */
  readonly roles?: readonly string[];
  /** Where it stands in the navigation; nowhere where absent. */
  readonly group?: 'Watch' | 'Decide' | 'Prove' | 'Yours';
  /** The screens of the navigation that one comes from, where their address does not begin this one. */
  readonly under?: readonly string[];
}

const AUDITORS = ['auditor', 'admin'];
const OPERATORS = ['operator', ...AUDITORS];

/** Every screen, in the order of the navigation. A list and what it leads to are one chunk: apart, both take more. */
export const ROUTES: readonly Route[] = [
  {
    pattern: '/',
    title: 'Overview',
    group: 'Watch',
    screen: loaded(async () => (await import('../screens/overview.js')).Overview),
  },
  {
    pattern: '/jobs',
    title: 'Jobs',
    group: 'Watch',
    screen: loaded(async () => (await import('../screens/jobs.js')).Jobs),
  },
  { pattern: '/jobs/:job_id', title: 'Job', screen: loaded(async () => (await import('../screens/jobs.js')).Job) },
  {
    pattern: '/live',
    title: 'Live',
    group: 'Watch',
    roles: ['agent', ...OPERATORS],
    screen: loaded(async () => (await import('../screens/live.js')).Live),
  },
  {
    pattern: '/projections',
    title: 'Projections',
    group: 'Watch',
    roles: ['operator'],
    screen: loaded(async () => (await import('../screens/projection.js')).Projections),
  },
  {
    pattern: '/projections/:name',
    title: 'Projection',
    roles: ['operator'],
    screen: loaded(async () => (await import('../screens/projection.js')).Projection),
  },
  {
    pattern: '/replay',
    title: 'Replays',
    group: 'Prove',
    roles: OPERATORS,
    screen: loaded(async () => (await import('../screens/replays.js')).Replays),
  },
  {
    pattern: '/replays/:replay_id',
    title: 'Replay',
    roles: OPERATORS,
    under: ['/replay'],
    screen: loaded(async () => (await import('../screens/replays.js')).ReplayPage),
  },
  {
    pattern: '/replay/sweeps',
    title: 'Sweeps',
    roles: OPERATORS,
    screen: loaded(async () => (await import('../screens/sweeps.js')).Sweeps),
  },
  {
    pattern: '/replay/sweeps/:sweep_id',
    title: 'Sweep',
    roles: OPERATORS,
    screen: loaded(async () => (await import('../screens/sweeps.js')).SweepPage),
  },
  {
    pattern: '/integrity',
    title: 'Integrity and proof',
    group: 'Prove',
    roles: AUDITORS,
    screen: loaded(async () => (await import('../screens/integrity.js')).Integrity),
  },
  {
    pattern: '/integrity/:verification_id',
    title: 'Walk of the log',
    roles: AUDITORS,
    screen: loaded(async () => (await import('../screens/integrity.js')).WalkPage),
  },
  {
    pattern: '/missing',
    title: 'Missing artifacts',
    group: 'Prove',
    roles: ['council', ...OPERATORS],
    screen: loaded(async () => (await import('../screens/missing.js')).Missing),
  },
  {
    pattern: '/streams',
    title: 'Streams and events',
    group: 'Prove',
    roles: AUDITORS,
    screen: loaded(async () => (await import('../screens/streams.js')).Streams),
  },
  {
    pattern: '/streams/:stream',
    title: 'Stream',
    roles: AUDITORS,
    screen: loaded(async () => (await import('../screens/streams.js')).StreamPage),
  },
  {
    pattern: '/events/:stream/:revision',
    title: 'Event',
    roles: AUDITORS,
    under: ['/streams'],
    screen: loaded(async () => (await import('../screens/streams.js')).EventAtRevision),
  },
  {
    pattern: '/events/:event_id',
    title: 'Event',
    under: ['/streams'],
    screen: loaded(async () => (await import('../screens/streams.js')).EventById),
  },
  {
    pattern: '/people',
    title: 'People',
    group: 'Decide',
    roles: ['admin', 'council'],
    screen: loaded(async () => (await import('../screens/people.js')).People),
  },
  {
    pattern: '/me',
    title: 'Your data',
    group: 'Yours',
    screen: loaded(async () => (await import('../screens/me.js')).Me),
  },
  {
    pattern: '/dsr/:dsr_id',
    title: 'Data-subject request',
    under: ['/people', '/me'],
    screen: loaded(async () => (await import('../screens/dsr.js')).Dsr),
  },
  {
    pattern: '/decisions',
    title: 'Decisions to take',
    group: 'Decide',
    screen: loaded(async () => (await import('../screens/decision.js')).Decisions),
  },
  {
    pattern: '/decisions/:request_id',
    title: 'Request',
    screen: loaded(async () => (await import('../screens/decision.js')).Decision),
  },
  {
    pattern: '/policies/:policy',
    title: 'Policy',
    roles: ['council', ...OPERATORS],
    under: ['/decisions'],
    screen: loaded(async () => (await import('../screens/decision.js')).Policy),
  },
  {
    pattern: '/incidents',
    title: 'Incidents',
    group: 'Watch',
    roles: OPERATORS,
    screen: loaded(async () => (await import('../screens/incidents.js')).Incidents),
  },
  {
    pattern: '/modules',
    title: 'Agents and trust',
    group: 'Watch',
    roles: OPERATORS,
    screen: loaded(async () => (await import('../screens/modules.js')).Modules),
  },
  {
    pattern: '/modules/:node_id',
    title: 'Module',
    roles: OPERATORS,
    screen: loaded(async () => (await import('../screens/modules.js')).Module),
  },
  {
    pattern: '/negotiations',
    title: 'Negotiations',
    group: 'Decide',
    roles: ['agent', ...OPERATORS],
    screen: loaded(async () => (await import('../screens/negotiation.js')).Negotiations),
  },
  {
    pattern: '/negotiations/:artifact_id',
    title: 'Negotiation',
    roles: ['agent', ...OPERATORS],
    screen: loaded(async () => (await import('../screens/negotiation.js')).Negotiation),
  },
  {
    pattern: '/memory',
    title: 'Memory',
    group: 'Watch',
    screen: loaded(async () => (await import('../screens/memory.js')).Memory),
  },
  {
    pattern: '/brainstate',
    title: 'BrainState',
    group: 'Watch',
    roles: ['council', ...OPERATORS],
    screen: loaded(async () => (await import('../screens/brainstates.js')).BrainStates),
  },
  {
    pattern: '/brainstate/:id',
    title: 'BrainState',
    roles: ['council', ...OPERATORS],
    screen: loaded(async () => (await import('../screens/brainstates.js')).BrainState),
  },
];

/** Where a role is let in to. */
export const isOpenTo = ({ roles }: Route, has: (...roles: string[]) => boolean): boolean => !roles || has(...roles);

/** The screen of an address, with the parts of it. */
export function routeOf(path: string): { readonly route: Route; readonly parts: Parts } | undefined {
  for (const route of ROUTES) {
    const parts = partsOf(route.pattern, path);
    if (parts) return { route, parts };
  }
  return undefined;
}

/** The item of the navigation that an address is, or is below; of several that it may be below, the first that is open. */
export function itemOf(path: string, open: readonly Route[]): Route | undefined {
  const above = routeOf(path)?.route.under ?? [path];
  const isAbove = ({ pattern }: Route, one: string): boolean => one === pattern || one.startsWith(`${pattern}/`);
  return open.find((route) => route.group !== undefined && above.some((one) => isAbove(route, one)));
}
