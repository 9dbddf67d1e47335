import { InvalidChangeError, ReadStoreDefinitionError } from './errors.js';
import type { Change, CollectionDefinition, Generation } from './port.js';
import { isScalar } from './scalars.js';

const COLLECTION = /^[a-z][a-z0-9_]{0,39}$/;
const FIELD = /^[A-Za-z][A-Za-z0-9_]{0,59}$/;
const PROJECTION = /^[a-z][a-z0-9_-]{0,59}$/;
const GENERATION = /^[a-z0-9_]{1,40}$/;
const MAX_INDEXES = 16;
const MAX_ID_LENGTH = 1024;

/** @throws ReadStoreDefinitionError */
export function checkGeneration({ projection, name }: Generation): void {
  if (!PROJECTION.test(projection))
    throw new ReadStoreDefinitionError(`"${shown(projection)}" is no projection name: ${PROJECTION.source}`);
  if (!GENERATION.test(name))
    throw new ReadStoreDefinitionError(`"${shown(name)}" is no generation name: ${GENERATION.source}`);
}

/**
 * The definitions in one normal form (by name, indexes in order), in which they are kept and compared.
 * @throws ReadStoreDefinitionError
 */
export function normalDefinitions(collections: readonly CollectionDefinition[]): readonly CollectionDefinition[] {
  const normal = collections.map(({ name, indexes, sortedBy }) => {
    if (!COLLECTION.test(name))
      throw new ReadStoreDefinitionError(`"${shown(name)}" is no collection name: ${COLLECTION.source}`);
    if (indexes.length > MAX_INDEXES)
      throw new ReadStoreDefinitionError(`collection ${name} has more than ${MAX_INDEXES} indexes`);
    for (const field of indexes) checkField(name, field);
    if (new Set(indexes).size !== indexes.length)
      throw new ReadStoreDefinitionError(`collection ${name} declares an index twice`);
    if (sortedBy !== undefined && !indexes.includes(sortedBy))
      throw new ReadStoreDefinitionError(`collection ${name} is sorted by ${shown(sortedBy)}, which is no index of it`);
    return { name, indexes: [...indexes].sort(), ...(sortedBy === undefined ? {} : { sortedBy }) };
  });
  normal.sort((a, b) => (a.name < b.name ? -1 : 1));
  normal.forEach(({ name }, i) => {
    if (normal[i + 1]?.name === name) throw new ReadStoreDefinitionError(`collection ${name} is defined twice`);
  });
  return normal;
}

/** Definitions as text: what is compared when a generation is prepared again. */
export function definitionsText(collections: readonly CollectionDefinition[]): string {
  return collections.map(({ name, indexes }) => `${name}(${indexes.join(', ')})`).join(' ');
}

/** @throws ReadStoreDefinitionError where a generation holds other collections than it should */
export function checkSameDefinitions(
  generation: Generation,
  found: readonly CollectionDefinition[],
  wanted: readonly CollectionDefinition[],
): void {
  const [have, want] = [definitionsText(found), definitionsText(wanted)];
  if (have === want) return;
  throw new ReadStoreDefinitionError(
    `generation ${generation.name} of projection ${generation.projection} holds ${have}, not ${want}; a changed definition needs a new version`,
  );
}

/** One text a generation: neither name has a space. */
export function keyOf({ projection, name }: Generation): string {
  return `${projection} ${name}`;
}

/** @throws ReadStoreDefinitionError */
export function unknownGeneration({ projection, name }: Generation): ReadStoreDefinitionError {
  return new ReadStoreDefinitionError(
    `projection ${shown(projection)} has no generation ${shown(name)}; prepare it first`,
  );
}

/** The definition of a collection among a generation's. @throws ReadStoreDefinitionError */
export function definitionOf<T extends Pick<CollectionDefinition, 'name'>>(
  definitions: readonly T[],
  generation: Generation,
  collection: string,
): T {
  const found = definitions.find(({ name }) => name === collection);
  if (!found)
    throw new ReadStoreDefinitionError(`projection ${generation.projection} has no collection "${shown(collection)}"`);
  return found;
}

/** Whether a text can name a document. */
export function isDocumentId(id: unknown): id is string {
  return (
    typeof id === 'string' && id.length > 0 && id.length <= MAX_ID_LENGTH && !id.includes('\0') && id.isWellFormed()
  );
}

/** @throws InvalidChangeError for what no adapter could keep as it is */
export function checkChange(change: Change, indexes: readonly string[]): void {
  if (!isDocumentId(change.id)) {
    throw new InvalidChangeError(
      `${change.collection}: an id is 1 to ${MAX_ID_LENGTH} characters without NUL, not ${JSON.stringify(shown(String(change.id)))}`,
    );
  }
  if (change.op === 'delete') return;
  const fields = change.op === 'put' ? change.body : change.fields;
  if (typeof fields !== 'object' || fields === null)
    throw new InvalidChangeError(`${change.collection}: a document is an object`);
  if (change.op === 'add' && !Object.values({ ...change.fields, at: change.at }).every(Number.isSafeInteger))
    throw new InvalidChangeError(`${change.collection}: only whole numbers are added, at a whole number`);
  for (const field of indexes) {
    const value = fields[field];
    if (value !== undefined && !isScalar(value)) {
      throw new InvalidChangeError(
        `${change.collection}: the indexed field ${field} must be a string, number, boolean or null`,
      );
    }
  }
}

function checkField(collection: string, field: string): void {
  if (field === 'id' || !FIELD.test(field)) {
    throw new ReadStoreDefinitionError(
      `"${shown(field)}" is no index of collection ${collection}: ${FIELD.source}, not id`,
    );
  }
}

function shown(text: string): string {
  return text.slice(0, 60);
}
