import { Controller, Get, Header } from '@nestjs/common';

import { responseKeys } from '#lib/access';
import { KeyRing } from '#lib/kernel';
import type { ResponseKey } from '#lib/signatures';

import { Doc, Public } from '../edge/index.js';

/** What strangers need in order to check what this server says. */
@Controller('.well-known')
export class WellKnownController {
  private readonly keys: readonly ResponseKey[];

  constructor(ring: KeyRing) {
    this.keys = responseKeys(ring);
  }

  @Get('jwks.json')
  @Public()
  @Header('cache-control', 'public, max-age=300')
  @Doc({
    summary: 'The public keys of answers’ signatures, retired ones too',
    description:
      'A JSON Web Key Set (RFC 7517). `nbf` and `exp` say when a key signed, in seconds since the Unix epoch; the one that signs now has no `exp`.',
    answer: {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          kid: 'response-signature.1.3fa9c1',
          alg: 'EdDSA',
          use: 'sig',
          nbf: 1767225600,
          exp: 1798761600,
        },
      ],
    },
    otherAnswers: {
      'never rotated': {
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
            kid: 'response-signature.1.3fa9c1',
            alg: 'EdDSA',
            use: 'sig',
            nbf: 1767225600,
          },
        ],
      },
    },
  })
  jwks(): { readonly keys: readonly ResponseKey[] } {
    return { keys: this.keys };
  }
}
