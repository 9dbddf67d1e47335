/** As many are remembered as critics of many proposals; the rest is looked at again. */
const MOST_KNOWN = 20_000;

/** Tells ids that hold personal data. Of one that was found to hold none this is remembered: critics come again and again. */
export class OpaqueIds {
  private readonly known = new Set<string>();

  constructor(private readonly isPersonal: (id: string) => boolean) {}

  /** Many ids are looked at as one text first, which is sooner; what only their neighbourhood makes personal is none. */
  holdPersonal(ids: readonly string[]): boolean {
    const strange = ids.filter((id) => !this.known.has(id));
    if (strange.length === 0) return false;
    const { isPersonal } = this;
    if (isPersonal(strange.join(' ')) && (strange.length === 1 || strange.some(isPersonal))) return true;
    if (this.known.size + strange.length > MOST_KNOWN) this.known.clear();
    for (const id of strange) this.known.add(id);
    return false;
  }
}
