import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import metadata from 'libphonenumber-js/max/metadata';

import { BRAINSTATE_DEFAULTS } from '#lib/brainstate';
import { GOVERNANCE_DEFAULTS } from '#lib/governance';
import { shownName } from '#lib/kernel';
import { PRIVACY_DEFAULTS } from '#lib/privacy';
import { ROUTER_DEFAULTS } from '#lib/routing';
import { SELFREP_DEFAULTS } from '#lib/selfrep';

import { ConfigurationFolder, CONFIGURATION, PROJECT_ROOT } from './configuration-files.js';

const NAMES = readdirSync(join(PROJECT_ROOT, 'config'))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

describe('the files of config/', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mace-config-'));
    cpSync(join(PROJECT_ROOT, 'config'), folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const text = (name: string): string => readFileSync(join(folder, `${name}.json`), 'utf8');
  const refusal = (name: string, body: unknown): string => {
    writeFileSync(join(folder, `${name}.json`), typeof body === 'string' ? body : JSON.stringify(body));
    try {
      new ConfigurationFolder(folder).read(name);
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('it was not refused');
  };
  const changed = (name: string, change: object): object => ({ ...(JSON.parse(text(name)) as object), ...change });

  test.each(NAMES)('%s.json has a schema, and keeps to it', (name) => {
    expect(() => CONFIGURATION.read(name)).not.toThrow();
  });

  it('of the release say what each library takes for granted where nobody says otherwise', () => {
    expect(CONFIGURATION.read('router')).toEqual(ROUTER_DEFAULTS);
    expect(CONFIGURATION.read('selfrep')).toEqual(SELFREP_DEFAULTS);
    expect(CONFIGURATION.read('brainstate')).toEqual(BRAINSTATE_DEFAULTS);
    expect(CONFIGURATION.read('governance')).toMatchObject({ ...GOVERNANCE_DEFAULTS });
    expect(CONFIGURATION.read('privacy')).toEqual(PRIVACY_DEFAULTS);
  });

  describe.each(NAMES)('%s.json', (name) => {
    const refused = (body: unknown): string => {
      const message = refusal(name, body);
      expect(message.startsWith(`config/${name}.json: `)).toBe(true);
      return message.slice(`config/${name}.json: `.length);
    };
    const body = (): Members =>
      JSON.parse(readFileSync(join(PROJECT_ROOT, 'config', `${name}.json`), 'utf8')) as Members;

    it('is refused where a folder stands in its place, with what should', () => {
      rmSync(join(folder, `${name}.json`));
      mkdirSync(join(folder, `${name}.json`));
      expect(() => new ConfigurationFolder(folder).read(name)).toThrow(
        `config/${name}.json: a folder, and a file should stand there`,
      );
    });

    it('is refused where it is missing, no JSON, or no object', () => {
      expect(refused('{')).toMatch(/JSON/);
      expect(refused('')).toMatch(/JSON/);
      for (const other of [null, [], 1, '"text"', true]) expect(refused(other)).toMatch(/^\/: an object/);
      rmSync(join(folder, `${name}.json`));
      expect(() => new ConfigurationFolder(folder).read(name)).toThrow(
        `config/${name}.json: missing; there is one in the release`,
      );
    });

    it('is refused with a member that nobody reads, by the names of those there are', () => {
      const known = Object.keys(body());
      const told = refused({ ...body(), colour: 'red' });
      expect(told).toMatch(/^\/colour: unknown; there are /);
      for (const member of known) expect(told).toContain(member);
      for (const inherited of ['constructor', 'toString']) {
        expect(refused({ ...body(), [inherited]: 1 })).toMatch(new RegExp(`^/${inherited}: unknown`));
      }
    });

    it('is refused without any of its members, by its pointer and form', () => {
      for (const member of Object.keys(body())) {
        const { [member]: _, ...rest } = body();
        expect(refused(rest)).toMatch(new RegExp(`^/${member}: missing; (an? |true|one of )`));
      }
    });

    it('is refused with a member whose name is spelled wrong, by the wrong name and the right one', () => {
      for (const member of Object.keys(body())) {
        const { [member]: value, ...rest } = body();
        const told = refused({ ...rest, [`${member}s`]: value });
        const [wrong, right] = told.split(': unknown; there are ');
        expect(wrong).toBe(`/${shownName(`${member}s`)}`);
        expect(right!.split(', ')).toContain(member);
      }
    });

    it('is refused with any member of another type, or out of its range, by its pointer and form', () => {
      for (const [pointer, value, put] of leaves(body())) {
        for (const wrong of [null, {}, 'a text that is none of those allowed', [[]], Number.MAX_VALUE, -1, 1e-12]) {
          if (typeof wrong === typeof value && !isOutside(wrong)) continue;
          const told = refused(put(wrong));
          expect(told).toMatch(new RegExp(`^${pointer}(/[0-9]+)?: `));
          expect(told).toMatch(/: (an? (whole )?(number|text|list|object)|true or false|one of )/);
        }
      }
    });
  });

  it('let the category of a type of personal data be raised, and never lowered', () => {
    const { categories } = PRIVACY_DEFAULTS;
    const raised = changed('privacy', { categories: { ...categories, first_name: 'medium', email: 'high' } });
    writeFileSync(join(folder, 'privacy.json'), JSON.stringify(raised));
    expect(new ConfigurationFolder(folder).read('privacy')).toEqual(raised);
    expect(refusal('privacy', changed('privacy', { categories: { ...categories, us_ssn: 'medium' } }))).toBe(
      "config/privacy.json: /categories/us_ssn: one of high. Of highest sensitivity: it is kept under a consent and with the council's word alone.",
    );
    expect(refusal('privacy', changed('privacy', { categories: { ...categories, phone: 'low' } }))).toBe(
      'config/privacy.json: /categories/phone: one of medium, high. A category may be raised, and not lowered.',
    );
  });

  it('name every region that has a numbering plan, and no other', () => {
    const schema = JSON.parse(readFileSync(join(folder, 'schema', 'privacy.schema.json'), 'utf8')) as {
      properties: { phone_regions: { items: { enum: string[] } } };
    };
    expect(schema.properties.phone_regions.items.enum).toEqual(Object.keys(metadata.countries).sort());
  });

  it('are refused with the name of the file, the member and its allowed form', () => {
    expect(refusal('router', changed('router', { min_score: 2 }))).toBe(
      'config/router.json: /min_score: a number from 0 to 1. Score from which a module is chosen.',
    );
    expect(refusal('governance', changed('governance', { council_quorum: 2.5 }))).toBe(
      'config/governance.json: /council_quorum: a whole number from 1 to 25. Approvals and rejections that decide a request (COUNCIL_QUORUM).',
    );
    expect(refusal('governance', changed('governance', { council_quorum: 3, council_members: ['user_anna'] }))).toMatch(
      /^config\/governance\.json: refused, it would lock everybody out: council_quorum 3 could never be met by 1 /,
    );
    expect(refusal('safety', changed('safety', { refused_phrases: ['your'] }))).toBe(
      'config/safety.json: refused, it would lock everybody out: the answer "Your favorite color is blue." would be refused: a rule of the safety policy refuses this text',
    );
    expect(refusal('router', changed('router', { min_score: 0.5 }))).toMatch(
      /^config\/router\.json: refused, it would lock everybody out: no built-in agent as it begins /,
    );
    const slow = { own_intents: { refund: { patterns: ['(?:a|b)+c'], actions: [] } } };
    expect(refusal('router', changed('router', slow))).toBe(
      'config/router.json: /own_intents/refund/patterns/0: repeats without end (+): write how often at most, as in {1,40}',
    );
    expect(refusal('governance', { council_quorum: 3 })).toMatch(
      /^config\/governance\.json: \/actionrequest_timeout_ms: missing; a whole number from 60000 to /,
    );
    expect(refusal('safety', changed('safety', { colour: 'red' }))).toBe(
      'config/safety.json: /colour: unknown; there are max_answer_length, max_note_length, refused_phrases',
    );
    expect(refusal('agents_allowed_writes', { agents: [{ agent_id: 'agent:x', scopes: ['moon'] }] })).toBe(
      'config/agents_allowed_writes.json: /agents/0/scopes/0: one of user, world, mace, agent, system, config. A scope of canonical keys.',
    );
    expect(refusal('agents_allowed_writes', { agents: [{ agent_id: 'x', scopes: ['world'] }] })).toMatch(
      /^config\/agents_allowed_writes\.json: \/agents\/0\/agent_id: a text like /,
    );
    expect(refusal('privacy', changed('privacy', { phone_regions: ['UK'] }))).toMatch(
      /^config\/privacy\.json: \/phone_regions\/0: one of AC, AD, .*GB.*\. An ISO 3166 region with a numbering plan\.$/,
    );
    expect(refusal('safety', [])).toMatch(/^config\/safety\.json: \/: an object/);
    expect(refusal('safety', '{')).toMatch(/^config\/safety\.json: .*JSON/);
    rmSync(join(folder, 'safety.json'));
    expect(() => new ConfigurationFolder(folder).read('safety')).toThrow(
      'config/safety.json: missing; there is one in the release',
    );
  });
});

type Members = Readonly<Record<string, unknown>>;

/** Below and above every range that a constant has. */
function isOutside(value: unknown): boolean {
  return value === Number.MAX_VALUE || value === -1;
}

/** Every leaf and every empty list of a body: its pointer, its value, and how to put another in its place. */
function leaves(body: unknown, pointer = ''): [string, unknown, (other: unknown) => unknown][] {
  if (typeof body !== 'object' || body === null || Object.keys(body).length === 0) return [[pointer, body, (v) => v]];
  return Object.entries(body).flatMap(([name, member]) =>
    leaves(member, `${pointer}/${name}`).map(([at, value, put]): [string, unknown, (other: unknown) => unknown] => [
      at,
      value,
      (other) => {
        const copy = (Array.isArray(body) ? [...(body as unknown[])] : { ...body }) as Record<string, unknown>;
        copy[name] = put(other);
        return copy;
      },
    ]),
  );
}
