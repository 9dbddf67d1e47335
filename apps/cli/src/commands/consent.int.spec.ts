import { mace as runMace } from '../testing/mace.js';
import { ServedFolder } from '../testing/served-folder.js';

const KEY = 'user/profile/user_tuff/phone';
const PHONE = '+44 20 7946 0123';

let served: ServedFolder;
let token: string;
beforeAll(async () => {
  served = await ServedFolder.open('consent');
  token = (await mace('token', '--user', 'tuff', '--role', 'user')).out;
});
afterAll(() => served.close());

const mace = (...args: string[]) => runMace('--data', served.path, ...args);

const asTuff = (...args: string[]) => mace('--token', token, ...args);

describe('mace consent', () => {
  const terms = ['--type', 'phone', '--scope', 'persistent', '--ttl', '3600', '--text', 'I agree.'];

  it('grant says with --dry-run what it would send', async () => {
    expect(await asTuff('consent', 'grant', ...terms, '--dry-run')).toEqual({
      code: 0,
      out: 'would send POST /consents {"pii_type":"phone","scope":"persistent","consent_text":"I agree.","ttl_seconds":3600}',
      err: '',
    });
  });

  it('grant lets a value be stored, list shows it, and revoke hides the value for good', async () => {
    expect((await asTuff('sem', 'put', KEY, PHONE)).code).toBe(77);
    const { code, out } = await asTuff('--json', 'consent', 'grant', ...terms);
    expect(code).toBe(0);
    const { consent_id } = JSON.parse(out) as { consent_id: string };
    expect((await asTuff('sem', 'put', KEY, PHONE)).code).toBe(0);
    expect((await asTuff('sem', 'get', KEY)).out).toBe(PHONE);

    const [head, row] = (await asTuff('consent', 'list')).out.split('\n');
    expect(head).toMatch(/^CONSENT_ID +PII_TYPE +SCOPE +STATUS +EXPIRES_AT$/);
    expect(row).toMatch(new RegExp(`^${consent_id} +phone +persistent +active +20`));

    expect((await asTuff('consent', 'revoke', consent_id)).out).toMatch(/^status +revoked$/m);
    expect((await asTuff('sem', 'get', KEY)).code).toBe(1);
    expect((await asTuff('consent', 'revoke', 'f'.repeat(64))).code).toBe(1);
  });

  it('of a value of high sensitivity lets the council decide', async () => {
    await asTuff('consent', 'grant', '--type', 'us_ssn', '--idempotency-key', 'once-1', '--text', 'This once.');
    const key = 'user/profile/user_tuff/ssn';
    const { code, out } = await asTuff('sem', 'put', key, '536-22-8145', '--idempotency-key', 'once-1');
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^${key} {2}waits for the council: ar-[0-9a-f]{32}$`));
  });

  it('record names who gave it, and by which document, and is refused where the policy names no type', async () => {
    const args = [
      'consent',
      'record',
      '--user',
      'tuff',
      '--type',
      'phone',
      '--document',
      'form-12',
      '--reason',
      'signed',
    ];
    expect((await mace(...args, '--dry-run')).out).toBe(
      'would send POST /consents/record {"user_id":"tuff","pii_type":"phone","document_ref":"form-12","reason":"signed"}',
    );
    expect(await mace(...args)).toMatchObject({ code: 77, err: expect.stringContaining('consents_given_elsewhere') });
  });

  it('refuses what is no scope before it sends anything', async () => {
    expect((await asTuff('consent', 'grant', '--type', 'phone', '--scope', 'ever', '--text', 'x')).code).toBe(64);
    expect((await asTuff('consent', 'grant', '--type', 'phone')).code).toBe(64);
  });

  it('grant of a type and a text alone holds for a time, and with the name of a job or write for that one', async () => {
    const said = async (...more: string[]) =>
      (await asTuff('consent', 'grant', '--type', 'phone', '--text', 'I agree.', '--dry-run', ...more)).out;
    expect(await said()).toContain('"scope":"persistent"');
    expect(await said('--job-seed', 's-1')).toContain('"scope":"job"');
    const { code, out } = await asTuff('--json', 'consent', 'grant', '--type', 'ip_address', '--text', 'I agree.');
    expect([code, JSON.parse(out)]).toEqual([0, { consent_id: expect.any(String) as string }]);
  });
});
