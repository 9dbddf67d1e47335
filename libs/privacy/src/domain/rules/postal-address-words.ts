/** Kinds of streets in the United States (USPS Publication 28, appendix C) and the United Kingdom, in lower case. */
export const STREET_WORDS: ReadonlySet<string> = new Set(
  (
    'alley aly avenue ave av boulevard blvd bypass causeway circle cir close court ct crescent cres cove crossing drive dr ' +
    'esplanade expressway freeway fwy gardens gdns gate glen green grove heights highway hwy hill hills lane ln loop mall ' +
    'mews park parade parkway pkwy pass path pike place pl plaza plz point promenade quay ridge rise road rd route row ' +
    'square sq street st strand terrace ter trail trl turnpike view vale walk way wharf wynd yard broadway'
  ).split(' '),
);

const STATES: ReadonlySet<string> = new Set(
  (
    'al|ak|az|ar|ca|co|ct|de|dc|fl|ga|hi|id|il|in|ia|ks|ky|la|me|md|ma|mi|mn|ms|mo|mt|ne|nv|nh|nj|nm|ny|nc|nd|oh|ok|or|pa|' +
    'ri|sc|sd|tn|tx|ut|vt|va|wa|wv|wi|wy|pr|alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|' +
    'florida|georgia|hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|' +
    'minnesota|mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|new mexico|new york|north carolina|' +
    'north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|' +
    'virginia|washington|west virginia|wisconsin|wyoming'
  ).split('|'),
);

/** Whether a text is the name of a state of the United States, or its two letters. */
export function isState(text: string): boolean {
  return STATES.has(text.replace(/\./g, '').toLowerCase());
}

/** A British postcode, as part of an expression that ignores case. */
export const UK_CODE = '(?:gir ?0aa|[a-z]{1,2}\\d[a-z\\d]? ?\\d[abd-hjlnp-uw-z]{2})(?![\\p{L}\\p{N}])';
/** A ZIP code, five or nine digits. */
export const US_CODE = '\\d{5}(?:-\\d{4})?(?![\\p{L}\\p{N}])';
