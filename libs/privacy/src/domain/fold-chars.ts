/** What classifyChar answers for a character that is not there for a reader. */
export const DROP = 1;
/** What it answers for a combining mark: dropped after a digit (a keycap, a strike-through), otherwise kept. */
export const MARK = 2;

const SPACE = 0x20;
const DASH = 0x2d;

/** Letters of other scripts, and dots and strokes, that look like ASCII ones. Pairs of two characters. */
const LOOK_ALIKES = new Map(
  [
    'АA ВB ЕE КK МM НH ОO РP СC ТT ХX УY ІI ЈJ ЅS ԌG ԚQ ԜW ҮY аa еe оo рp сc хx уy іi јj ѕs һh ԁd ԛq ԝw ѵv кk тt',
    'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa ιi κk νv οo ρp υu χx',
    'ՕO ՏS օo հh ոn ցg սu ıi ɑa ɡg ʟL ɴN ʀR ӀI ӏl ·. •. ⋅. ∙. ‧. ・. 。. ⁄/ ∕/ ‚, ∣| ǀ|',
  ].flatMap((line) => line.split(' ').map((pair) => [pair.codePointAt(0) ?? 0, pair.codePointAt(1) ?? 0] as const)),
);

/** Strokes through a character and frames around it: they change how it looks and not what it is. */
const STROKES = /[\u0334-\u0338\u20d2-\u20d4\u20d8-\u20e0\u20e2-\u20e5]/u;

/** Answers for the basic plane, kept once found: 0 is unknown. */
const known = new Int32Array(0x10000);

/** Of the other planes so many at most: texts have few kinds of them. */
const MOST_BEYOND = 4096;
const beyond = new Map<number, number>();

/** The code point that stands for a character in the folded copy, or DROP, or MARK. */
export function classifyChar(codePoint: number): number {
  if (codePoint > 0xffff) return classifyBeyond(codePoint);
  const cached = known[codePoint];
  if (cached) return cached;
  const answer = classify(codePoint);
  known[codePoint] = answer;
  return answer;
}

function classifyBeyond(codePoint: number): number {
  let answer = beyond.get(codePoint);
  if (answer !== undefined) return answer;
  answer = classify(codePoint);
  if (beyond.size === MOST_BEYOND) beyond.clear();
  beyond.set(codePoint, answer);
  return answer;
}

function classify(codePoint: number): number {
  if (codePoint > SPACE && codePoint < 0x7f) return codePoint;
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return codePoint;
  const char = String.fromCodePoint(codePoint);
  if (codePoint === 0xfeff) return DROP;
  if (/[\s\x1c-\x1f\x85\u2800]/u.test(char)) return SPACE;
  if (/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/u.test(char)) return DROP;
  if (/[\p{Pd}\u2212\u2043\u2796]/u.test(char)) return DASH;
  if (/\p{Nd}/u.test(char)) return 0x30 + digitValue(codePoint);
  const alike = LOOK_ALIKES.get(codePoint) ?? compatible(char);
  if (alike !== undefined) return alike;
  if (STROKES.test(char)) return DROP;
  return /[\p{Mn}\p{Me}]/u.test(char) ? MARK : codePoint;
}

/** The decimal digits of a script stand in blocks of ten that begin with its zero. */
function digitValue(codePoint: number): number {
  let first = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
  return (codePoint - first) % 10;
}

/** A digit in brackets or with a sign after it, in one character: ⑴ ⒈ 🄂 */
const ADORNED_DIGIT = /^\(?([0-9])[).,]$/;

/** Full-width, mathematical, circled and raised forms: the one ASCII character that Unicode calls compatible. */
function compatible(char: string): number | undefined {
  const normal = char.normalize('NFKC');
  const plain = ADORNED_DIGIT.exec(normal)?.[1] ?? normal;
  const code = plain.charCodeAt(0);
  return plain.length === 1 && code >= SPACE && code < 0x7f ? code : undefined;
}
