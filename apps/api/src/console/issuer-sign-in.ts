import type { Configuration, CustomFetch } from 'openid-client';

import { boundedText } from '#lib/access';
import { MaceError } from '#lib/kernel';

import type { Oidc } from '../settings/services.js';
import { oidcFailure } from './oidc-failure.js';

/** How long a person may take at the issuer. */
export const SIGN_IN_S = 600;
const TIMEOUT_S = 5;
/** How long what the issuer publishes of itself is believed. */
const METADATA_MS = 600_000;

/** What a browser keeps between the two ways, in a cookie that no script reads. */
interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The path to go on at. */
  readonly to: string;
}

/**
 * The authorization code flow with PKCE of OpenID Connect. This process keeps nothing of a sign-in that was begun: it may
 * come back to another one.
 */
export class IssuerSignIn {
  private known: { readonly configuration: Promise<Configuration>; readonly until: number } | undefined;

  /**
   * @param publicUrl where browsers reach this server
   * @param audience of the access token that is asked for
   */
  constructor(
    private readonly settings: Oidc,
    private readonly publicUrl: URL,
    private readonly audience: string,
  ) {}

  /**
   * Where a browser is sent, and what it keeps until it comes back.
   * @throws MaceError DATA_UNAVAILABLE where the issuer does not answer
   */
  async begin(to: string, now: number): Promise<{ readonly url: URL; readonly kept: string }> {
    const client = await import('openid-client');
    const configuration = await this.configuration(now);
    const verifier = client.randomPKCECodeVerifier();
    const begun: Begun = { state: client.randomState(), nonce: client.randomNonce(), verifier, to };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri.href,
      scope: this.settings.scope,
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...this.forWhom(),
    });
    return { url, kept: Buffer.from(JSON.stringify(begun)).toString('base64url') };
  }

  /**
   * The access token, and the path to go on at.
   * @param search the query with which the issuer sent the browser back
   * @param kept what the browser kept; undefined where it kept nothing
   * @throws MaceError that says what the issuer, the browser or a setting did
   */
  async end(
    search: string,
    kept: string | undefined,
    now: number,
  ): Promise<{ readonly token: string; readonly to: string }> {
    const begun = readBegun(kept);
    const url = new URL(`${this.redirectUri.href}${search}`);
    if (!begun || url.searchParams.get('state') !== begun.state)
      throw new MaceError(
        'UNAUTHENTICATED',
        `state: of the sign-in that this browser began last, within ${SIGN_IN_S} seconds, and has not ended; sign in again`,
      );
    const { authorizationCodeGrant } = await import('openid-client');
    const configuration = await this.configuration(now);
    const { state: expectedState, nonce: expectedNonce, verifier: pkceCodeVerifier, to } = begun;
    try {
      const checks = { expectedState, expectedNonce, pkceCodeVerifier };
      const { access_token: token } = await authorizationCodeGrant(configuration, url, checks, this.forWhom());
      return { token, to };
    } catch (error) {
      throw await oidcFailure(error);
    }
  }

  /** As it is registered at the issuer. */
  private get redirectUri(): URL {
    return new URL('console/oidc/callback', this.publicUrl);
  }

  /** Issuers take the one (RFC 8707) or the other, and pass over what they do not know. */
  private forWhom(): Record<string, string> {
    const { audience } = this;
    return URL.canParse(audience) ? { audience, resource: audience } : { audience };
  }

  private async configuration(now: number): Promise<Configuration> {
    if (!this.known || now >= this.known.until)
      this.known = { configuration: this.discover(), until: now + METADATA_MS };
    try {
      return await this.known.configuration;
    } catch (error) {
      this.known = undefined;
      throw await oidcFailure(error);
    }
  }

  private async discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.settings;
    const [basic, post] = [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)];
    // What every issuer takes that does not say otherwise (RFC 6749, 2.3.1).
    const bySecret: typeof basic = (server, ...more) =>
      (server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false ? post : basic)(
        server,
        ...more,
      );
    return client.discovery(issuer, clientId, undefined, clientSecret === undefined ? client.None() : bySecret, {
      timeout: TIMEOUT_S,
      [client.customFetch]: boundedFetch,
      // The settings say where that may be.
      execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
    });
  }
}

const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, options);
  const { status, headers } = response;
  return new Response((await boundedText(response)) || null, { status, headers });
};

/** A browser may send anything: what is not ours counts as nothing. */
function readBegun(kept: string | undefined): Begun | undefined {
  if (kept === undefined) return undefined;
  try {
    const { state, nonce, verifier, to } = JSON.parse(Buffer.from(kept, 'base64url').toString()) as Partial<Begun>;
    if (![state, nonce, verifier, to].every((part) => typeof part === 'string' && part !== '')) return undefined;
    return { state, nonce, verifier, to } as Begun;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
