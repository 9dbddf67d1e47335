import { type ReactElement, type ReactNode, useState } from 'react';

import type { ItemOf } from '#lib/client/browser';

import { useList } from '../lib/api.js';
import { Link } from '../lib/router.js';
import { eventIdPath } from './log-link.js';
import { Loading } from './notice.js';

/** Effects that are asked for at once, and how far they are followed by themselves where each has but one. */
const EFFECTS = { limit: 50, deep: 5 };

type Linked = Pick<ItemOf<'GET /audit/events'>, 'event_id' | 'stream' | 'revision' | 'type' | 'position'>;

interface EffectsProps {
  readonly of: Linked;
  /** The event that is looked at, among the effects of its cause. */
  readonly own?: ReactElement;
  readonly depth?: number;
}

/** What came of an event in whatever stream, as a list in lists, each a link. */
export function Effects({ of, own, depth = 0 }: EffectsProps): ReactNode {
  const { event_id: cause, position } = of;
  const query = { causation_id: cause, from: Number(position), limit: EFFECTS.limit };
  const list = useList('GET /audit/events', { query });
  const isChain = own === undefined && depth < EFFECTS.deep && list.data?.length === 1;
  return (
    <Loading of={list}>
      {(items) => (
        <ul className={depth > 0 && isChain ? 'tree chain' : 'tree'}>
          {own}
          {items.map((one) =>
            one.event_id === own?.key ? null : (
              <li key={one.event_id}>
                <LinkTo of={one} />
                {isChain ? <Effects of={one} depth={depth + 1} /> : <Below of={one} />}
              </li>
            ),
          )}
          {items.length === 0 && !list.hasNextPage ? <li className="faint">nothing came of it so far</li> : null}
          {/* Of what is followed by itself the page of each event looks further. */}
          {list.hasNextPage && (depth === 0 || !isChain) ? (
            <li>
              <button
                type="button"
                className="quiet"
                disabled={list.isFetchingNextPage}
                onClick={() => void list.fetchNextPage()}
              >
                Look further in the log
              </button>
            </li>
          ) : null}
        </ul>
      )}
    </Loading>
  );
}

/** What came of an effect, on demand. */
function Below({ of }: { readonly of: Linked }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>What came of it</summary>
      {isOpen ? <Effects of={of} /> : null}
    </details>
  );
}

export function LinkTo({ of: { event_id: id, stream, revision, type } }: { readonly of: Linked }): ReactNode {
  return (
    <>
      <Link to={eventIdPath(id)}>
        <code>{type}</code>
      </Link>{' '}
      <small>
        <bdi>{stream}</bdi>, {revision}
      </small>
    </>
  );
}
