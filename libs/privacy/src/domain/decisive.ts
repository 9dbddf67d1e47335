import { compareCategories, type Category } from './pii-types.js';

/** A finding with where it is: spans count in the text named by `at`. */
export interface PlacedSpan {
  readonly category: Category;
  /** Names one text among those that were searched together. */
  readonly at: string;
  readonly start: number;
  readonly end: number;
}

/**
 * What must be allowed before something may be stored: the findings of categories high and medium, those that overlap
 * together. Of each group only the highest category is left, as it decides; several of one category are several readings
 * of the same characters, of which one that is allowed suffices (spec/privacy.md, "Detection"). Worst groups first.
 */
export function decisiveFindings<T extends PlacedSpan>(findings: readonly T[]): readonly (readonly T[])[] {
  const placed = findings
    .filter(({ category }) => category !== 'low')
    .sort((a, b) => (a.at === b.at ? a.start - b.start : a.at < b.at ? -1 : 1));
  const groups: T[][] = [];
  let end = 0;
  for (const finding of placed) {
    const group = groups.at(-1);
    if (group && group[0]!.at === finding.at && finding.start < end) {
      group.push(finding);
      end = Math.max(end, finding.end);
    } else {
      groups.push([finding]);
      end = finding.end;
    }
  }
  return groups.map(worst).sort((a, b) => compareCategories(b[0]!.category, a[0]!.category));
}

function worst<T extends PlacedSpan>(group: readonly T[]): readonly T[] {
  const highest = group.reduce((a, b) => (compareCategories(a.category, b.category) >= 0 ? a : b)).category;
  return group.filter(({ category }) => category === highest);
}
