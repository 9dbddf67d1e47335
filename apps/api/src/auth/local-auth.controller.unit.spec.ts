import type { CommandContext, Principals, RevocationList, SecondFactors } from '#lib/access';

import type { Config } from '../platform.config.js';
import { LocalAuthController } from './local-auth.controller.js';

const ENROLLED = { secret: 'S', uri: 'otpauth://totp/S' };
const ISSUER = new URL('https://issuer.test/keys');

function enrol(config: Pick<Config, 'mode' | 'jwksUrl'>) {
  const factors = { enrol: jest.fn(() => Promise.resolve(ENROLLED)) };
  const principals = { ensure: jest.fn(() => Promise.resolve('user_tuff')) };
  const controller = new LocalAuthController(
    principals as unknown as Principals,
    {} as RevocationList,
    factors as unknown as SecondFactors,
    config,
  );
  return { answer: controller.enrol({ now: 0 } as CommandContext, { user_id: 'tuff' }), factors, principals };
}

describe('a code enrolled through the socket', () => {
  it.each([
    ['production', undefined],
    ['production', ISSUER],
    ['development', ISSUER],
  ] as const)('is refused in %s with the issuer %s, and nothing is drawn or registered', async (mode, jwksUrl) => {
    const { answer, factors, principals } = enrol({ mode, jwksUrl });
    await expect(answer).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(factors.enrol).not.toHaveBeenCalled();
    expect(principals.ensure).not.toHaveBeenCalled();
  });

  it('is drawn in development', async () => {
    expect(await enrol({ mode: 'development', jwksUrl: undefined }).answer).toBe(ENROLLED);
  });
});
