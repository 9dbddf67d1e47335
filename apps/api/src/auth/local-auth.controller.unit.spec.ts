import type { CommandContext, Principals, RevocationList, SecondFactors } from '#lib/access';

import type { Config } from '../platform.config.js';
import { LocalAuthController } from './local-auth.controller.js';

const ENROLLED = { secret: 'S', uri: 'otpauth://totp/S' };
const ISSUER = new URL('https://issuer.test/keys');

function socketOf(config: Pick<Config, 'mode' | 'jwksUrl'>) {
  const factors = {
    enrol: jest.fn(() => Promise.resolve(ENROLLED)),
    verifyOneTimeCode: jest.fn(() => Promise.resolve()),
  };
  const principals = { ensure: jest.fn(() => Promise.resolve('user_tuff')) };
  const revocations = { removePrincipal: jest.fn(() => Promise.resolve()) };
  const controller = new LocalAuthController(
    principals as unknown as Principals,
    revocations as unknown as RevocationList,
    factors as unknown as SecondFactors,
    config,
  );
  return { controller, factors, principals, revocations };
}

const ctx = { now: 0 } as CommandContext;
const USER = { user_id: 'tuff' };

describe('the socket in the data folder', () => {
  describe.each([
    ['production', undefined],
    ['production', ISSUER],
    ['development', ISSUER],
  ] as const)('in %s with the issuer %s', (mode, jwksUrl) => {
    it.each<[string, (controller: LocalAuthController) => Promise<unknown>]>([
      ['registers nobody', (controller) => controller.register(USER)],
      ['enrols no code', (controller) => controller.enrol(ctx, USER)],
      ['takes no code', (controller) => controller.verify(ctx, { ...USER, otp: '123456' })],
    ])('%s, and does nothing', async (_, ask) => {
      const { controller, factors, principals } = socketOf({ mode, jwksUrl });
      await expect(ask(controller)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
      for (const done of [factors.enrol, factors.verifyOneTimeCode, principals.ensure]) {
        expect(done).not.toHaveBeenCalled();
      }
    });

    it('still voids a person’s tokens', async () => {
      const { controller, revocations } = socketOf({ mode, jwksUrl });
      expect(await controller.remove(ctx, USER)).toEqual({ user_id: 'user_tuff' });
      expect(revocations.removePrincipal).toHaveBeenCalledTimes(1);
    });
  });

  it('registers, enrols and takes a code in development', async () => {
    const { controller, factors } = socketOf({ mode: 'development', jwksUrl: undefined });
    expect(await controller.register(USER)).toEqual({ user_id: 'user_tuff' });
    expect(await controller.enrol(ctx, USER)).toBe(ENROLLED);
    expect(await controller.verify(ctx, { ...USER, otp: '123456' })).toEqual({ user_id: 'user_tuff' });
    expect(factors.verifyOneTimeCode).toHaveBeenCalledWith('user_tuff', '123456', 0);
  });
});
