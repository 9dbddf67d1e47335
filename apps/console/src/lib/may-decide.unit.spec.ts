import { mayDecide } from './may-decide.js';

const COUNCIL = { required_approval_type: 'council_quorum', requested_by: 'user_olga' };
const ADMIN = { required_approval_type: 'admin_single', requested_by: 'user_olga' };
const only = (role: string) => (asked: string) => asked === role;

describe('mayDecide', () => {
  it('lets the council on what the council decides and an admin on what one admin decides, and none on the other', () => {
    expect([COUNCIL, ADMIN].map((request) => mayDecide(request, 'user_carl', only('council')))).toEqual([true, false]);
    expect([COUNCIL, ADMIN].map((request) => mayDecide(request, 'user_ada', only('admin')))).toEqual([false, true]);
  });

  it('lets nobody on what they asked for themselves', () => {
    expect([COUNCIL, ADMIN].map((request) => mayDecide(request, 'user_olga', () => true))).toEqual([false, false]);
  });
});
