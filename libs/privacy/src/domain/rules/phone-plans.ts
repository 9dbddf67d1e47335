/** One region or calling code of libphonenumber-js's metadata file, version 4, as its METADATA.md describes it. */
type PlanRow = readonly unknown[];

/** The parts of that file that are read here. */
export interface PhoneMetadata {
  readonly country_calling_codes: Readonly<Record<string, readonly string[]>>;
  readonly countries: Readonly<Record<string, PlanRow>>;
  readonly nonGeographic: Readonly<Record<string, PlanRow>>;
}

export interface PhoneNumber {
  readonly callingCode: string;
  /** National significant number: digits only, no trunk prefix. */
  readonly national: string;
}

/**
 * Asks the numbering plans of libphonenumber whether digits are a number. The library's own parser takes 12 microseconds
 * a candidate, so hostile text would bring it under 0.1 MB/s; these are the same patterns in about one.
 */
export interface NumberingPlans {
  /** `digits` begin with a calling code. */
  international(digits: string): PhoneNumber | undefined;
  /** `digits` as dialled within an ISO 3166 region, with or without its trunk prefix. */
  national(region: string, digits: string): PhoneNumber | undefined;
}

interface Plan {
  readonly callingCode: string;
  readonly trunkPrefix: string;
  /** What may be dialled before the number, where it is more than the trunk prefix; with what remains of it. */
  readonly dialled: RegExp | undefined;
  readonly transform: string;
  readonly lengths: readonly number[];
  readonly general: RegExp;
  readonly types: readonly RegExp[];
}

const MEXICO = '52';
/** Mexico's mobile digit, given up in 2019 and written all the same: +52 1 55 1234 5678. */
const FORMER_MOBILE = /^1(?=\d{10}$)/;

export function numberingPlans(metadata: PhoneMetadata): NumberingPlans {
  const plans = new Map<string, Plan | undefined>();
  const plan = (name: string, row: PlanRow | undefined): Plan | undefined => {
    if (!plans.has(name)) plans.set(name, row && readPlan(row));
    return plans.get(name);
  };
  const ofRegion = (region: string): Plan | undefined => plan(region, metadata.countries[region]);
  const codes = new Map<string, readonly Plan[]>();
  const ofCode = (code: string): readonly Plan[] => {
    const known = codes.get(code);
    if (known) return known;
    const row = metadata.nonGeographic[code];
    const found = row ? [plan(code, row)] : (metadata.country_calling_codes[code] ?? []).map(ofRegion);
    const all = found.filter((one) => one !== undefined);
    codes.set(code, all);
    return all;
  };

  return {
    international(digits) {
      for (let size = 1; size <= 3; size++) {
        const code = digits.slice(0, size);
        const rest = code === MEXICO ? digits.slice(size).replace(FORMER_MOBILE, '') : digits.slice(size);
        for (const candidate of ofCode(code)) {
          const national = significant(candidate, rest);
          if (national !== undefined) return { callingCode: code, national };
        }
      }
      return undefined;
    },
    national(region, digits) {
      const found = ofRegion(region);
      const national = found && significant(found, digits);
      return found && national !== undefined ? { callingCode: found.callingCode, national } : undefined;
    },
  };
}

/** The digits, or the digits without what is dialled before them, where one of both is a number of the plan. */
function significant(plan: Plan, digits: string): string | undefined {
  if (isNumber(plan, digits)) return digits;
  const inland = withoutTrunk(plan, digits);
  if (inland !== undefined && isNumber(plan, inland)) return inland;
  const dialled = withoutDialled(plan, digits);
  return dialled !== undefined && isNumber(plan, dialled) ? dialled : undefined;
}

function withoutTrunk({ trunkPrefix }: Plan, digits: string): string | undefined {
  return trunkPrefix !== '' && digits.startsWith(trunkPrefix) ? digits.slice(trunkPrefix.length) : undefined;
}

/** Without a carrier's prefix and its like, as Brazil's 0 or 90 and two digits. */
function withoutDialled({ dialled, transform }: Plan, digits: string): string | undefined {
  const found = dialled?.exec(digits);
  if (!dialled || !found || found[0] === '') return undefined;
  const captured = found.length > 1 && found.at(-1) !== undefined;
  return transform !== '' && captured ? digits.replace(dialled, transform) : digits.slice(found[0].length);
}

function isNumber(plan: Plan, digits: string): boolean {
  return (
    plan.lengths.includes(digits.length) && plan.general.test(digits) && plan.types.some((type) => type.test(digits))
  );
}

const CALLING_CODE = 0;
const GENERAL_PATTERN = 2;
const LENGTHS = 3;
const TRUNK_PREFIX = 5;
const DIALLED = 7;
const TRANSFORM = 8;
const TYPES = 11;

function readPlan(row: PlanRow): Plan {
  const general = String(row[GENERAL_PATTERN]);
  const types = Array.isArray(row[TYPES]) ? (row[TYPES] as readonly unknown[]) : [];
  const patterns = types.flatMap((type) =>
    Array.isArray(type) && typeof type[0] === 'string' && type[0] !== '' ? [type[0]] : [],
  );
  return {
    callingCode: String(row[CALLING_CODE]),
    trunkPrefix: typeof row[TRUNK_PREFIX] === 'string' ? row[TRUNK_PREFIX] : '',
    dialled: typeof row[DIALLED] === 'string' ? new RegExp(`^(?:${row[DIALLED]})`) : undefined,
    transform: typeof row[TRANSFORM] === 'string' ? row[TRANSFORM] : '',
    lengths: row[LENGTHS] as readonly number[],
    general: whole(general),
    types: (patterns.length > 0 ? patterns : [general]).map(whole),
  };
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}
