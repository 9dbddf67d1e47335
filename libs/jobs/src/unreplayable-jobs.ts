import { setImmediate as nextTurn } from 'node:timers/promises';

import { placedAsOfOld, type ReadModel, type RowOfOld } from '#lib/projections';
import type { Condition } from '#lib/read-store';

import { kindOfArtifact, MISSING_KINDS, type MissingKind } from './domain/missing.js';
import { UNREPLAYABLE_COLLECTION, type UnreplayableRow } from './read-models/unreplayable.projection.js';

export interface UnreplayableFilter {
  /** A kind, or the name of one artifact. */
  readonly missing?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** How many jobs lack each kind; up to a bound that `at_least` names. */
export type MissingCounts = Readonly<Record<MissingKind, number>>;

/** Something that is missing, and the jobs that refer to it. */
export interface MissingArtifact {
  readonly artifact: string;
  readonly missing: MissingKind;
  /** How many were counted, as in `counts`. */
  readonly jobs: number;
  /** The first of them, by id. */
  readonly job_ids: readonly string[];
}

export interface UnreplayablePage {
  readonly items: readonly RowOfOld<UnreplayableRow>[];
  readonly next_cursor: string | null;
  /** Everything up to here is in the list. */
  readonly position: string;
  /** Of all of them, whatever the filter. */
  readonly counts: MissingCounts;
  /** Kinds of which there may be more than was counted. */
  readonly at_least: readonly MissingKind[];
  /** Those that most jobs refer to, of all of them too; at most 100. */
  readonly by_artifact: readonly MissingArtifact[];
}

const PAGE = 1000;
const MAX_COUNT = 10_000;
const MOST_ARTIFACTS = 100;
const MOST_NAMED = 5;

type Referring = Map<string, { jobs: number; readonly job_ids: string[] }>;

/** Lists of jobs that cannot be replayed, as far as their read model is. */
export class UnreplayableJobs {
  constructor(
    private readonly model: Pick<ReadModel, 'find' | 'position'>,
    private readonly maxCount = MAX_COUNT,
  ) {}

  /** @throws MaceError INVALID_INPUT for a cursor of another list */
  async page({ missing, limit, cursor }: UnreplayableFilter): Promise<UnreplayablePage> {
    const position = await this.model.position();
    const found = await this.model.find(UNREPLAYABLE_COLLECTION.name, {
      where: missing === undefined ? [] : [wanted(missing)],
      sort: { field: 'position', descending: true },
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const referring: Referring = new Map();
    const counted = await Promise.all(
      MISSING_KINDS.map(async (kind) => [kind, await this.count(kind, referring)] as const),
    );
    return {
      items: found.documents.map(({ body }) => placedAsOfOld(body as unknown as UnreplayableRow)),
      next_cursor: found.next,
      position,
      counts: Object.fromEntries(counted) as MissingCounts,
      at_least: counted.filter(([, count]) => count >= this.maxCount).map(([kind]) => kind),
      by_artifact: mostReferredTo(referring),
    };
  }

  /** Their job_ids; of no more than are counted. */
  async listed(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = { where: [], limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
      const found = await this.model.find(UNREPLAYABLE_COLLECTION.name, page);
      for (const { body } of found.documents) ids.add((body as unknown as UnreplayableRow).job_id);
      await nextTurn();
      cursor = found.next ?? undefined;
    } while (cursor !== undefined && ids.size < this.maxCount);
    return ids;
  }

  private async count(kind: MissingKind, referring: Referring): Promise<number> {
    let count = 0;
    let cursor: string | undefined;
    do {
      const found = await this.model.find(UNREPLAYABLE_COLLECTION.name, {
        where: [wanted(kind)],
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      count += found.documents.length;
      for (const { body } of found.documents) refer(referring, body as unknown as UnreplayableRow);
      await nextTurn();
      cursor = found.next ?? undefined;
    } while (cursor !== undefined && count < this.maxCount);
    return Math.min(count, this.maxCount);
  }
}

function refer(referring: Referring, { job_id, artifacts }: UnreplayableRow): void {
  for (const artifact of artifacts) {
    const found = referring.get(artifact) ?? { jobs: 0, job_ids: [] };
    found.jobs++;
    if (found.job_ids.length < MOST_NAMED) found.job_ids.push(job_id);
    referring.set(artifact, found);
  }
}

function mostReferredTo(referring: Referring): readonly MissingArtifact[] {
  return [...referring]
    .map(([artifact, found]) => ({ artifact, missing: kindOfArtifact(artifact), ...found }))
    .sort((a, b) => b.jobs - a.jobs || (a.artifact < b.artifact ? -1 : 1))
    .slice(0, MOST_ARTIFACTS);
}

function wanted(missing: string): Condition {
  return missing.includes(':') ? { field: 'artifact', equals: missing } : { field: 'missing', equals: missing };
}
