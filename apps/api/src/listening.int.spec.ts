import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

import { refuseTakenMetricsPort, refuseTakenPorts } from './listening.js';
import { refusalOf } from './main.refusal.js';

let other: Server;
let taken: number;
beforeAll(async () => {
  other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  taken = (other.address() as AddressInfo).port;
});
afterAll(() => other.close());

const grpc = { port: 0, isGiven: false, tls: undefined };
const free = { host: 'localhost', port: 0, metricsPort: undefined, grpc };
const told = async (looking: Promise<void>): Promise<unknown> =>
  looking.then(
    () => 'nothing',
    (error: unknown) => refusalOf(error),
  );

describe('ports, looked at before a folder is opened', () => {
  it('are taken where they are free, and where nobody asked for the Negotiation Room’s', async () => {
    expect(await told(refuseTakenPorts({ ...free, grpc: { ...grpc, port: taken } }))).toBe('nothing');
    expect(await told(refuseTakenMetricsPort(free))).toBe('nothing');
  });

  it('are told as listening tells them where another has them', async () => {
    const main = await told(refuseTakenPorts({ ...free, port: taken }));
    const message = `127.0.0.1:${taken} is in use; stop what listens there, or set MACE_PORT`;
    expect(main).toEqual({ message, exitCode: 69 });
    const metrics = {
      message: expect.stringContaining(`MACE_METRICS_PORT: 127.0.0.1:${taken} `) as string,
      exitCode: 69,
    };
    expect(await told(refuseTakenPorts({ ...free, metricsPort: taken }))).toEqual(metrics);
    expect(await told(refuseTakenMetricsPort({ ...free, metricsPort: taken }))).toEqual(metrics);
    const room = await told(refuseTakenPorts({ ...free, grpc: { ...grpc, port: taken, isGiven: true } }));
    expect(room).toEqual({ message: expect.stringContaining(`MACE_GRPC_PORT: ${taken} `) as string, exitCode: 69 });
  });
});
