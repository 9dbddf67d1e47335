/** Examples of the documentation. */

const SNAPSHOT = '5d0f8a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7';

export const HISTORY_DIFF = {
  from: '40',
  to: '97',
  items: [
    {
      kind: 'memory',
      stream: 'sem-user/profile/user_tuff/favorite_color',
      change: 'changed',
      from_version: 1,
      to_version: 2,
      differences: [{ pointer: '/value', from: '[personal 3f2a9c0d]', to: '[personal 9b0c1d2e]' }],
    },
    {
      kind: 'policy',
      stream: 'policy-governance',
      change: 'changed',
      from_version: 1,
      to_version: 2,
      differences: [
        { pointer: '/body/council_quorum', from: 2, to: 3 },
        { pointer: '/snapshot_id', from: '0'.repeat(64), to: SNAPSHOT },
      ],
    },
  ],
  next_cursor: null,
  position: '97',
};

export const HISTORY_FORMS = {
  'items.change': { type: 'string', enum: ['created', 'changed', 'removed', 'rewritten', 'unreadable'] },
  'items.reason?': { type: 'string', description: 'Why a stream is unreadable.' },
  'items.differences.from': {},
  'items.differences.to': {},
};
