import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

import { ReadError } from './notice.js';
import { ROW_PX } from './walk.js';

export interface Column<T> {
  readonly title: string;
  readonly cell: (item: T) => ReactNode;
  /** Digits stand under digits. */
  readonly numeric?: boolean;
  /** Left out on a narrow screen. */
  readonly wide?: boolean;
}

interface TableProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (item: T) => string;
}

/** So many rows are drawn whole; of more only those in view. */
const WINDOWED_FROM = 100;

/** A table of which only the rows in view are drawn. */
export function Table<T>({ label, items, columns, keyOf }: TableProps<T>): ReactNode {
  const body = useRef<HTMLTableSectionElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  // What the keyboard reaches nothing in must be reached itself, or nobody scrolls it.
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box) box.tabIndex = box.scrollWidth > box.clientWidth && !box.querySelector('a, button') ? 0 : -1;
  });
  const [top, setTop] = useState(0);
  const isWindowed = items.length > WINDOWED_FROM;
  useLayoutEffect(() => setTop((body.current?.getBoundingClientRect().top ?? 0) + scrollY), [isWindowed]);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_PX,
    overscan: 20,
    scrollMargin: top,
    enabled: isWindowed,
  });
  const drawn = isWindowed ? rows.getVirtualItems() : items.map((_, index) => ({ index, start: 0, end: 0 }));
  const before = isWindowed ? (drawn[0]?.start ?? top) - top : 0;
  const after = isWindowed ? rows.getTotalSize() - ((drawn.at(-1)?.end ?? top) - top) : 0;
  return (
    <div className="scroller" ref={scroller}>
      <table aria-label={label} aria-rowcount={items.length + 1}>
        <thead>
          <tr>
            {columns.map(({ title, numeric, wide }) => (
              <th key={title} scope="col" className={classOf(numeric, wide)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {before > 0 ? <Spacer px={before} columns={columns.length} /> : null}
          {drawn.map(({ index }) => {
            const item = items[index]!;
            return (
              <tr
                key={keyOf(item)}
                data-index={index}
                aria-rowindex={index + 2}
                {...(isWindowed ? { ref: rows.measureElement } : {})}
              >
                {columns.map(({ title, cell, numeric, wide }) => (
                  <td key={title} className={classOf(numeric, wide)}>
                    {cell(item)}
                  </td>
                ))}
              </tr>
            );
          })}
          {after > 0 ? <Spacer px={after} columns={columns.length} /> : null}
        </tbody>
      </table>
    </div>
  );
}

function Spacer({ px, columns }: { readonly px: number; readonly columns: number }): ReactNode {
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height: px, padding: 0, border: 0 }} />
    </tr>
  );
}

const classOf = (numeric?: boolean, wide?: boolean): string =>
  [numeric ? 'numeric' : '', wide ? 'wide' : ''].join(' ').trim();

interface ListProps<T> extends Omit<TableProps<T>, 'items'> {
  readonly list: UseInfiniteQueryResult<readonly T[]>;
  /** What stands where the list is empty. */
  readonly empty: ReactNode;
  /** Pages are asked for one after another to the end, so that one can scroll there. */
  readonly isWhole?: boolean;
}

/** A list of the interface: it goes on to the next page by itself as its end comes into view. */
export function List<T>({ list, empty, isWhole = false, ...table }: ListProps<T>): ReactNode {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = list;
  const end = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isWhole && hasNextPage && !isFetchingNextPage && !error) void fetchNextPage();
  }, [isWhole, hasNextPage, isFetchingNextPage, fetchNextPage, error]);
  useEffect(() => {
    const button = end.current;
    if (!button || isWhole || !hasNextPage || isFetchingNextPage || error) return;
    const watch = new IntersectionObserver(
      ([seen]) => {
        if (seen?.isIntersecting) void fetchNextPage();
      },
      { rootMargin: '600px' },
    );
    watch.observe(button);
    return () => watch.disconnect();
  }, [isWhole, hasNextPage, isFetchingNextPage, fetchNextPage, error]);
  return (
    <>
      <ReadError error={error} retry={refetch} />
      {data === undefined ? (
        error ? null : (
          <p className="faint" aria-busy="true">
            Loading …
          </p>
        )
      ) : data.length === 0 && !hasNextPage ? (
        empty
      ) : (
        <>
          <Table items={data} {...table} />
          {hasNextPage ? (
            <button type="button" ref={end} disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {isFetchingNextPage ? 'Loading more …' : 'Load more'}
            </button>
          ) : null}
        </>
      )}
    </>
  );
}
