import { type Client, credentials, makeGenericClientConstructor, type ClientReadableStream } from '@grpc/grpc-js';
import { service as healthDefinition } from 'grpc-health-check';

import { RoomApp } from '../../../test/support/room-app.js';
import { until } from '../../../test/support/eventually.js';

/** `grpc.health.v1` says what `GET /health/ready` says (SW4-001 section 5.2). */

interface Told {
  readonly status: string;
}
interface HealthClient extends Client {
  check(asked: object, answer: (error: Error | null, told?: Told) => void): void;
  list(asked: object, answer: (error: Error | null, told?: { readonly statuses: Record<string, Told> }) => void): void;
  watch(asked: object): ClientReadableStream<Told>;
}

const ROOM = 'sw4rm.negotiation_room.NegotiationRoomService';
const REGISTRY = 'sw4rm.registry.RegistryService';

let room: RoomApp;
let health: HealthClient;
beforeAll(async () => {
  room = await RoomApp.open();
  const Health = makeGenericClientConstructor(healthDefinition, 'Health');
  health = new Health(`127.0.0.1:${room.port}`, credentials.createInsecure()) as unknown as HealthClient;
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  health.close();
  await room.dispose();
});

const checked = (service: string): Promise<string> =>
  new Promise((resolve, reject) =>
    health.check({ service }, (error, told) => (error ? reject(error) : resolve(told!.status))),
  );

function storeIsGone(): void {
  jest.spyOn(room.app.parts.platform.eventStore, 'head').mockRejectedValue(new Error('gone'));
}

it('is NOT_SERVING while the event store does not answer, of each service and of the whole server, and SERVING again after', async () => {
  for (const name of ['', ROOM, REGISTRY]) expect(await checked(name)).toBe('SERVING');
  storeIsGone();
  for (const name of ['', ROOM, REGISTRY]) expect([name, await checked(name)]).toEqual([name, 'NOT_SERVING']);
  jest.restoreAllMocks();
  for (const name of ['', ROOM, REGISTRY]) expect(await checked(name)).toBe('SERVING');
});

it('is told of all services at once in the same way', async () => {
  storeIsGone();
  const statuses = await new Promise<Record<string, Told>>((resolve, reject) =>
    health.list({}, (error, told) => (error ? reject(error) : resolve(told!.statuses))),
  );
  for (const name of ['', ROOM, REGISTRY]) expect(statuses[name]).toEqual({ status: 'NOT_SERVING' });
});

it('is told to who watches when it changes, and once each time', async () => {
  const seen: string[] = [];
  const watched = health.watch({ service: ROOM });
  watched.on('data', ({ status }: Told) => seen.push(status));
  watched.on('error', () => undefined);
  await until(() => seen.length === 1);
  storeIsGone();
  await until(() => seen.length === 2);
  jest.restoreAllMocks();
  await until(() => seen.length === 3);
  watched.cancel();
  expect(seen).toEqual(['SERVING', 'NOT_SERVING', 'SERVING']);
});

it('is unknown of a service that there is not, whose name is not kept for who watches it', async () => {
  await expect(checked('no.such.Service')).rejects.toThrow(/NOT_FOUND/);
  const kept = jest.spyOn(Map.prototype, 'set');
  const watched = health.watch({ service: 'no.such.Service' });
  watched.on('error', () => undefined);
  const told = await new Promise<Told>((resolve) => watched.once('data', resolve));
  watched.cancel();
  expect([told.status, kept.mock.calls.filter(([key]) => key === 'no.such.Service')]).toEqual(['SERVICE_UNKNOWN', []]);
});
