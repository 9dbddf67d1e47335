import { EMPTY_ROOT, eventLeafHash, leafHash, nodeHash } from '#lib/verifier';

import type { RecordedEvent } from '#lib/event-store';

const DATA = '{"data":';
const METADATA = ',"metadata":';

/** Where the data and the metadata of a canonical text end. */
export interface TextCut {
  readonly dataEnd: number;
  readonly metadataEnd: number;
}

/** The leaf of an event of whose text it is known already where it is cut. */
export function leafOfCut({ stream, revision, type, text }: RecordedEvent, { dataEnd, metadataEnd }: TextCut): Buffer {
  const data = text.slice(DATA.length, dataEnd);
  return eventLeafHash({ stream, revision, type, data, metadata: text.slice(dataEnd + METADATA.length, metadataEnd) });
}

/**
 * The leaf of an event whose text is canonical (libs/verifier says over what), cut out of the text; of any other text a
 * leaf that the Merkle log has not.
 */
export function leafOfText({ stream, revision, type, text }: RecordedEvent): Buffer {
  const tail = `},"stream":"${stream}","type":"${type}"}`;
  const end = text.length - tail.length + 1;
  const cut = text.endsWith(tail) ? text.lastIndexOf(`${METADATA}{`, end) : -1;
  if (cut < DATA.length) return leafHash(text);
  const [data, metadata] = [text.slice(DATA.length, cut), text.slice(cut + METADATA.length, end)];
  return eventLeafHash({ stream, revision, type, data, metadata });
}

/** The right edge of a tree that grows by nodes of one level: all that its root follows from (RFC 9162, 2.1.1). */
export class TreeEdge {
  /** By level, the lowest first: the complete subtree that has no right sibling yet. @param edge of a tree begun before */
  constructor(private readonly edge: (Buffer | null)[] = []) {}

  static of(nodes: readonly (string | null)[]): TreeEdge {
    return new TreeEdge(nodes.map((node) => (node === null ? null : Buffer.from(node, 'hex'))));
  }

  add(node: Buffer): void {
    let hash = node;
    let level = 0;
    for (let left = this.edge[level]; left; left = this.edge[level]) {
      hash = nodeHash(left, hash);
      this.edge[level++] = null;
    }
    this.edge[level] = hash;
  }

  /** @param tail root of what stands right of all that was added, and is smaller than it */
  root(tail: Buffer | null = null): Buffer {
    let hash = tail;
    for (const left of this.edge) if (left) hash = hash ? nodeHash(left, hash) : left;
    return hash ?? EMPTY_ROOT;
  }

  nodes(): (string | null)[] {
    return this.edge.map((node) => node?.toString('hex') ?? null);
  }
}
