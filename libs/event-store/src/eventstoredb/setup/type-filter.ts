const FORM = /^\^\(\?:([A-Za-z0-9_|]+)\)\$$/;

/** The server filters by beginnings or by one expression: this is one that takes these types and no longer ones. */
export function filterOf(types: readonly string[]): string {
  return `^(?:${types.join('|')})$`;
}

/** The types of a filter that `filterOf` made; null for any other. */
export function typesOf(filter: string): readonly string[] | null {
  return FORM.exec(filter)?.[1]?.split('|') ?? null;
}
