import { type FormEvent, type ReactNode, useEffect } from 'react';

import { ApiError, type ItemOf } from '#lib/client/browser';

import { useList, useRead } from '../lib/api.js';
import { differencesOf } from '../lib/differences.js';
import { grouped, shortened, words } from '../lib/format.js';
import { go, Link, usePlace, withQuery } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Badge } from '../ui/badge.js';
import { Exact } from '../ui/exact.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { textOf } from '../ui/field.js';
import { type Filter, Filters } from '../ui/filters.js';
import { Empty, Loading } from '../ui/notice.js';
import { type Column, List, Table } from '../ui/table.js';
import { Time } from '../ui/time.js';

type Version = ItemOf<'GET /sem/{scope}/{entity_type}/{entity_id}/{attribute}/history'>;

interface Path {
  readonly scope: string;
  readonly entity_type: string;
  readonly entity_id: string;
  readonly attribute: string;
}

/** What memory holds: keys, and of one key what was written, by whom, and what stood there when. */
export function Memory(): ReactNode {
  const place = usePlace();
  const key = place.query.get('key') ?? '';
  const path = pathOf(key);
  const isAdmin = hasRole(useSession(), 'admin');
  const open = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const wanted = textOf(new FormData(event.currentTarget), 'key');
    go(withQuery(place, { key: wanted, at: undefined }));
  };
  return (
    <>
      <PageHead title="Memory" />
      <form className="filters" role="search" aria-label="A key" onSubmit={open}>
        <label className="grow">
          Key
          <input
            key={key}
            name="key"
            defaultValue={key}
            placeholder="user/profile/user_tuff/favorite_color"
            maxLength={256}
            dir="auto"
          />
        </label>
        <button type="submit">Open</button>
        {key === '' ? null : (
          <button
            type="button"
            className="quiet"
            onClick={() => go(withQuery(place, { key: undefined, at: undefined }))}
          >
            {isAdmin ? 'All keys' : 'Your keys'}
          </button>
        )}
      </form>
      {key === '' ? (
        isAdmin ? (
          <AllKeys />
        ) : (
          <OwnKeys />
        )
      ) : path ? (
        <Key key={key} name={key} path={path} />
      ) : (
        <Empty>
          A key has four parts with slashes between them: scope/entity_type/entity_id/attribute, such as
          world/fact/pi/value.
        </Empty>
      )}
    </>
  );
}

function pathOf(key: string): Path | null {
  const [scope, type, id, attribute, more] = key.split('/');
  if (!scope || !type || !id || !attribute || more !== undefined) return null;
  return { scope, entity_type: type, entity_id: id, attribute };
}

const toKey = (key: string): string => `/memory?key=${encodeURIComponent(key)}`;

function KeyLink({ of }: { readonly of: string }): ReactNode {
  return (
    <Link to={toKey(of)}>
      <bdi>{of}</bdi>
    </Link>
  );
}

const PREFIX: readonly Filter[] = [{ name: 'prefix', label: 'Begins with', kind: 'text', placeholder: 'world/fact/' }];

function AllKeys(): ReactNode {
  const prefix = usePlace().query.get('prefix');
  const list = useList('GET /sem', { query: { limit: 200, ...(prefix === null ? {} : { prefix }) } });
  return (
    <Section title="Keys">
      <Filters of={PREFIX} />
      <List
        label="Keys, in their order"
        list={list}
        columns={[{ title: 'Key', cell: (key) => <KeyLink of={key} /> }]}
        keyOf={(key) => key}
        empty={<Empty>No key begins like that. Take away what stands at its end.</Empty>}
      />
    </Section>
  );
}

function OwnKeys(): ReactNode {
  const list = useList('GET /me/keys', { query: { limit: 200 } });
  return (
    <Section title="Your keys">
      <List
        label="Your keys, in their order"
        list={list}
        columns={[
          { title: 'Key', cell: ({ key }) => <KeyLink of={key} /> },
          { title: 'Revision', cell: ({ revision }) => grouped(revision), numeric: true },
          {
            title: 'Returned',
            cell: ({ withheld }) => (
              <Badge state={withheld ? 'withheld: its consent has ended' : 'yes'} tone={withheld ? 'warn' : 'good'} />
            ),
          },
        ]}
        keyOf={({ key }) => key}
        empty={<Empty>Nothing is remembered of you. What everybody may read is opened by its key.</Empty>}
      />
    </Section>
  );
}

/** Marks in place of a value that nobody can read any more (docs/audit.md). */
const TOMBSTONES: Readonly<Record<string, string>> = {
  '[erased]': 'its person was erased; the key that opened it is destroyed',
  '[revoked]': 'the consent under which it was stored has ended',
};

const tombstoneOf = (value: unknown): string | undefined => (typeof value === 'string' ? TOMBSTONES[value] : undefined);

function Value({ of, isDeleted }: { readonly of: unknown; readonly isDeleted: boolean }): ReactNode {
  const why = tombstoneOf(of);
  if (why !== undefined)
    return (
      <span className="tombstone" title={why}>
        <Badge state={String(of).slice(1, -1)} tone="plain" />
      </span>
    );
  if (isDeleted) return <Badge state="deleted" tone="plain" />;
  const text = typeof of === 'string' ? of : JSON.stringify(of);
  return (
    <span dir="auto" title={text.length > 80 ? 'More of it stands above, once it is chosen.' : undefined}>
      {shortened(text, 80)}
    </span>
  );
}

/** A delete writes null; a value is never null. */
const isDelete = ({ value }: Version): boolean => value === null;

/** The last version that took effect at a place of the list: what is older than what stood there changes nothing. */
function inEffect(versions: readonly Version[], at: number): Version | undefined {
  return versions.slice(0, at + 1).findLast(({ applied }) => applied);
}

function Key({ name, path }: { readonly name: string; readonly path: Path }): ReactNode {
  const place = usePlace();
  const list = useList('GET /sem/{scope}/{entity_type}/{entity_id}/{attribute}/history', {
    path,
    query: { limit: 200 },
  });
  const { data: versions = [], hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  // The slider goes over all of them.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const chosen = place.query.get('at');
  const index = chosen === null ? -1 : versions.findIndex(({ revision }) => String(revision) === chosen);
  const at = index < 0 ? versions.length - 1 : index;
  const choose = (to: number): void =>
    go(withQuery(place, { at: to === versions.length - 1 ? undefined : String(versions[to]!.revision) }), {
      replace: true,
    });
  if (list.error instanceof ApiError && list.error.envelope.error_code === 'SEM_NOT_FOUND')
    return (
      <Empty>Nothing was ever written under {name}. Look at how it is spelled, or at the keys that there are.</Empty>
    );
  const version = versions[at];
  return (
    <>
      <Section title={name}>
        {version ? (
          <>
            <AsOf versions={versions} at={at} choose={choose} />
            <Standing
              path={path}
              version={inEffect(versions, at)}
              position={at === versions.length - 1 ? undefined : version.position}
            />
          </>
        ) : null}
      </Section>
      {version && at > 0 ? <Changes from={inEffect(versions, at - 1)} to={version} /> : null}
      {version && !isDelete(version) ? <Consents eventId={version.event_id} /> : null}
      <Section title="Versions">
        <List
          label="Every write of this key, oldest first"
          list={list}
          keyOf={({ event_id: id }) => id}
          empty={<Empty>Nothing was ever written under this key.</Empty>}
          columns={versionColumns(version, (revision) => withQuery(place, { at: String(revision) }))}
        />
      </Section>
    </>
  );
}

function AsOf({
  versions,
  at,
  choose,
}: {
  readonly versions: readonly Version[];
  readonly at: number;
  readonly choose: (to: number) => void;
}): ReactNode {
  const { revision, position } = versions[at]!;
  return (
    <label>
      As of revision {revision}, position {position} of the log
      {at === versions.length - 1 ? ' (the newest)' : ''}
      <input
        type="range"
        className="slider"
        min={0}
        max={versions.length - 1}
        value={at}
        disabled={versions.length < 2}
        aria-valuetext={`revision ${revision}`}
        onChange={(event) => choose(Number(event.target.value))}
      />
    </label>
  );
}

/** What the server answers for the key as of the version: it is asked, not worked out from the list. */
function Standing({
  path,
  version,
  position,
}: {
  readonly path: Path;
  readonly version: Version | undefined;
  readonly position: string | undefined;
}): ReactNode {
  const why = tombstoneOf(version?.value);
  const isThere = version !== undefined && !isDelete(version) && why === undefined;
  const found = useRead(
    'GET /sem/{scope}/{entity_type}/{entity_id}/{attribute}',
    { path, query: position === undefined ? {} : { as_of: position } },
    { enabled: isThere },
  );
  if (why !== undefined)
    return (
      <p className="notice">
        <Badge state={String(version?.value).slice(1, -1)} tone="plain" /> Nobody can read it: {why}.
      </p>
    );
  if (!isThere)
    return (
      <p className="notice">
        <Badge state="deleted" tone="plain" /> Nothing stands here any more, as of this revision.
      </p>
    );
  return (
    <Loading of={found}>
      {({ value, source, last_updated: at, meta }) => (
        <>
          {typeof value === 'string' ? (
            <p className="said" dir="auto">
              {value}
            </p>
          ) : (
            <Exact text={JSON.stringify(value)} name="value.json" />
          )}
          <Facts
            of={{
              Source: <bdi>{source}</bdi>,
              Written: <Time at={at} />,
              ...Object.fromEntries(Object.entries(meta).map(([name, one]) => [words(name), JSON.stringify(one)])),
            }}
          />
        </>
      )}
    </Loading>
  );
}

function Changes({ from, to }: { readonly from: Version | undefined; readonly to: Version }): ReactNode {
  if (!to.applied)
    return (
      <Section title="What it changed">
        <p>Nothing: what stood there already has a later time.</p>
      </Section>
    );
  const isHidden = [from?.value, to.value].some((value) => tombstoneOf(value) !== undefined);
  const found = isHidden ? [] : differencesOf(from?.value ?? null, to.value);
  return (
    <Section title={from ? `What changed since revision ${from.revision}` : 'What changed'}>
      {isHidden ? (
        <p className="faint">One of the two can be read by nobody any more.</p>
      ) : found.length === 0 ? (
        <p className="faint">Nothing: the same value was written again.</p>
      ) : (
        <Table
          label="Differences"
          items={found}
          keyOf={({ pointer }) => pointer}
          columns={[
            {
              title: 'Where',
              cell: ({ pointer }) => (pointer === '' ? 'the whole value' : <code>{pointer}</code>),
            },
            {
              title: 'Before',
              cell: ({ from: before }) => (
                <del className="diff" dir="auto">
                  {textIn(before)}
                </del>
              ),
            },
            {
              title: 'After',
              cell: ({ to: after }) => (
                <ins className="diff" dir="auto">
                  {textIn(after)}
                </ins>
              ),
            },
          ]}
        />
      )}
    </Section>
  );
}

const textIn = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

function versionColumns(chosen: Version | undefined, to: (revision: number) => string): readonly Column<Version>[] {
  return [
    {
      title: 'Revision',
      cell: ({ revision, event_id: id }) => (
        <Link to={to(revision)} aria-current={id === chosen?.event_id ? 'true' : undefined}>
          {revision}
        </Link>
      ),
      numeric: true,
    },
    { title: 'Value', cell: (version) => <Value of={version.value} isDeleted={isDelete(version)} /> },
    {
      title: 'Took effect',
      cell: ({ applied }) => <Badge state={applied ? 'yes' : 'no, it was older'} tone={applied ? 'good' : 'warn'} />,
      wide: true,
    },
    {
      title: 'Writer',
      cell: ({ actor, source }) => (
        <>
          <bdi>{actor.id}</bdi>{' '}
          <small>
            {actor.role}, source <bdi>{source}</bdi>
          </small>
        </>
      ),
    },
    { title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} />, wide: true },
    {
      title: 'Event',
      cell: ({ event_id: id }) => (
        <Link to={`/events/${id}`}>
          <code className="nowrap">{id.slice(0, 12)}</code>
        </Link>
      ),
      wide: true,
    },
  ];
}

/** As a SEM_PUT names it. */
interface Consent {
  readonly consent_id: string;
  readonly pii_type: string;
}

/** The consents that the write names, where whoever looks may see its event. */
function Consents({ eventId }: { readonly eventId: string }): ReactNode {
  const event = useRead('GET /audit/event/{event_id}', { path: { event_id: eventId } });
  const named = (event.data?.data['consents'] ?? []) as readonly Consent[];
  return (
    <Section title="Consent">
      {event.error ? (
        <p className="faint">Which consent it stands on, you may not see of this event.</p>
      ) : event.data === undefined ? null : named.length === 0 ? (
        <p className="faint">
          It was stored without one: nothing in it was found to be personal in a way that needs it.
        </p>
      ) : (
        <ul>
          {named.map(({ consent_id: id, pii_type: type }) => (
            <li key={id}>
              {words(type)}: <code>{id}</code>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
