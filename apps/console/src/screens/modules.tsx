import type { ReactNode } from 'react';

import type { ItemOf, RequestOf } from '#lib/client/browser';

import { useList } from '../lib/api.js';
import { grouped } from '../lib/format.js';
import { go, Link, pathTo, usePlace } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { PageHead } from '../ui/facts.js';
import { ChoiceField, linesOf, TextField, textOf } from '../ui/field.js';
import { chosen, type Filter, Filters } from '../ui/filters.js';
import { Empty } from '../ui/notice.js';
import { type Column, List } from '../ui/table.js';
import { Time } from '../ui/time.js';

export { Module } from './module.js';

type Module = ItemOf<'GET /modules'>;
type Registration = RequestOf<'POST /module/register'>['body'];

const TYPES = ['agent', 'tool', 'service', 'router', 'adapter', 'memory'] as const;
const FILTERS: readonly Filter[] = [
  { name: 'type', label: 'Type', kind: 'choice', options: TYPES },
  { name: 'status', label: 'Health', kind: 'choice', options: ['healthy', 'degraded', 'offline', 'quarantined'] },
];

const COLUMNS: readonly Column<Module>[] = [
  {
    title: 'Module',
    cell: ({ node_id: id, display_name: name }) => (
      <>
        <Link to={pathTo('/modules/:node_id', { node_id: id })}>
          <bdi>{id}</bdi>
        </Link>{' '}
        <small dir="auto">{name}</small>
      </>
    ),
  },
  {
    title: 'Health',
    cell: ({ status, status_reason: reason }) => (
      <>
        <Badge state={status} /> <small>{reason}</small>
      </>
    ),
  },
  {
    title: 'Trust',
    cell: ({ apt }) => (
      <>
        {apt} <progress max={1} value={apt} aria-label="Trust, of 1" />
      </>
    ),
    numeric: true,
  },
  {
    title: 'Called',
    cell: ({ callable }) => <Badge state={callable ? 'yes' : 'no'} tone={callable ? 'good' : 'warn'} />,
    wide: true,
  },
  { title: 'Calls', cell: ({ metrics }) => grouped(metrics.total_calls), numeric: true, wide: true },
  {
    title: 'Failures in a row',
    cell: ({ metrics }) => grouped(metrics.consecutive_failures),
    numeric: true,
    wide: true,
  },
  { title: 'Changed', cell: ({ last_updated: at }) => <Time at={at} />, wide: true },
];

/** Modules with their health and trust. */
export function Modules(): ReactNode {
  const { query } = usePlace();
  const isAdmin = hasRole(useSession(), 'admin');
  const list = useList('GET /modules', { query: { ...chosen(query, FILTERS), limit: 100 } }, { every: 5_000 });
  return (
    <>
      <PageHead title="Agents and trust">{isAdmin ? <Register /> : null}</PageHead>
      <Filters of={FILTERS} />
      <List
        label="Modules by name"
        list={list}
        columns={COLUMNS}
        keyOf={({ node_id: id }) => id}
        empty={
          <Empty>
            {query.has('type') || query.has('status')
              ? 'No module is like that. Clear a filter.'
              : 'No module is registered yet. Register one above, or: mace module register'}
          </Empty>
        }
      />
    </>
  );
}

function Register(): ReactNode {
  return (
    <Action
      title="Register a module"
      operation="POST /module/register"
      request={(fields) => ({ body: registrationOf(fields) })}
      onDone={(answer) =>
        go(
          'request_id' in answer && typeof answer.request_id === 'string'
            ? pathTo('/decisions/:request_id', { request_id: answer.request_id })
            : pathTo('/modules/:node_id', { node_id: answer.node_id }),
        )
      }
    >
      <p>
        It begins degraded, until events have shown what it is worth. One that may write to memory waits for the
        council: then you see the request.
      </p>
      <TextField label="Id" name="node_id" hint="agent:math_v2" most={80} />
      <ChoiceField label="Type" name="type" of={TYPES} />
      <TextField label="Name" name="display_name" hint="Mathematics" most={120} />
      <TextField label="Version" name="version" hint="2.0.0" most={40} />
      <TextField label="Capabilities, one a line" name="capabilities" most={2_000} long optional />
      <TextField label="Depends on, one id a line" name="dependencies" most={2_000} long optional />
      <TextField label="Allowed actions, one a line" name="allowed" hint="compute" most={2_000} long optional />
      <TextField label="Forbidden actions, one a line" name="forbidden" hint="sem.write" most={2_000} long optional />
    </Action>
  );
}

function registrationOf(fields: FormData): Registration {
  const [allowed, forbidden] = [linesOf(fields, 'allowed'), linesOf(fields, 'forbidden')];
  const capabilities = linesOf(fields, 'capabilities');
  const dependencies = linesOf(fields, 'dependencies').map((to) => ({ to, required: true }));
  return {
    node_id: textOf(fields, 'node_id'),
    type: textOf(fields, 'type') as Registration['type'],
    display_name: textOf(fields, 'display_name'),
    version: textOf(fields, 'version'),
    ...(capabilities.length === 0 ? {} : { capabilities }),
    ...(dependencies.length === 0 ? {} : { dependencies }),
    ...(allowed.length + forbidden.length === 0
      ? {}
      : { policy: { allowed_actions: allowed, forbidden_actions: forbidden } }),
  };
}
