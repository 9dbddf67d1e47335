import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';

import fc from 'fast-check';
import { buildSchema, getOperationAST, OperationTypeNode, parse, validate } from 'graphql';

import { Graphql } from '../../apps/api/src/graphql/graphql.js';
import { CLOSING } from '../../apps/api/src/graphql/sockets/closing.js';
import { GraphqlSocket, type Sent } from '../../apps/api/src/graphql/testing/socket.js';
import { eventually, until } from '../support/eventually.js';
import { Callers, CALLING } from './callers.js';
import { type Said, type Talk, talksOf } from './drawn-talks.js';
import { FuzzedApp } from './fuzzed-app.js';
import { GraphqlAnswers } from './graphql-answers.js';
import { wholeNumber } from './numbers.js';
import { resolvedThings } from './things.js';

const SEED = wholeNumber('MACE_TEST_SEED', 1);
/** Sockets; several things are said over each of them. */
const TALKS = Math.ceil(wholeNumber('MACE_FUZZ_REQUESTS', 1_500) / 15);
const SDL = 'docs/schema.graphql';
/** Those of our own, and those of RFC 6455 that `ws` answers frames with. */
const CODES = new Set<number>([...Object.values(CLOSING).map(([code]) => code), 1002, 1007, 1009]);

jest.setTimeout(180_000 + TALKS * 4_000);

const schema = buildSchema(readFileSync(SDL, 'utf8'));

let fuzzed: FuzzedApp;
let url: string;
beforeAll(async () => {
  fuzzed = await FuzzedApp.open();
  url = `http://127.0.0.1:${(fuzzed.app.parts.app.fastify.server.address() as AddressInfo).port}`;
});
afterAll(() => fuzzed.dispose());

it(`tells over ${TALKS} sockets what subscriptions drawn from ${SDL} and seed ${SEED} ask for, fails at none, hangs at none and keeps none`, async () => {
  const answers = new GraphqlAnswers(schema, []);
  const callers = new Callers(fuzzed.app);
  const seen = new Map<string, number>();
  const talk = async (drawn: Talk): Promise<void> => {
    const { sent, queries, closed } = await held(drawn, callers);
    const faults = [
      ...sent.flatMap((message) => faultsOf(message, queries, answers)),
      ...(closed === undefined || CODES.has(closed) ? [] : [`closed with ${closed}`]),
    ];
    for (const kind of [...sent.map(({ type }) => type), ...(closed === undefined ? [] : [`closed ${closed}`])])
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  };
  const talks = fc.noBias(talksOf(schema, fuzzed.drawing, CALLING));
  await fc.assert(fc.asyncProperty(talks, talk), { seed: SEED, numRuns: TALKS });
  // Each of these was to be drawn: what is never answered is never tried. A few talks draw no rare kind.
  const rare = ['error', 'pong', 'closed 4400', 'closed 4401', 'closed 4409'];
  for (const kind of ['connection_ack', 'next', 'complete', ...(TALKS > 100 ? rare : [])])
    expect([kind, (seen.get(kind) ?? 0) > 0]).toEqual([kind, true]);
  const { nest } = fuzzed.app.parts.app;
  await until(() => nest.get(Graphql).open.sockets === 0, 'the end of every socket');
  expect(nest.get(Graphql).open).toEqual({ sockets: 0, subscriptions: 0 });
});

/** Says it all, and waits until the server has handled it or closed. @throws Error where it hangs */
async function held({ caller, init, says }: Talk, callers: Callers) {
  const token = (await callers.tokenOf(caller)) ?? 'none';
  const authorization = `Bearer ${token}`;
  const byHeader = init === 'header' || init === 'both';
  const client = await GraphqlSocket.open(url, byHeader ? { authorization } : {});
  const queries = new Map<string, string[]>();
  const say = (message: unknown): void => {
    if (client.socket.readyState === client.socket.OPEN) client.say(message);
  };
  try {
    if (init !== 'none') say({ type: 'connection_init', ...(init === 'header' ? {} : { payload: { authorization } }) });
    if (init === 'twice') say({ type: 'connection_init', payload: { authorization } });
    for (const one of says) {
      const [id, query] = subscribedBy(one);
      if (id !== undefined) queries.set(id, [...(queries.get(id) ?? []), query]);
      say(messageOf(one, callers.userOf(caller)));
    }
    // In turn: it is answered once everything before was handled.
    say({ type: 'ping' });
    const pings =
      1 + says.filter((one) => one.kind === 'text' && /^\{"type":"ping","payload":\{/.test(one.text)).length;
    const pongs = (): number => client.sent.filter(({ type }) => type === 'pong').length;
    await eventually(() => (pongs() >= pings || client.closed ? true : null), 'an answer, or the end of the socket');
    return { sent: client.sent, queries, closed: client.closed?.code };
  } finally {
    client.close();
  }
}

/** Under which id a document goes, also one that was written out by hand. */
function subscribedBy(said: Said): readonly [id: string | undefined, query: string] {
  if (said.kind === 'subscribe') return [said.id, said.asked.query];
  const [, id] = (said.kind === 'text' && /^\{"type":"subscribe","id":"([^"]+)"/.exec(said.text)) || [];
  return [id, 'subscription { eventTail { __typename } }'];
}

function messageOf(said: Said, user: string): unknown {
  switch (said.kind) {
    case 'subscribe':
      return { type: 'subscribe', id: said.id, payload: resolvedThings(said.asked, fuzzed.lookUp(user)) };
    case 'complete':
      return { type: 'complete', id: said.id };
    case 'text':
      return said.text;
    case 'bytes':
      return Buffer.from(said.bytes);
  }
}

/** Whether it may be followed. */
function isSound(query: string): boolean {
  try {
    const document = parse(query);
    return (
      getOperationAST(document)?.operation === OperationTypeNode.SUBSCRIPTION && validate(schema, document).length === 0
    );
  } catch {
    return false;
  }
}

const KNOWN = new Set(['connection_ack', 'next', 'error', 'complete', 'ping', 'pong']);

function faultsOf(
  { type, id = '', payload }: Sent,
  queries: ReadonlyMap<string, readonly string[]>,
  answers: GraphqlAnswers,
): readonly string[] {
  if (!KNOWN.has(type)) return [`a message of type ${type}`];
  if (type !== 'next' && type !== 'error') return [];
  const asked = queries.get(id);
  if (!asked) return [`${type} for an id that nobody said`];
  if (type === 'error') return answers.faultsOf(asked[0], { errors: payload });
  // A name that was given to several documents is that of any of them that may be followed.
  const found = asked.filter(isSound).map((query) => answers.faultsOf(query, payload));
  if (found.length === 0) return ['next of a document that is none of the schema'];
  return found.some((faults) => faults.length === 0) ? [] : found[0]!;
}
