import type { Role } from '#lib/access';

import { mayDelete, mayRead, mayWrite, parseAgentGrants, requireRight, sourceOf } from './access-rules.js';
import { parseCanonicalKey } from './domain/canonical-key.js';
import { principal } from './testing/memory-harness.js';

const GRANTS = parseAgentGrants({ agents: [{ agent_id: 'agent:scribe_v1', scopes: ['world'] }] });
const write = (id: string, roles: readonly Role[], key: string, elevated = false) =>
  mayWrite(principal(id, roles, elevated), parseCanonicalKey(key), GRANTS);

describe('who may write', () => {
  it.each<[string, readonly Role[], string, boolean, string]>([
    ['user_tuff', ['user'], 'user/profile/user_tuff/a', false, 'granted'],
    ['user_tuff', ['user'], 'user/settings/user_tuff/a', false, 'granted'],
    ['user_tuff', ['user'], 'user/profile/user_tuff2/a', false, 'denied'],
    ['user_tuff', ['user'], 'user/profile/user_tuf/a', false, 'denied'],
    ['user_tuff', ['user'], 'world/profile/user_tuff/a', false, 'denied'],
    ['user_tuff', ['user'], 'mace/config/router/a', false, 'denied'],
    ['user_tuff', ['operator'], 'user/profile/user_tuff/a', false, 'denied'],
    ['user_tuff', ['auditor'], 'user/profile/user_eve/a', false, 'denied'],
    ['user_ada', ['admin'], 'user/profile/user_tuff/a', false, 'elevation_required'],
    ['user_ada', ['admin'], 'user/profile/user_tuff/a', true, 'granted'],
    ['user_ada', ['admin'], 'mace/config/router/a', true, 'granted'],
    ['user_ada', ['admin'], 'user/profile/user_ada/a', false, 'granted'],
    ['user_root', ['superadmin'], 'world/fact/x/a', true, 'granted'],
    ['user_scribe_v1', ['agent'], 'world/fact/x/a', false, 'granted'],
    ['user_scribe_v1', ['agent'], 'config/a/x/a', false, 'denied'],
    ['user_scribe_v1', ['user'], 'world/fact/x/a', false, 'denied'],
    ['user_scribe_v2', ['agent'], 'world/fact/x/a', false, 'denied'],
    ['local', ['superadmin'], 'user/profile/user_tuff/a', true, 'granted'],
  ])('%s as %j on %s, elevated %s: %s', (id, roles, key, elevated, right) => {
    expect(write(id, roles, key, elevated).right).toBe(right);
  });

  it('records the role and source under which it was allowed', () => {
    expect(write('user_ada', ['user', 'admin'], 'user/profile/user_ada/a')).toMatchObject({
      role: 'user',
      source: 'user',
    });
    expect(write('user_ada', ['user', 'admin'], 'world/fact/x/a', true)).toMatchObject({
      role: 'admin',
      source: 'system',
    });
    expect(write('user_scribe_v1', ['agent'], 'world/fact/x/a')).toMatchObject({
      role: 'agent',
      source: 'agent:scribe_v1',
    });
  });
});

describe('the source', () => {
  const user = requireRight(write('user_tuff', ['user'], 'user/profile/user_tuff/a'), '');
  const admin = requireRight(write('user_ada', ['admin'], 'user/profile/user_tuff/a', true), '');

  it('is fixed by who writes, and only an elevated admin names another', () => {
    expect(sourceOf(user, undefined)).toBe('user');
    expect(sourceOf(user, 'user')).toBe('user');
    expect(() => sourceOf(user, 'system')).toThrow(/INVALID_INPUT/);
    expect(() => sourceOf(user, 'agent:math_v1')).toThrow(/INVALID_INPUT/);
    expect(sourceOf(admin, 'agent:math_v1')).toBe('agent:math_v1');
    expect(() => sourceOf(admin, 'somebody')).toThrow(/allowed are user, system and agent/);
  });
});

describe('who may delete and read', () => {
  it('lets only an elevated admin delete', () => {
    expect(mayDelete(principal('user_tuff', ['user'], true)).right).toBe('denied');
    expect(mayDelete(principal('user_ada', ['admin'])).right).toBe('elevation_required');
    expect(mayDelete(principal('user_ada', ['admin'], true)).right).toBe('granted');
  });

  it.each<[string, readonly Role[], string, boolean]>([
    ['user_tuff', ['user'], 'user/profile/user_tuff/a', true],
    ['user_eve', ['user'], 'user/profile/user_tuff/a', false],
    ['user_eve', ['auditor'], 'user/profile/user_tuff/a', false],
    ['user_eve', ['operator'], 'user/profile/user_tuff/a', false],
    ['user_ada', ['admin'], 'user/profile/user_tuff/a', true],
    ['user_eve', ['user'], 'world/fact/x/a', true],
    ['user_eve', ['agent'], 'mace/config/x/a', true],
  ])('%s as %j reads %s: %s', (id, roles, key, may) => {
    expect(mayRead(principal(id, roles), parseCanonicalKey(key))).toBe(may);
  });
});
