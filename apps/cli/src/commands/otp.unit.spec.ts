import { decodeQR } from 'qr/decode.js';

import { qrOf } from './otp.js';

const PIXELS = 8;

/** What a camera sees of the lines: two rows of modules in each; a block is light. */
function seen(lines: readonly string[]): { width: number; height: number; data: Uint8Array } {
  const rows = lines.flatMap((line) =>
    ['▀', '▄'].map((half) => [...line].map((sign) => sign === '█' || sign === half)),
  );
  const [width, height] = [rows[0]!.length * PIXELS, rows.length * PIXELS];
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const isLight = rows[Math.floor(y / PIXELS)]![Math.floor(x / PIXELS)]!;
      data.fill(isLight ? 255 : 0, (y * width + x) * 4, (y * width + x) * 4 + 4);
    }
  }
  return { width, height, data };
}

it('a secret is drawn as a QR code that a camera reads back as its URI', async () => {
  const uri = 'otpauth://totp/MACE:user_ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=MACE';
  expect(decodeQR(seen((await qrOf(uri)).trimEnd().split('\n')))).toBe(uri);
});
