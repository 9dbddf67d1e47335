import type { FastifyRequest } from 'fastify';

import type { MaceError } from '#lib/kernel';

import { bearerToken, refuseRepeatedHeaders } from './bearer.js';

type Asked = Pick<FastifyRequest, 'headers' | 'raw'>;

/** A request on a connection, with header lines as they were sent. */
function request(socket: object, ...lines: (readonly [name: string, value: string])[]): Asked {
  const headers = Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value]));
  return { headers, raw: { rawHeaders: lines.flat(), socket } } as unknown as Asked;
}

describe('the bearer token of a request', () => {
  it('is that of this request, whatever the connection sent before', () => {
    const socket = {};
    const asked = (...lines: [string, string][]): string | undefined => bearerToken(request(socket, ...lines));
    expect(asked(['Authorization', 'Bearer one'])).toBe('one');
    expect(asked(['Authorization', 'Bearer one'])).toBe('one');
    expect(asked(['Authorization', 'Bearer two'])).toBe('two');
    expect(asked()).toBeUndefined();
    expect(asked(['Authorization', 'Basic one'])).toBeUndefined();
    expect(asked(['Authorization', 'Basic one'])).toBeUndefined();
    expect(asked(['Authorization', 'Bearer one'])).toBe('one');
  });

  it('is not taken from another connection', () => {
    expect(bearerToken(request({}, ['authorization', 'bearer one']))).toBe('one');
    expect(bearerToken(request({}))).toBeUndefined();
  });
});

describe('headers that came twice', () => {
  const refusal = (...lines: [string, string][]): string => {
    try {
      refuseRepeatedHeaders(request({}, ...lines));
      return 'none';
    } catch (error) {
      return (error as MaceError).developerMessage;
    }
  };

  it('are refused where the second would be dropped, whatever their spelling', () => {
    expect(refusal(['Authorization', 'Bearer one'], ['authorization', 'Bearer two'])).toMatch(/^authorization: /);
    expect(refusal(['Host', 'a'], ['Accept', '*/*'], ['HOST', 'b'])).toMatch(/^host: /);
  });

  it('are taken where both are kept', () => {
    expect(refusal(['Accept', 'text/plain'], ['Accept', '*/*'], ['Host', 'a'])).toBe('none');
    expect(refusal(['Host', 'a'], ['Authorization', 'Bearer one'])).toBe('none');
  });
});
