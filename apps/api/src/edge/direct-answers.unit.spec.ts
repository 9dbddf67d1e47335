import { fastify } from 'fastify';

import { type DirectParts, answerDirectly } from './direct-answers.js';

/** A failure that cannot be told of. */
function unspeakable(): Error {
  return Object.defineProperty(new Error(), 'message', {
    get: () => {
      throw new Error('a failure of the failure');
    },
  });
}

class Failing {
  sync(): never {
    throw unspeakable();
  }

  promised(): Promise<never> {
    return Promise.reject(unspeakable());
  }

  sound(): object {
    return { sound: true };
  }
}

/** A server of nothing but these handlers; the log reads what is thrown, as the real one does. */
function serve(method: keyof Failing, parts: Partial<DirectParts> = {}) {
  const logged: unknown[] = [];
  const server = fastify();
  answerDirectly(server, {
    controllerOf: () => new Failing(),
    listener: { fault: (thrown) => void logged.push((thrown as Error).message), refused: () => undefined },
    ...parts,
  });
  const config = { handledBy: { controller: Failing, method } } as never;
  server.get('/', { config }, () => 'by Nest');
  return { ask: () => server.inject({ method: 'GET', url: '/' }), logged };
}

describe('a handler that is answered directly', () => {
  let unhandled: jest.Mock;
  beforeEach(() => void process.on('unhandledRejection', (unhandled = jest.fn())));
  afterEach(() => void process.off('unhandledRejection', unhandled));

  it.each<keyof Failing>(['sync', 'promised'])(
    'has its connection ended, and the log told, where its failure cannot be answered: %s',
    async (method) => {
      const { ask, logged } = serve(method);
      await expect(ask()).rejects.toThrow(/destroyed/);
      expect(logged).toEqual(['a failure of the failure']);
      await new Promise(setImmediate);
      expect(unhandled).not.toHaveBeenCalled();
    },
  );

  it('has its connection ended where the log fails, too', async () => {
    const fault = (): never => {
      throw new Error('no log');
    };
    await expect(serve('promised', { listener: { fault, refused: () => undefined } }).ask()).rejects.toThrow(
      /destroyed/,
    );
    await new Promise(setImmediate);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('has the envelope answer where there is no controller to call', async () => {
    const controllerOf = (): never => {
      throw new Error('none of that kind');
    };
    const { ask, logged } = serve('sound', { controllerOf });
    const answer = await ask();
    expect([answer.statusCode, answer.json()]).toEqual([500, expect.objectContaining({ error_code: 'AGENT_ERROR' })]);
    expect(logged).toEqual(['none of that kind']);
  });
});
