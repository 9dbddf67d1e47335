import { MaceError } from '#lib/kernel';
import { principalNormalForm } from '#lib/memory';

/** The normal form of a producer's or critic's raw id; null for one that no principal can have. */
export function personOfId(rawId: string): string | null {
  try {
    return principalNormalForm(rawId);
  } catch (error) {
    if (error instanceof MaceError) return null;
    throw error;
  }
}
