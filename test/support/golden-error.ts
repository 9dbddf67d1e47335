import { errorEnvelope, MaceError, type ErrorEnvelope } from '#lib/kernel';

/** The envelope a caller is answered where `doing` is refused, without what the edge adds to `meta`. */
export async function goldenErrorOf(doing: Promise<unknown>): Promise<ErrorEnvelope> {
  try {
    await doing;
  } catch (error) {
    if (error instanceof MaceError) return errorEnvelope(error.code, error.developerMessage, error.meta);
    throw error;
  }
  throw new Error('expected a refusal, and it was done');
}
