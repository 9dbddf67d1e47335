import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { exportJWK, generateKeyPair } from 'jose';
import type { Provider } from 'oidc-provider';

/** What the issuer does at the next sign-in, in place of a person who types a password. */
export interface Person {
  readonly accountId: string;
  /** Of the access token; undefined where the issuer gives none. */
  readonly roles?: readonly string[];
  /** Of the access token, where it is not what was asked for. */
  readonly audience?: string;
  /** The person, or a rule of the issuer, says no. */
  readonly denied?: string;
}

interface IssuerOptions {
  readonly redirectUri: string;
  /** The resource for which access tokens are JWTs. */
  readonly resource: string;
}

export const CLIENT = { id: 'console', secret: 'a secret of the console' };
export const PUBLIC_CLIENT = 'public-console';

/** A real issuer of OpenID Connect (oidc-provider) on a port of this machine. */
export class OidcIssuer {
  person: Person = { accountId: 'ada', roles: ['auditor'] };
  /** How far its clock is behind this machine's when it makes tokens. */
  behindMs = 0;
  private readonly server: Server;
  private provider: Provider | undefined;

  private constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  static async open({ redirectUri, resource }: IssuerOptions): Promise<OidcIssuer> {
    const issuer = new OidcIssuer();
    await new Promise<void>((done) => issuer.server.listen(0, '127.0.0.1', done));
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const client = { redirect_uris: [redirectUri], grant_types: ['authorization_code'], response_types: ['code'] };
    const signing = { id_token_signed_response_alg: 'ES256' };
    const provider = await quietly(issuer.url, {
      clients: [
        { ...client, ...signing, client_id: CLIENT.id, client_secret: CLIENT.secret },
        { ...client, ...signing, client_id: PUBLIC_CLIENT, token_endpoint_auth_method: 'none' },
      ],
      jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] },
      cookies: { keys: ['of this test'] },
      ttl: { AccessToken: 900, AuthorizationCode: 60, Grant: 900, IdToken: 900, Interaction: 900, Session: 900 },
      interactions: { url: () => '/person' },
      findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
      extraTokenClaims: () => (issuer.person.roles ? { roles: issuer.person.roles } : {}),
      // Nobody is asked for a consent.
      loadExistingGrant: async ({
        oidc,
      }: {
        oidc: { session: { accountId: string }; client: { clientId: string } };
      }) => {
        const { Grant } = provider;
        const grant = new Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
        grant.addOIDCScope('openid');
        await grant.save();
        return grant;
      },
      features: {
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => resource,
          // A token is for it also where its request does not say so again.
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            scope: '',
            audience: issuer.person.audience ?? resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 900,
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
    });
    issuer.provider = provider;
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { accountId, denied } = this.person;
    if (request.url === '/token' && this.behindMs > 0) this.setBackUntil(response);
    if (request.url !== '/person') return this.provider!.callback()(request, response);
    const result =
      denied === undefined ? { login: { accountId } } : { error: 'access_denied', error_description: denied };
    await this.provider!.interactionFinished(request, response, result);
  }

  private setBackUntil(response: ServerResponse): void {
    const { now } = Date;
    Date.now = () => now() - this.behindMs;
    response.once('finish', () => (Date.now = now));
  }

  /** What a browser does there, with cookies of its own: from where it is sent, to where the issuer sends it back. */
  async visit(from: string): Promise<string> {
    const jar = new Map<string, string>();
    let url = from;
    for (let step = 0; step < 8 && url.startsWith(this.url); step += 1) {
      const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const set of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
        jar.set(name!, value!);
      }
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
      url = new URL(location, url).href;
    }
    return url;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

/** It warns of what is right here: that it keeps everything in memory, and that it was made for newer versions of Node. */
async function quietly(url: string, configuration: object): Promise<Provider> {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    const { Provider: Made } = await import('oidc-provider');
    return new Made(url, configuration);
  } finally {
    console.warn = warn;
  }
}
