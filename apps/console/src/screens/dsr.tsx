import { type ReactNode, useState } from 'react';

import type { AnswerOf } from '#lib/client/browser';

import { useRead } from '../lib/api.js';
import { words } from '../lib/format.js';
import { hasRole, useSession } from '../lib/session.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { Download } from '../ui/download.js';
import { Exact } from '../ui/exact.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { TextField, textOf } from '../ui/field.js';
import { Loading } from '../ui/notice.js';
import { Time } from '../ui/time.js';
import type { DsrRow } from './me.js';

type Request = AnswerOf<'GET /dsr/{dsr_id}'>;

const EVERY_MS = 2_000;
const ENDED: readonly string[] = ['ready', 'refused', 'erased'];

/** One data-subject request: how far it is, and what was removed in the end. */
export function Dsr({ parts }: { readonly parts: Readonly<Record<string, string>> }): ReactNode {
  const id = parts['dsr_id']!;
  const [isOver, setOver] = useState(false);
  const { user_id: me } = useSession();
  const request = useRead('GET /dsr/{dsr_id}', { path: { dsr_id: id } }, isOver ? {} : { every: EVERY_MS });
  const ended = request.data !== undefined && ENDED.includes(request.data.status);
  if (ended !== isOver) setOver(ended);
  return (
    <>
      <PageHead title={<>Data-subject request {id.slice(3, 11)}</>}>
        {request.data ? <Badge state={request.data.status} /> : null}
        {request.data ? <DsrDecision of={request.data} /> : null}
      </PageHead>
      <Loading of={request}>
        {(found) => (
          <>
            <Facts
              of={{
                Request: <code>{found.dsr_id}</code>,
                Kind: words(found.kind),
                Person: <bdi>{found.user_id}</bdi>,
                'Asked by': <bdi>{found.requested_by}</bdi>,
                'Identity shown by': found.identity_method === 'otp' ? 'a one-time code' : 'a document',
                Document: found.document_ref === null ? undefined : <bdi>{found.document_ref}</bdi>,
                Reason: found.reason === null ? undefined : <span dir="auto">{found.reason}</span>,
              }}
            />
            {found.kind === 'export' ? (
              <Export id={id} isMine={found.user_id === me} />
            ) : (
              <>
                <Progress of={found} />
                {found.deletion_manifest ? (
                  <Section title="What was removed">
                    <p>
                      Manifest <code>{found.manifest_hash}</code>: the hash of every event, read model, snapshot and
                      piece of evidence that held something of this person.
                    </p>
                    <Exact text={JSON.stringify(found.deletion_manifest)} name={`${id}.manifest.json`} />
                  </Section>
                ) : null}
              </>
            )}
          </>
        )}
      </Loading>
    </>
  );
}

function Export({ id, isMine }: { readonly id: string; readonly isMine: boolean }): ReactNode {
  if (!isMine) return <p className="faint">The package is for the person alone.</p>;
  return (
    <Section title="Package">
      <p>What you said, were told and allowed, up to when you asked. Each time that you take it is recorded.</p>
      <p>
        <Download
          title="Download the package"
          operation="GET /dsr/{dsr_id}/export"
          request={{ path: { dsr_id: id } }}
          name={`${id}.export.json`}
        />
      </p>
    </Section>
  );
}

/** The steps of a deletion, with when each was done. */
function Progress({ of }: { readonly of: Request }): ReactNode {
  const refused = of.refused_at !== null;
  const steps: readonly (readonly [string, string | null, ReactNode])[] = [
    ['Asked for', of.requested_at, null],
    refused
      ? [
          'Refused',
          of.refused_at,
          <span key="why" dir="auto">
            {of.refusal_reason}
          </span>,
        ]
      : [
          'Approved',
          of.approved_at,
          of.approved_at === null ? (
            <>
              to be decided on until <Time at={of.due_at} />
            </>
          ) : (
            <>
              by <bdi>{of.approved_by}</bdi>
            </>
          ),
        ],
    ...(refused
      ? []
      : ([
          ['Nothing of the person is read or stored any more', of.erasure_requested_at, null],
          ['Keys destroyed', of.keys_destroyed_at, 'what was said can be read by nobody'],
          ['Erased', of.erased_at, 'at least 30 seconds later: every other place was looked through'],
        ] as const)),
  ];
  const next = steps.findIndex(([, at]) => at === null);
  return (
    <Section title="How far it is">
      <ol className="steps">
        {steps.map(([name, at, more], i) => (
          <li key={name} aria-current={i === next ? 'step' : undefined}>
            <Badge
              state={at === null ? (i === next ? 'next' : 'not yet') : 'done'}
              tone={name === 'Refused' ? 'bad' : at !== null ? 'good' : i === next ? 'busy' : 'plain'}
            />{' '}
            <strong>{name}</strong> {at === null ? null : <Time at={at} />}{' '}
            {more === null ? null : <small>{more}</small>}
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Approving or refusing a deletion that waits; of nobody who filed it, or whom it is about. */
export function DsrDecision({ of }: { readonly of: DsrRow | Request }): ReactNode {
  const session = useSession();
  const { dsr_id: id, status, kind, user_id: user, requested_by: by } = of;
  if (kind !== 'delete' || status !== 'waiting_for_approval' || !hasRole(session, 'admin', 'council')) return null;
  if ([user, by].includes(session.user_id)) return <small>others decide on it</small>;
  return (
    <span className="buttons">
      <Action
        title="Approve"
        danger
        operation="POST /dsr/{dsr_id}/approve"
        request={() => ({ path: { dsr_id: id }, body: {} })}
      >
        <p>
          Everything that <bdi>{user}</bdi> said becomes unreadable, for good. It takes at least 30 seconds, and nobody
          can undo it.
        </p>
      </Action>
      <Action
        title="Refuse"
        operation="POST /dsr/{dsr_id}/refuse"
        request={(fields) => ({ path: { dsr_id: id }, body: { reason: textOf(fields, 'reason') } })}
      >
        <p>
          The request ends; <bdi>{user}</bdi> reads the reason, and can ask again.
        </p>
        <TextField
          label="Reason, for the person"
          name="reason"
          hint="Your invoices are kept for ten years, as the law asks."
          most={1000}
          long
        />
      </Action>
    </span>
  );
}
