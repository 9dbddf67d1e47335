import { type ReactNode, useState } from 'react';

import type { AnswerOf, ItemOf, RequestOf } from '#lib/client/browser';

import { useList } from '../lib/api.js';
import { words } from '../lib/format.js';
import { usePlace } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { PageHead, Section } from '../ui/facts.js';
import { ChoiceField, TextField, textOf } from '../ui/field.js';
import { chosen, type Filter, Filters } from '../ui/filters.js';
import { Empty, Notice } from '../ui/notice.js';
import { type Column, List } from '../ui/table.js';
import { Time } from '../ui/time.js';
import { DsrDecision } from './dsr.js';
import { DsrLink, type DsrRow, PII_TYPES } from './me.js';

type Hold = ItemOf<'GET /dsr/holds'>;
type Recorded = AnswerOf<'POST /consents/record'>;
type Filed = RequestOf<'POST /dsr/request'>['body'];

/** Requests of people for their data, legal holds, and what an admin does for a person. */
export function People(): ReactNode {
  const isAdmin = hasRole(useSession(), 'admin');
  const [recorded, setRecorded] = useState<Recorded | null>(null);
  return (
    <>
      <PageHead title="People">
        {isAdmin ? (
          <span className="buttons">
            <File />
            <RecordConsent onDone={setRecorded} />
          </span>
        ) : null}
      </PageHead>
      {recorded ? (
        <Notice tone="good">
          <p>
            Recorded as consent <code>{recorded.consent_id}</code>. The person finds it under “Your data”.
          </p>
        </Notice>
      ) : null}
      {isAdmin ? <Invite /> : null}
      <Queue />
      <Holds isAdmin={isAdmin} />
    </>
  );
}

const FILTERS: readonly Filter[] = [
  {
    name: 'state',
    label: 'Status',
    kind: 'choice',
    options: ['waiting_for_approval', 'approved', 'erasing', 'erased', 'refused', 'ready'],
  },
];

const QUEUE: readonly Column<DsrRow>[] = [
  { title: 'Request', cell: ({ dsr_id: id }) => <DsrLink id={id} /> },
  { title: 'Decide', cell: (row) => <DsrDecision of={row} /> },
  { title: 'Person', cell: ({ user_id: user }) => <bdi>{user}</bdi> },
  { title: 'Kind', cell: ({ kind }) => words(kind) },
  { title: 'Status', cell: ({ status }) => <Badge state={status} /> },
  { title: 'Due', cell: ({ due_at: at }) => <Time at={at} /> },
  { title: 'Asked by', cell: ({ requested_by: by }) => <bdi>{by}</bdi>, wide: true },
  { title: 'Asked', cell: ({ requested_at: at }) => <Time at={at} />, wide: true },
];

function Queue(): ReactNode {
  const { query } = usePlace();
  const list = useList('GET /dsr', { query: { ...chosen(query, FILTERS), limit: 100 } }, { every: 5_000 });
  return (
    <Section title="Data-subject requests">
      <Filters of={FILTERS} />
      <List
        label="Data-subject requests, what is due first stands first"
        list={list}
        columns={QUEUE}
        keyOf={({ dsr_id: id }) => id}
        empty={
          <Empty>
            {query.has('state') ? 'No request is in that state. Clear the filter.' : 'Nobody asked for their data yet.'}
          </Empty>
        }
      />
    </Section>
  );
}

function File(): ReactNode {
  return (
    <Action
      title="File for a person"
      operation="POST /dsr/request"
      request={(fields) => ({
        body: {
          kind: textOf(fields, 'kind') as Filed['kind'],
          user_id: textOf(fields, 'user_id'),
          identity_proof: { document_ref: textOf(fields, 'document_ref'), reason: textOf(fields, 'reason') },
        },
      })}
    >
      <p>For somebody who showed a document. You cannot approve what you file; another admin or the council does.</p>
      <TextField label="Person" name="user_id" hint="tuff" most={128} />
      <ChoiceField label="What they ask for" name="kind" of={['export', 'delete']} />
      <TextField label="Reference of the document" name="document_ref" hint="form-12" most={128} />
      <TextField label="Reason" name="reason" most={1000} long />
    </Action>
  );
}

function RecordConsent({ onDone }: { readonly onDone: (answer: Recorded) => void }): ReactNode {
  return (
    <Action
      title="Record a consent"
      operation="POST /consents/record"
      request={(fields) => ({
        body: {
          user_id: textOf(fields, 'user_id'),
          pii_type: textOf(fields, 'pii_type') as RequestOf<'POST /consents/record'>['body']['pii_type'],
          document_ref: textOf(fields, 'document_ref'),
          reason: textOf(fields, 'reason'),
        },
      })}
      onDone={onDone}
    >
      <p>
        One that a person gave elsewhere, such as on paper; of the types that the privacy policy names. They see it
        among theirs, with your name, and can take it back.
      </p>
      <TextField label="Person" name="user_id" hint="tuff" most={128} />
      <ChoiceField label="Type of data" name="pii_type" of={PII_TYPES} />
      <TextField label="Reference of the document" name="document_ref" hint="form-12" most={128} />
      <TextField label="Reason" name="reason" hint="signed at the counter" most={1000} long />
    </Action>
  );
}

function Invite(): ReactNode {
  const [invited, setInvited] = useState<AnswerOf<'POST /auth/otp/invite'> | null>(null);
  return (
    <Section
      title="Second factors"
      actions={
        <Action
          title="Invite a person to enrol"
          operation="POST /auth/otp/invite"
          request={(fields) => ({ body: { user_id: textOf(fields, 'user_id') } })}
          onDone={setInvited}
        >
          <p>
            A code is drawn with which a person enrols their first second factor. It works once, for 15 minutes, and
            voids the one before it.
          </p>
          <TextField label="Person" name="user_id" hint="tuff" most={256} />
        </Action>
      }
    >
      {invited ? (
        <Notice tone="warn">
          <p>
            <strong>This is shown once.</strong> Give it to <bdi>{invited.user_id}</bdi> by another way; they enter it
            under Your data.
          </p>
          <p>
            <code>{invited.invitation}</code>, until <Time at={invited.expires_at} />
          </p>
          <button type="button" onClick={() => setInvited(null)}>
            Take it away
          </button>
        </Notice>
      ) : null}
    </Section>
  );
}

const HOLDS: readonly Column<Hold>[] = [
  {
    title: 'Evidence',
    cell: ({ evidence_ref: ref }) => <code title={ref}>{ref.slice(0, 16)}</code>,
  },
  {
    title: 'Status',
    cell: ({ lifted_at: lifted }) => (
      <Badge state={lifted === null ? 'held' : 'lifted'} tone={lifted === null ? 'warn' : 'plain'} />
    ),
  },
  {
    title: 'Lifted',
    cell: ({ lifted_at: at, lifted_by: by, lifted_because: because, hold_id: id }) =>
      at === null ? (
        <Action
          title="Lift"
          danger
          operation="POST /dsr/holds/{hold_id}/lift"
          request={(fields) => ({ path: { hold_id: id }, body: { reason: textOf(fields, 'reason') } })}
        >
          <p>The hold ends. Evidence that it kept of somebody who was erased meanwhile is deleted then, for good.</p>
          <TextField label="Reason" name="reason" hint="the proceedings have ended" most={1000} long />
        </Action>
      ) : (
        <>
          <Time at={at} /> by <bdi>{by}</bdi>: <span dir="auto">{because}</span>
        </>
      ),
  },
  { title: 'Reason', cell: ({ reason }) => <span dir="auto">{reason}</span> },
  {
    title: 'Placed',
    cell: ({ placed_at: at, placed_by: by }) => (
      <>
        <Time at={at} /> by <bdi>{by}</bdi>
      </>
    ),
    wide: true,
  },
];

function Holds({ isAdmin }: { readonly isAdmin: boolean }): ReactNode {
  const list = useList('GET /dsr/holds', { query: { limit: 100 } });
  return (
    <Section
      title="Legal holds"
      actions={
        isAdmin ? (
          <Action
            title="Place a hold"
            operation="POST /dsr/holds"
            request={(fields) => ({
              body: { evidence_ref: textOf(fields, 'evidence_ref'), reason: textOf(fields, 'reason') },
            })}
          >
            <p>No deletion removes the evidence while a hold names it.</p>
            <TextField
              label="Evidence, as events name it in evidence_ref"
              name="evidence_ref"
              most={64}
              pattern="[0-9a-f]{64}"
            />
            <TextField label="Reason" name="reason" hint="preservation order 12/2026" most={1000} long />
          </Action>
        ) : null
      }
    >
      <List
        label="Legal holds, oldest first"
        list={list}
        columns={HOLDS}
        keyOf={({ hold_id: id }) => id}
        empty={<Empty>No hold was placed. Deletions remove all forensic evidence of a person.</Empty>}
      />
    </Section>
  );
}
