import type { AddressInfo } from 'node:net';

import { Controller, Get, Header, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { responseKeys } from '#lib/access';
import { KeyRing } from '#lib/kernel';
import type { ResponseKey } from '#lib/signatures';

import { publicUrlOf } from '../console/public-place.js';
import { Doc, Public } from '../edge/index.js';
import type { Config } from '../platform.config.js';
import { CONFIG } from '../platform.tokens.js';

/** RFC 9728. */
interface ProtectedResource {
  readonly resource: string;
  readonly authorization_servers?: readonly string[];
  readonly bearer_methods_supported: readonly string[];
  readonly resource_name: string;
}

const RESOURCE_DOC = {
  summary: 'Who gives the tokens that agents ask with at /mcp (RFC 9728)',
  description:
    '`authorization_servers` is the issuer of MACE_JWT_ISSUER where MACE_JWKS_URL names its keys; it is absent where the command line of the data folder issues the tokens (`mace token`).',
  answer: {
    resource: 'http://127.0.0.1:3000/mcp',
    bearer_methods_supported: ['header'],
    resource_name: 'MACE',
  },
  forms: { 'authorization_servers?': { type: 'array', items: { type: 'string' } } },
};

/** What strangers need in order to check what this server says. */
@Controller('.well-known')
export class WellKnownController {
  private readonly keys: readonly ResponseKey[];

  constructor(
    ring: KeyRing,
    @Inject(CONFIG) private readonly config: Pick<Config, 'publicUrl' | 'host' | 'port' | 'jwksUrl' | 'jwtIssuer'>,
  ) {
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

  /** For clients that look at the root of the host, whatever the path of the resource. */
  @Get('oauth-protected-resource')
  @Public()
  @Doc(RESOURCE_DOC)
  resourceAtRoot(@Req() request: FastifyRequest): ProtectedResource {
    return this.resource(request);
  }

  @Get('oauth-protected-resource/mcp')
  @Public()
  @Doc(RESOURCE_DOC)
  resource(@Req() { server }: FastifyRequest): ProtectedResource {
    const { jwksUrl, jwtIssuer } = this.config;
    const base = publicUrlOf(this.config, server.server.address() as AddressInfo | null);
    return {
      resource: `${base}mcp`,
      ...(jwksUrl && URL.canParse(jwtIssuer) ? { authorization_servers: [jwtIssuer] } : {}),
      bearer_methods_supported: ['header'],
      resource_name: 'MACE',
    };
  }
}
