import { isMongoError, isOtherIndex, isTooLarge, wordsOf } from '#lib/mongodb';

import { InvalidChangeError, ReadStoreDefinitionError, ReadStoreUnavailableError } from '../errors.js';

/** MongoDB keeps no document of more than 16 MiB; deterministic, so trying again is of no use. Nothing was written. */
export class DocumentTooLargeError extends InvalidChangeError {
  constructor(collection: string, id: string, bytes: number) {
    super(`${collection}: document ${JSON.stringify(id.slice(0, 60))} has ${bytes} bytes, and MongoDB takes 16777216`);
    this.name = 'DocumentTooLargeError';
  }
}

/** What the driver throws, said in the port's words. */
export async function describing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isMongoError(error)) throw error;
    if (isOtherIndex(error)) throw new ReadStoreDefinitionError(wordsOf(error));
    if (isTooLarge(error)) throw new InvalidChangeError(wordsOf(error));
    throw new ReadStoreUnavailableError(wordsOf(error), { cause: error });
  }
}
