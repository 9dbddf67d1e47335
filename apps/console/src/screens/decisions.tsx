import type { ReactNode } from 'react';

import type { ItemOf } from '#lib/client/browser';

import { useList, useRead } from '../lib/api.js';
import { grouped, words } from '../lib/format.js';
import { mayDecide } from '../lib/may-decide.js';
import { go, Link, pathTo, usePlace } from '../lib/router.js';
import { hasRole, type Session, useSession } from '../lib/session.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { PageHead, Section } from '../ui/facts.js';
import { ChoiceField, JsonField, linesOf, memberOf, objectOf, TextField, textOf } from '../ui/field.js';
import { chosen, type Filter, Filters } from '../ui/filters.js';
import { Empty, ReadError, Notice } from '../ui/notice.js';
import { type Column, List, Table } from '../ui/table.js';
import { Time, Until } from '../ui/time.js';

type Row = ItemOf<'GET /actionrequest'>;

const EVERY_MS = 5_000;

/** Requests that wait for whoever looks, and all that they may see. */
export function Decisions(): ReactNode {
  const session = useSession();
  const decides = hasRole(session, 'council', 'admin');
  return (
    <>
      <PageHead title="Decisions to take">
        <span className="buttons">
          {hasRole(session, 'council', 'admin', 'operator', 'agent') ? <Ask /> : null}
          {decides ? <Propose /> : null}
          {hasRole(session, 'superadmin') ? <BeginEmergency /> : null}
        </span>
      </PageHead>
      {decides ? <ToDecide /> : null}
      {hasRole(session, 'council', 'operator', 'auditor', 'admin') ? <Policies /> : null}
      <All />
    </>
  );
}

const mayVote = (row: Row, session: Session): boolean =>
  mayDecide(row, session.user_id, (role) => hasRole(session, role));

function Decider({ of }: { readonly of: Pick<Row, 'required_approval_type' | 'council_quorum'> }): ReactNode {
  return of.required_approval_type === 'admin_single' ? 'one admin' : `${of.council_quorum} of the council`;
}

const REQUEST: Column<Row> = {
  title: 'Request',
  cell: ({ request_id: id }) => (
    <Link to={pathTo('/decisions/:request_id', { request_id: id })} title={id}>
      <code className="nowrap">{id.slice(0, 12)}</code>
    </Link>
  ),
};
const ACTION: Column<Row> = { title: 'Action', cell: ({ kind }) => words(kind) };
const BY: Column<Row> = { title: 'Asked by', cell: ({ requested_by: by }) => <bdi>{by}</bdi>, wide: true };
/** As docs/rest.md describes it; the description of the interface leaves its members open. */
const reviewOf = ({ review_tally: tally }: Row): Row['tally'] | undefined => tally as Row['tally'] | undefined;

const VOTES: Column<Row> = {
  title: 'Votes',
  cell: (row) => {
    const { approve, reject, abstain } = reviewOf(row) ?? row.tally;
    return (
      <>
        {approve} yes, {reject} no{abstain === 0 ? '' : `, ${abstain} abstained`}{' '}
        <small>
          of <Decider of={row} />
          {reviewOf(row) ? ', in the review of an emergency' : ''}
        </small>
      </>
    );
  },
};

const OPEN: readonly Column<Row>[] = [
  REQUEST,
  ACTION,
  BY,
  {
    title: 'Risk',
    cell: ({ risk_class: risk }) => <Badge state={risk} tone={risk === 'low' ? 'plain' : 'warn'} />,
    wide: true,
  },
  VOTES,
  {
    title: 'Until',
    cell: ({ closes_at: at }) =>
      at === null ? null : (
        <>
          <Until at={at} /> <small>{<Time at={at} />}</small>
        </>
      ),
  },
];

function ToDecide(): ReactNode {
  const session = useSession();
  const pending = useRead('GET /actionrequest', { query: { status: 'pending', limit: 200 } }, { every: EVERY_MS });
  // What an emergency did is reviewed afterwards: it is no longer pending, and open all the same.
  const newest = useRead('GET /actionrequest', { query: { limit: 200 } }, { every: EVERY_MS });
  const open = (pending.data?.items ?? []).filter((row) => mayVote(row, session));
  const reviews = (newest.data?.items ?? []).filter(
    (row) => row.status !== 'pending' && row.closes_at !== null && mayVote(row, session),
  );
  const emergencies = hasRole(session, 'admin')
    ? (pending.data?.items ?? []).filter((row) => row.required_approval_type !== 'admin_single')
    : [];
  const deletions = pending.data?.dsr_waiting ?? 0;
  return (
    <>
      {deletions === 0 ? null : (
        <Notice tone="warn">
          <p>
            {grouped(deletions)} {deletions === 1 ? 'deletion' : 'deletions'} of people’s data{' '}
            {deletions === 1 ? 'waits' : 'wait'} for a decision:{' '}
            <Link to="/people?state=waiting_for_approval">People</Link>
          </p>
        </Notice>
      )}
      <Section title="For you to decide">
        <ReadError error={pending.error} retry={pending.refetch} />
        {open.length + reviews.length === 0 ? (
          pending.data === undefined ? null : (
            <Empty>Nothing waits for your word. What you asked for yourself is decided by others.</Empty>
          )
        ) : (
          <Table
            label="Requests for you to decide, newest first"
            items={[...open, ...reviews]}
            columns={OPEN}
            keyOf={({ request_id: id }) => id}
          />
        )}
      </Section>
      {emergencies.length === 0 ? null : (
        <Section title="What an emergency could decide">
          <p className="faint">
            What waits for the council, a superadmin and another admin carry out by two signatures, where it cannot
            wait. The council reviews it afterwards. Sign on the page of the request. What replay holds, the council
            alone lets go on.
          </p>
          <Table
            label="Requests that wait for the council"
            items={emergencies}
            columns={OPEN}
            keyOf={({ request_id: id }) => id}
          />
        </Section>
      )}
    </>
  );
}

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    options: ['pending', 'approved', 'rejected', 'expired', 'executed'],
  },
  { name: 'kind', label: 'Action', kind: 'text', placeholder: 'policy_change' },
];

const ALL: readonly Column<Row>[] = [
  REQUEST,
  ACTION,
  { title: 'Status', cell: ({ status }) => <Badge state={status} /> },
  BY,
  { ...VOTES, wide: true },
  { title: 'Asked', cell: ({ created_at: at }) => <Time at={at} />, wide: true },
];

function All(): ReactNode {
  const { query } = usePlace();
  const list = useList('GET /actionrequest', { query: { ...chosen(query, FILTERS), limit: 100 } }, { every: EVERY_MS });
  return (
    <Section title="All requests that you may see">
      <Filters of={FILTERS} />
      <List
        label="Requests, newest first"
        list={list}
        columns={ALL}
        keyOf={({ request_id: id }) => id}
        empty={
          <Empty>
            {query.has('status') || query.has('kind')
              ? 'No request is like that. Clear a filter.'
              : 'Nobody asked for an action yet. Ask for one above, or: mace governance create'}
          </Empty>
        }
      />
    </Section>
  );
}

const POLICIES = [
  'governance',
  'router',
  'safety',
  'privacy',
  'brainstate',
  'negotiation',
  'agents_allowed_writes',
  'selfrep',
];

function Policies(): ReactNode {
  return (
    <Section title="Policies in force">
      <ul className="row">
        {POLICIES.map((policy) => (
          <li key={policy}>
            <Link to={pathTo('/policies/:policy', { policy })}>{words(policy)}</Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export const toRequest = ({ request_id: id }: { readonly request_id: string }): void =>
  go(pathTo('/decisions/:request_id', { request_id: id }));

/** Proposes a change of a policy. */
export function Propose({ policy }: { readonly policy?: string }): ReactNode {
  return (
    <Action
      title="Propose a policy change"
      operation="POST /governance/policy/propose"
      request={(fields) => ({
        body: {
          policy: textOf(fields, 'policy'),
          change: objectOf(fields, 'change'),
          justification: textOf(fields, 'justification'),
          evidence: linesOf(fields, 'evidence'),
        },
      })}
      onDone={toRequest}
    >
      <p>
        The council votes on it. What it approves holds from the next request on, also after a restart. A change under
        which nobody could decide any more is refused.
      </p>
      <ChoiceField label="Policy" name="policy" of={POLICIES} {...(policy === undefined ? {} : { value: policy })} />
      <JsonField label="Change, as JSON: only what is to be different" name="change" hint='{"max_repair_loops": 2}' />
      <Because />
    </Action>
  );
}

function Because(): ReactNode {
  return (
    <>
      <TextField label="Justification" name="justification" most={4000} long />
      <TextField label="Evidence, one a line" name="evidence" most={8000} long optional />
    </>
  );
}

function Ask(): ReactNode {
  return (
    <Action
      title="Ask for an action"
      operation="POST /actionrequest/create"
      request={(fields) => ({
        body: {
          kind: textOf(fields, 'kind'),
          payload: { action: textOf(fields, 'kind'), ...objectOf(fields, 'payload') },
          justification: textOf(fields, 'justification'),
          evidence: linesOf(fields, 'evidence'),
        },
      })}
      onDone={toRequest}
    >
      <p>Nothing is done before others have approved it; the action itself says who: one admin, or the council.</p>
      <TextField label="Action" name="kind" hint="maintenance" most={64} />
      <JsonField label="What exactly, as JSON" name="payload" hint='{"what": "restart the witness"}' />
      <Because />
    </Action>
  );
}

function BeginEmergency(): ReactNode {
  return (
    <Action
      title="Begin an emergency"
      danger
      operation="POST /superadmin/override"
      request={(fields) => ({
        body: {
          kind: textOf(fields, 'kind'),
          payload: { action: textOf(fields, 'kind'), ...objectOf(fields, 'payload') },
          justification: textOf(fields, 'justification'),
          ...memberOf(fields, 'reason'),
        },
      })}
      onDone={toRequest}
    >
      <p>
        The first of two signatures. Once another admin has signed too, the action is carried out without the council,
        which reviews it afterwards. For a request that is there already, sign on its own page.
      </p>
      <TextField label="Action" name="kind" hint="module_quarantine" most={64} />
      <JsonField label="What exactly, as JSON" name="payload" hint='{"node_id": "agent:math_v1"}' />
      <TextField label="Justification" name="justification" most={4000} long />
      <TextField label="Why it cannot wait" name="reason" most={4000} long />
    </Action>
  );
}
