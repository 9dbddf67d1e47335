import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
    expect(refusal('safety', [])).toMatch(/^config\/safety\.json: \/: an object/);
    expect(refusal('safety', '{')).toMatch(/^config\/safety\.json: .*JSON/);
    rmSync(join(folder, 'safety.json'));
    expect(() => new ConfigurationFolder(folder).read('safety')).toThrow(
      'config/safety.json: missing; there is one in the release',
    );
  });
});
