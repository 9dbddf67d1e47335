import { isMongoError, isOutOfDisk, wordsOf } from '#lib/mongodb';

import { StorageFullError, StoreUnavailableError } from '../port.js';

/** What the driver throws, said in the port's words. */
export async function describing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isMongoError(error)) throw error;
    if (isOutOfDisk(error)) throw new StorageFullError('the disk of MongoDB is full', { cause: error });
    throw new StoreUnavailableError(wordsOf(error), { cause: error });
  }
}
