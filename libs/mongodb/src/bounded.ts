import type { Collection, Db } from 'mongodb';

/** Waits for what a call of the driver gives, for so long as a call may take; `what` names it. */
export type InTime = <T>(what: string, given: Promise<T>) => Promise<T>;

interface Cursor {
  bufferedCount(): number;
  next(): Promise<unknown>;
  close(): Promise<void>;
}

type Method = (...parameters: unknown[]) => unknown;

/**
 * A database of which every call ends in time, also those on its collections and cursors.
 * @param database the one that is asked, looked up at each call: collections may be kept
 */
export function boundedDb(database: () => Db, inTime: InTime): Db {
  const collection = (name: string): Collection =>
    bounded<Collection>(() => database().collection(name), ` on ${name}`, inTime);
  return bounded(database, '', inTime, { collection });
}

function bounded<T extends object>(asked: () => T, place: string, inTime: InTime, own: object = {}): T {
  return new Proxy(own, {
    get: (_, name) => {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name) as unknown;
      const target = asked();
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]) => {
        const given = (value as Method).apply(target, parameters);
        if (given instanceof Promise) return inTime(`${String(name)}${place}`, given);
        return isCursor(given) ? boundedCursor(given, `${String(name)}${place}`, inTime) : given;
      };
    },
  }) as T;
}

function boundedCursor(cursor: Cursor, what: string, inTime: InTime): Cursor {
  const own = {
    async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
      try {
        for (;;) {
          // What lies here already needs no clock.
          const next = cursor.next();
          const document = await (cursor.bufferedCount() > 0 ? next : inTime(what, next));
          if (document === null) return;
          yield document;
        }
      } finally {
        await inTime(what, cursor.close());
      }
    },
  };
  const same: Cursor = new Proxy(own, {
    get: (_, name) => {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name) as unknown;
      const value = Reflect.get(cursor, name, cursor) as unknown;
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]) => {
        const given = (value as Method).apply(cursor, parameters);
        if (given instanceof Promise) return inTime(what, given);
        return given === cursor ? same : given;
      };
    },
  }) as unknown as Cursor;
  return same;
}

function isCursor(given: unknown): given is Cursor {
  return typeof given === 'object' && given !== null && 'bufferedCount' in given;
}
