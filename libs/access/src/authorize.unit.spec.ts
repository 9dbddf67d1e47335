import { authorize, ElevationRequiredError, LOCAL_PRINCIPAL } from './authorize.js';
import { PERMISSIONS, permissionOf, type PermissionName } from './permissions.js';
import { ROLES, type Principal, type Role } from './principal.js';

const names = Object.keys(PERMISSIONS) as PermissionName[];
const as = (role: Role, elevated = true): Principal => ({ id: 'user_x', roles: [role], elevated });
const may = (principal: Principal, name: PermissionName): boolean => {
  try {
    authorize(principal, name);
    return true;
  } catch {
    return false;
  }
};

describe('who may do what', () => {
  test.each(names.filter((name) => !permissionOf(name).localOnly))(
    '%s opens for its roles and what includes them, for nobody else',
    (name) => {
      const listed = new Set<Role>(permissionOf(name).roles);
      for (const role of ROLES) {
        const included = role === 'superadmin' ? ['admin', 'operator'] : role === 'admin' ? ['operator'] : [];
        const expected = listed.has(role) || included.some((other) => listed.has(other as Role));
        expect({ role, may: may(as(role), name) }).toEqual({ role, may: expected });
      }
    },
  );

  test.each(names.filter((name) => permissionOf(name).elevated === true))('%s asks for a second factor', (name) => {
    expect(() => authorize(as('superadmin', false), name)).toThrow(ElevationRequiredError);
  });

  test('one acts under the least powerful role that opens the door', () => {
    expect(authorize({ id: 'user_x', roles: ['admin', 'user'], elevated: false }, 'jobs.create')).toBe('user');
    expect(authorize(as('superadmin'), 'projections.read')).toBe('operator');
  });

  test('what is for the data folder’s holder opens for nobody else, even of the same name and role', () => {
    expect(may(LOCAL_PRINCIPAL, 'principals.register')).toBe(true);
    expect(may({ ...LOCAL_PRINCIPAL }, 'principals.register')).toBe(false);
  });

  test('the holder of the data folder may do everything', () => {
    for (const name of names) expect({ name, may: may(LOCAL_PRINCIPAL, name) }).toEqual({ name, may: true });
  });
});
