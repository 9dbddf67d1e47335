import { UnreadableAnswerError } from '#lib/access';
import { MaceError } from '#lib/kernel';

const ISSUER = 'the issuer (MACE_OIDC_ISSUER)';
const MAX_WORDS = 200;

/** What went wrong between an issuer and this server, without a token, a code or a secret in it. */
export async function oidcFailure(error: unknown): Promise<unknown> {
  const { AuthorizationResponseError, ClientError, ResponseBodyError, WWWAuthenticateChallengeError } =
    await import('openid-client');
  if (error instanceof AuthorizationResponseError) return refusedBy(error);
  if (error instanceof ResponseBodyError) return notTraded(error);
  if (error instanceof WWWAuthenticateChallengeError) return notTraded({ error: 'invalid_client' });
  if (error instanceof ClientError) return ofAnswer(error);
  if (error instanceof TypeError && error.message === 'fetch failed')
    return away((error.cause as NodeJS.ErrnoException | undefined)?.code ?? 'it cannot be reached');
  return error;
}

/** Said to the browser that came back. */
function refusedBy(said: Said): MaceError {
  if (said.error === 'access_denied')
    return new MaceError('PERMISSION_DENIED', `${ISSUER} lets you not in: ${words(said)}`);
  if (said.error === 'temporarily_unavailable' || said.error === 'server_error') return away(words(said));
  return new MaceError('UNAUTHENTICATED', `${ISSUER} refused the sign-in: ${words(said)}`);
}

/** Said to this server, when it showed the code. */
function notTraded(said: Said): MaceError {
  const how =
    said.error === 'invalid_grant'
      ? 'a code counts once, for a short time; sign in again'
      : 'MACE_OIDC_CLIENT_ID, MACE_OIDC_CLIENT_SECRET and MACE_JWT_AUDIENCE are to be as the issuer has them';
  return new MaceError('UNAUTHENTICATED', `${ISSUER} gave no token for the code: ${words(said)}; ${how}`);
}

interface Fault {
  readonly code?: string | undefined;
  readonly message: string;
  readonly cause?: unknown;
}

function ofAnswer({ code, message, cause }: Fault): MaceError {
  if (code === 'OAUTH_TIMEOUT') return away('no answer in time');
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED')
    return new MaceError(
      'UNAUTHENTICATED',
      'the clocks of the issuer and of this machine are to be less than 30 seconds apart; its ID token is of another time',
    );
  if (cause instanceof UnreadableAnswerError) return away(cause.message);
  const { name, message: more } = (cause ?? {}) as Partial<Error>;
  const why = name === 'OperationProcessingError' && more !== undefined ? more : message;
  return away(`its answer is not one of OpenID Connect: ${why}`);
}

function away(why: string): MaceError {
  return new MaceError('DATA_UNAVAILABLE', `${ISSUER} is of no use now: ${why}`);
}

interface Said {
  readonly error: string;
  readonly error_description?: string | undefined;
}

/** The issuer's own words, without what a terminal or a page would take for something else. */
function words({ error, error_description: more }: Said): string {
  const said = more === undefined ? error : `${error} (${more})`;
  return said
    .replace(/[^\P{C}]/gu, ' ')
    .slice(0, MAX_WORDS)
    .toWellFormed();
}
