import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { Principal } from '#lib/access';
import type { Json } from '#lib/kernel';

import { PiiGate } from '../pii-gate.js';
import { semMiss } from '../sem-miss.js';
import { requireReadable, SemReader } from '../sem-reader.js';

/** `sem_get`: exactly these fields (seed 001, "SEM API surface"). */
export interface SemValue {
  readonly exists: true;
  readonly value: Json;
  readonly source: string;
  readonly last_updated: string;
  readonly meta: Json;
}

export interface FoundValue {
  readonly body: SemValue;
  /** Revision of the newest event of the key's stream: the ETag, and what If-Match compares. */
  readonly etag: number;
}

/** What stands under exactly this key, now or as of a position. */
export class GetValue extends Query<FoundValue> {
  constructor(
    readonly principal: Principal,
    readonly key: string,
    readonly asOf?: string,
  ) {
    super();
  }
}

@QueryHandler(GetValue)
export class GetValueHandler implements IQueryHandler<GetValue> {
  constructor(
    private readonly reader: SemReader,
    private readonly gate: PiiGate,
  ) {}

  /** @throws MaceError SEM_NOT_FOUND, PERMISSION_DENIED, INVALID_INPUT, PRIVACY_BLOCKED, DATA_UNAVAILABLE, RATE_LIMITED */
  async execute({ principal, key, asOf }: GetValue): Promise<FoundValue> {
    requireReadable(principal, key);
    const found = asOf === undefined ? await this.reader.get(key) : await this.reader.getAsOf(key, asOf, principal.id);
    if (!found.exists) {
      // Only a key that nobody could have stored is looked at: the miss would repeat it.
      this.gate.refuseInPath(key);
      throw semMiss(key);
    }
    const { value, source, timestamp, meta, version } = found;
    return { body: { exists: true, value, source: source!, last_updated: timestamp!, meta }, etag: version - 1 };
  }
}
