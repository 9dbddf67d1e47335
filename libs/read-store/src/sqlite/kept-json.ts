import type { JsonObject } from '#lib/kernel';

/** A text in read.db is not what a column of its kind holds: somebody else wrote it. */
export class KeptJsonError extends Error {
  override readonly name = 'KeptJsonError';
}

/** @throws KeptJsonError */
export function keptObject(text: string): JsonObject {
  const value = keptValue(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new KeptJsonError('a text in it should be an object, and is none');
}

/** @throws KeptJsonError */
export function keptTexts(text: string): string[] {
  const value = keptValue(text);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new KeptJsonError('a text in it should be a list of texts, and is none');
}

function keptValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new KeptJsonError('a text in it is no JSON', { cause: error });
  }
}
