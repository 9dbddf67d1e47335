import type { FastifyRequest } from 'fastify';

import {
  accessEvents,
  Authenticator,
  Denials,
  fixtureKeyRing,
  Principals,
  RateLimits,
  RevocationList,
  signToken,
  TokenVerifier,
  TrustedProxies,
} from '#lib/access';
import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers } from '#lib/event-store';
import { EventRegistry, RequestDigests } from '#lib/kernel';

import { identify, type GateParts } from '../../../apps/api/src/edge/gate.js';
import { MemorySubjectKeys } from '../../../libs/event-store/src/memory/memory-subject-keys.js';
import { timed } from '../harness/callers.js';
import { atMost, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';

const REQUESTS = 200_000;
const VERIFICATIONS = 4_000;
const PRINCIPALS = 500;
const NAMES = { issuer: 'mace', audience: 'mace' };

/** The door as a request meets it after its token's first sight: headers, token, rate, role, and the command's seed. */
export const authorise: Row = {
  name: 'authorise',
  async run({ rounds, scale, say }) {
    const { parts, verifier, headers } = await door();
    const requests = Math.ceil(REQUESTS * scale);
    const verifications = Math.ceil(VERIFICATIONS * scale);
    const limits = new RateLimits({ requests: 1_000_000_000, seconds: 1 });
    const figures = await interleave(
      {
        baseline: async () =>
          timed(verifications, async () => {
            for (let i = 0; i < verifications; i++) {
              await verifier.verify(headers[i % PRINCIPALS]!.toString().slice('Bearer '.length), Date.now());
            }
          }),
        measured: () =>
          timed(requests, () => {
            for (let i = 0; i < requests; i++) identify(parts, requestWith(headers[i % PRINCIPALS]!), refuseRefusal);
          }),
        rate: () =>
          timed(requests, () => {
            for (let i = 0; i < requests; i++) limits.takeOfPrincipal(`user_bench${i % PRINCIPALS}`, i);
          }),
      },
      { rounds, onTask: (task, round) => say(`round ${round}, ${task}`) },
    );
    const figure = median(figures.measured);
    const microseconds = 1e6 / figure;
    const rate = 1e6 / median(figures.rate);
    return [
      {
        name: 'authorise a request',
        unit: 'requests/s',
        figure,
        baseline: median(figures.baseline),
        baselineName: 'verifying its token each time',
        ratio: pairedRatio(figures.measured, figures.baseline),
        aims: [
          atMost('microseconds', microseconds, 20, 'time'),
          atMost('microseconds of the rate limit', rate, 1, 'time'),
        ],
        details: {
          'microseconds a request': Number(microseconds.toFixed(2)),
          'of them for the rate limit': Number(rate.toFixed(3)),
          'principals in turn': PRINCIPALS,
        },
      },
    ];
  },
};

function refuseRefusal(error?: Error): void {
  if (error) throw error;
}

/** As Fastify hands it over, the first on its connection; the header is a text of its own, as it is when it was just read. */
function requestWith(header: Buffer): FastifyRequest {
  const authorization = header.toString('latin1');
  const request = {
    is404: false,
    method: 'PUT',
    url: '/sem/user/profile/user_bench/favorite_color',
    ip: '127.0.0.1',
    headers: { host: 'bench', authorization, 'content-type': 'application/json' },
    raw: {
      rawHeaders: ['Host', 'bench', 'Authorization', authorization, 'Content-Type', 'application/json'],
      socket: {},
    },
    params: { scope: 'user', entity_type: 'profile', entity_id: 'user_bench', attribute: 'favorite_color' },
    mace: {
      route: { url: '/sem/:scope/:entity_type/:entity_id/:attribute', access: 'sem.write' },
      givenTraceId: undefined,
      now: Date.now(),
      principal: undefined,
      context: undefined,
    },
  };
  return request as unknown as FastifyRequest;
}

/** The door of a process in which every token was seen once. */
async function door(): Promise<{ parts: GateParts; verifier: TokenVerifier; headers: readonly Buffer[] }> {
  const ring = fixtureKeyRing();
  const codec = new EventCodec(
    new EventRegistry(accessEvents),
    ring,
    new SubjectCiphers(new MemorySubjectKeys(), ring),
  );
  const log = new EventLog(new MemoryEventStore(), codec);
  const verifier = new TokenVerifier(ring, NAMES);
  const normalForm = (raw: string): string => `user_${raw}`;
  const principals = new Principals(log, ring, { normalForm, isPersonal: () => false });
  const authenticator = new Authenticator(verifier, principals, new RevocationList(log));
  const headers: Buffer[] = [];
  for (let i = 0; i < PRINCIPALS; i++) {
    const order = { userId: `bench${i}`, roles: ['user'] as const, ttlSeconds: 86_400, now: Date.now(), ...NAMES };
    const token = await signToken(ring, order);
    await authenticator.authenticate(token, Date.now());
    headers.push(Buffer.from(`Bearer ${token}`));
  }
  const parts: GateParts = {
    authenticator,
    denials: new Denials(log, () => undefined),
    rateLimits: new RateLimits({ requests: 1_000_000_000, seconds: 1 }),
    proxies: TrustedProxies.of('off'),
    requestDigests: new RequestDigests(ring),
    isPersonal: () => false,
    now: Date.now,
  };
  return { parts, verifier, headers };
}
