import { MaceError } from '#lib/kernel';

const MAX_TAGS = 32;
const MAX_LENGTH = 256;

/** context_tags: at most 32 texts of at most 256 characters, by names of at most 256. @throws MaceError INVALID_INPUT */
export function checkTags(tags: Readonly<Record<string, unknown>> | null | undefined): void {
  const entries = Object.entries(tags ?? {});
  if (entries.length > MAX_TAGS) throw new MaceError('INVALID_INPUT', `context_tags: at most ${MAX_TAGS} tags`);
  for (const [name, tag] of entries) {
    if (typeof tag !== 'string' || tag.length > MAX_LENGTH || name.length > MAX_LENGTH) {
      throw new MaceError('INVALID_INPUT', `context_tags: texts of at most ${MAX_LENGTH} characters, by name`);
    }
  }
}
