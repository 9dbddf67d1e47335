import { type ReactNode, useState } from 'react';

import type { AnswerOf, ItemOf, RequestOf } from '#lib/client/browser';

import { useList, useRead } from '../lib/api.js';
import { durationText, words } from '../lib/format.js';
import { Link, pathTo } from '../lib/router.js';
import { useSession } from '../lib/session.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { ChoiceField, memberOf, TextField, textOf } from '../ui/field.js';
import { Empty, Loading, Notice } from '../ui/notice.js';
import { QrCode } from '../ui/qr.js';
import { type Column, List } from '../ui/table.js';
import { Time } from '../ui/time.js';

type Consent = ItemOf<'GET /consents'>;
type Grant = RequestOf<'POST /consents'>['body'];

const PAGE = { query: { limit: 20 } };
const DAY_S = 86_400;

/** What is kept of whoever looks, and what they may do about it. */
export function Me(): ReactNode {
  return (
    <>
      <PageHead title="Your data" />
      <p>What this server keeps of you. Nobody else sees this page; each change below is recorded with your name.</p>
      <SecondFactor />
      <Consents />
      <Requests />
      <Keys />
      <Jobs />
      <ActionRequests />
    </>
  );
}

function SecondFactor(): ReactNode {
  const { elevated, elevated_until: until } = useSession();
  const me = useRead('GET /me', {});
  const [drawn, setDrawn] = useState<AnswerOf<'POST /auth/otp/enrol'> | null>(null);
  return (
    <Section title="Second factor">
      <Loading of={me}>
        {({ user_id: user, roles, second_factor: { enrolled, enrolled_at: at } }) => (
          <>
            <Facts
              of={{
                Person: <bdi>{user}</bdi>,
                Roles: roles.join(', '),
                'Second factor': (
                  <>
                    <Badge state={enrolled ? 'yes' : 'none yet'} tone={enrolled ? 'good' : 'warn'} />{' '}
                    {at === null ? null : (
                      <>
                        since <Time at={at} />
                      </>
                    )}
                  </>
                ),
                'Counts until': elevated ? <Time at={until} /> : undefined,
              }}
            />
            <span className="buttons">
              <Action
                title={enrolled ? 'Replace the second factor' : 'Enrol a second factor'}
                operation="POST /auth/otp/enrol"
                request={(fields) => ({ body: memberOf(fields, 'invitation') })}
                onDone={setDrawn}
              >
                <p>
                  A new secret for one-time codes is drawn and shown once, as a picture for your authenticator.
                  {enrolled ? ' Codes of the secret before it stop working at once.' : ''}
                </p>
                {enrolled ? null : (
                  <TextField
                    label="Invitation code, which an admin gave you"
                    name="invitation"
                    hint="5c9cb3d7-9acd5c16-275ab0a2-0925e6c7"
                    most={64}
                    optional={elevated}
                  />
                )}
              </Action>
              {enrolled || drawn ? <TryCode onDone={() => setDrawn(null)} /> : null}
            </span>
          </>
        )}
      </Loading>
      {drawn ? <Drawn of={drawn} /> : null}
    </Section>
  );
}

function Drawn({ of: { secret, uri } }: { readonly of: AnswerOf<'POST /auth/otp/enrol'> }): ReactNode {
  return (
    <Notice tone="warn">
      <p>
        <strong>This is shown once.</strong> Scan it with your authenticator, or type the secret into it. Then use a
        code: that shows that it works, and takes this picture away.
      </p>
      <QrCode text={uri} label="The secret, for the camera of your authenticator" />
      <p>
        Secret <code>{secret}</code>
      </p>
    </Notice>
  );
}

function TryCode({ onDone }: { readonly onDone: () => void }): ReactNode {
  return (
    <Action
      title="Use a code"
      operation="POST /console/session/step-up"
      request={(fields) => ({ body: { otp: textOf(fields, 'code') } })}
      onDone={onDone}
    >
      <p>For five minutes at most, you may then do what needs a second factor.</p>
      <Code />
    </Action>
  );
}

/** Not named `otp`: that is the code with which an action elevates the session first, and a code works once. */
function Code(): ReactNode {
  return (
    <label>
      One-time code of your authenticator
      <input name="code" inputMode="numeric" autoComplete="one-time-code" pattern="[0-9]{6}" maxLength={6} required />
    </label>
  );
}

/** The types of personal data that a consent can be about. */
export const PII_TYPES = [
  'first_name',
  'email',
  'phone',
  'postal_address',
  'interest',
  'ip_address',
  'mac_address',
  'crypto_wallet',
  'payment_card',
  'iban',
  'bank_account',
  'passport',
  'medical_diagnosis',
  'medical_record',
  'biometric',
  'us_ssn',
  'us_itin',
  'uk_nino',
  'uk_nhs',
  'ca_sin',
  'in_aadhaar',
  'es_nif',
  'es_nie',
  'it_fiscal_code',
  'de_tax_id',
  'pl_pesel',
  'au_tfn',
] as const satisfies readonly Grant['pii_type'][];

const CONSENTS: readonly Column<Consent>[] = [
  { title: 'Of what', cell: ({ pii_type: type }) => words(type) },
  { title: 'Status', cell: ({ status }) => <Badge state={status} /> },
  {
    title: 'What you agreed to',
    cell: ({ consent_text: text, recorded_by: recorder, document_ref: document }) => (
      <>
        <span dir="auto">{text}</span>
        {recorder === null ? null : (
          <small>
            {' '}
            recorded by <bdi>{recorder}</bdi> from <bdi>{document}</bdi>
          </small>
        )}
      </>
    ),
  },
  {
    title: 'For',
    cell: ({ scope, job_seed: seed, idempotency_key: key }) =>
      scope === 'job' ? (
        <>
          one job or write: <code>{seed ?? key}</code>
        </>
      ) : (
        'everything of yours'
      ),
    wide: true,
  },
  { title: 'Given', cell: ({ granted_at: at }) => <Time at={at} />, wide: true },
  {
    title: 'End',
    cell: ({ revoked_at: revoked, expires_at: end }) => <Time at={revoked ?? end} />,
  },
  {
    title: 'Take back',
    cell: ({ consent_id: id, pii_type: type, status }) =>
      status === 'active' ? (
        <Action
          title="Revoke"
          danger
          operation="POST /consents/{consent_id}/revoke"
          request={() => ({ path: { consent_id: id }, body: {} })}
        >
          <p>
            Your consent for {words(type).toLowerCase()} ends at once and for good. What was stored under it is not used
            or returned any more, to nobody; a later consent does not bring it back.
          </p>
        </Action>
      ) : null,
  },
];

function Consents(): ReactNode {
  const list = useList('GET /consents', PAGE);
  return (
    <Section title="Consents" actions={<GiveConsent />}>
      <List
        label="Your consents, oldest first"
        list={list}
        columns={CONSENTS}
        keyOf={({ consent_id: id }) => id}
        empty={<Empty>You gave no consent. Personal data of yours is not stored until you do.</Empty>}
      />
    </Section>
  );
}

function GiveConsent(): ReactNode {
  const [scope, setScope] = useState<Grant['scope']>('persistent');
  return (
    <Action
      title="Give consent"
      operation="POST /consents"
      request={(fields) => ({
        body: {
          pii_type: textOf(fields, 'pii_type') as Grant['pii_type'],
          consent_text: textOf(fields, 'consent_text'),
          ...(scope === 'job'
            ? { scope, ...memberOf(fields, 'job_seed') }
            : { scope, ttl_seconds: Number(textOf(fields, 'days')) * DAY_S }),
        },
      })}
    >
      <p>From then on one type of your personal data may be stored, encrypted under a key of yours.</p>
      <ChoiceField label="Type of data" name="pii_type" of={PII_TYPES} />
      <TextField
        label="What you agree to, without the value"
        name="consent_text"
        hint="MACE may remember my phone number."
        most={4000}
        long
      />
      <ChoiceField
        label="For"
        name="scope"
        of={['persistent', 'job']}
        value={scope}
        onChange={(chosen) => setScope(chosen as Grant['scope'])}
      />
      {scope === 'job' ? (
        <TextField label="Seed of the job" name="job_seed" most={128} />
      ) : (
        <label>
          For how many days
          <input name="days" type="number" min={1} max={365} defaultValue={30} required />
        </label>
      )}
    </Action>
  );
}

export type DsrRow = ItemOf<'GET /me/requests'>;

/** A data-subject request, by a link to how far it is. */
export function DsrLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Link to={pathTo('/dsr/:dsr_id', { dsr_id: id })} title={id}>
      <code className="nowrap">{id.slice(0, 12)}</code>
    </Link>
  );
}

const REQUESTS: readonly Column<DsrRow>[] = [
  { title: 'Request', cell: ({ dsr_id: id }) => <DsrLink id={id} /> },
  { title: 'Kind', cell: ({ kind }) => words(kind) },
  { title: 'Status', cell: ({ status }) => <Badge state={status} /> },
  { title: 'Asked', cell: ({ requested_at: at }) => <Time at={at} /> },
  { title: 'To be decided until', cell: ({ due_at: at }) => <Time at={at} />, wide: true },
];

function Requests(): ReactNode {
  const { user_id: user } = useSession();
  const list = useList('GET /me/requests', PAGE, { every: 5_000 });
  const asking = (kind: 'export' | 'delete') => (fields: FormData) => ({
    body: { kind, user_id: user, identity_proof: { otp: textOf(fields, 'code') } },
  });
  return (
    <Section
      title="Export and deletion"
      actions={
        <span className="buttons">
          <Action title="Export my data" operation="POST /dsr/request" request={asking('export')}>
            <p>
              A package of what you said, were told and allowed is ready at once, for you alone. Each time it is taken
              is recorded.
            </p>
            <Code />
          </Action>
          <Action title="Delete my data" danger operation="POST /dsr/request" request={asking('delete')}>
            <p>
              An admin or the council decides on it within 30 days. Then your keys are destroyed: what you said can be
              read by nobody any more, your running jobs end, and there is no way back. Export first what you want to
              keep.
            </p>
            <Code />
          </Action>
        </span>
      }
    >
      <List
        label="Your requests, oldest first"
        list={list}
        columns={REQUESTS}
        keyOf={({ dsr_id: id }) => id}
        empty={<Empty>You asked for nothing yet.</Empty>}
      />
    </Section>
  );
}

const KEYS: readonly Column<ItemOf<'GET /me/keys'>>[] = [
  {
    title: 'Key',
    cell: ({ key }) => (
      <Link to={`/memory?key=${encodeURIComponent(key)}`} className="cut" title={key}>
        <bdi>{key}</bdi>
      </Link>
    ),
  },
  { title: 'Revision', cell: ({ revision }) => revision, numeric: true },
  {
    title: 'Returned',
    cell: ({ withheld }) => (
      <Badge state={withheld ? 'withheld: its consent has ended' : 'to you'} tone={withheld ? 'warn' : 'good'} />
    ),
  },
];

function Keys(): ReactNode {
  const list = useList('GET /me/keys', PAGE);
  return (
    <Section title="Memory">
      <List
        label="Your keys in memory"
        list={list}
        columns={KEYS}
        keyOf={({ key }) => key}
        empty={<Empty>Nothing is remembered of you.</Empty>}
      />
    </Section>
  );
}

const JOBS: readonly Column<ItemOf<'GET /me/jobs'>>[] = [
  {
    title: 'Job',
    cell: ({ job_id: id }) => (
      <Link to={pathTo('/jobs/:job_id', { job_id: id })} title={id}>
        <code className="nowrap">{id.slice(0, 12)}</code>
      </Link>
    ),
  },
  { title: 'Asked', cell: ({ created_at: at }) => <Time at={at} /> },
  { title: 'Status', cell: ({ status }) => <Badge state={status} /> },
  { title: 'Agent', cell: ({ agent_id: agent }) => <bdi>{agent}</bdi>, wide: true },
  { title: 'Took', cell: ({ duration_ms: ms }) => (ms === null ? '' : durationText(ms)), numeric: true, wide: true },
];

function Jobs(): ReactNode {
  const list = useList('GET /me/jobs', PAGE);
  return (
    <Section title="Jobs">
      <List
        label="Your jobs, newest first"
        list={list}
        columns={JOBS}
        keyOf={({ job_id: id }) => id}
        empty={<Empty>You asked nothing yet.</Empty>}
      />
    </Section>
  );
}

const ACTIONS: readonly Column<ItemOf<'GET /me/action-requests'>>[] = [
  {
    title: 'Request',
    cell: ({ request_id: id }) => (
      <Link to={pathTo('/decisions/:request_id', { request_id: id })} title={id}>
        <code className="nowrap">{id.slice(0, 12)}</code>
      </Link>
    ),
  },
  { title: 'Action', cell: ({ kind }) => words(kind) },
  { title: 'Status', cell: ({ status }) => <Badge state={status} /> },
  { title: 'Asked', cell: ({ created_at: at }) => <Time at={at} /> },
];

function ActionRequests(): ReactNode {
  const list = useList('GET /me/action-requests', PAGE);
  return (
    <Section title="Actions that you asked for">
      <List
        label="Your requests for actions, newest first"
        list={list}
        columns={ACTIONS}
        keyOf={({ request_id: id }) => id}
        empty={<Empty>You asked for no action that needs approval.</Empty>}
      />
    </Section>
  );
}
