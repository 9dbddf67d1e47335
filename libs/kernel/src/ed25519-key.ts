const FORM = /^[A-Za-z0-9_-]{43}$/;

/** Points of an order up to 8, without the sign of x: signatures by them are made without a key, and fit any message. */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ...['ec', 'ed', 'ee'].map((first) => `${first}${'ff'.repeat(30)}7f`),
]);

export const ED25519_KEY = 'an Ed25519 key that somebody holds, 32 bytes in base64url without padding';

/** Whether a text is a key of the form ED25519_KEY, by which nobody signs who does not hold its private half. */
export function isEd25519Key(text: string): boolean {
  if (!FORM.test(text)) return false;
  const bytes = Buffer.from(text, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(31) & 0x7f, 31);
  return !SMALL_ORDER.has(bytes.toString('hex'));
}
