/** What the driver's errors have; classes differ between copies of the driver, so they are told by what they carry. */
interface DriverError extends Error {
  readonly code?: number | string;
  readonly codeName?: string;
  readonly errorLabels?: readonly string[];
  readonly hasErrorLabel?: (label: string) => boolean;
}

const DUPLICATE_KEY = 11000;
const OUT_OF_DISK = 14031;
const AUTHENTICATION_FAILED = 18;
const UNAUTHORIZED = 13;
/** An index of this name with other keys, or with other options. */
const OTHER_INDEX = new Set<unknown>([85, 86]);
/** A collection that is there already; one that is not there. */
const NAMESPACE_EXISTS = 48;
const NAMESPACE_NOT_FOUND = 26;
/** A snapshot that the server holds no more, or does not hold yet. */
const SNAPSHOT_GONE = new Set<unknown>([239, 246]);
/** BSONObjectTooLarge, and the code of the same refusal inside a write. */
const TOO_LARGE = new Set<unknown>([10334, 17280]);

export const isDuplicateKey = (error: unknown): boolean => codeOf(error) === DUPLICATE_KEY;
export const isOutOfDisk = (error: unknown): boolean => codeOf(error) === OUT_OF_DISK;
export const isOtherIndex = (error: unknown): boolean => OTHER_INDEX.has(codeOf(error));
export const isNamespaceThere = (error: unknown): boolean => codeOf(error) === NAMESPACE_EXISTS;
export const isNamespaceMissing = (error: unknown): boolean => codeOf(error) === NAMESPACE_NOT_FOUND;
export const isSnapshotGone = (error: unknown): boolean => SNAPSHOT_GONE.has(codeOf(error));
export const isTooLarge = (error: unknown): boolean => TOO_LARGE.has(codeOf(error));
/** The transaction did nothing, and can be begun again. */
export const isTransient = (error: unknown): boolean => hasLabel(error, 'TransientTransactionError');
/** Whether the transaction was committed is open; to ask for the commit again is safe. */
export const isCommitUnknown = (error: unknown): boolean => hasLabel(error, 'UnknownTransactionCommitResult');
/** Waiting would not help. */
export const isRefused = (error: unknown): boolean => {
  const code = codeOf(error);
  return code === AUTHENTICATION_FAILED || code === UNAUTHORIZED;
};

/** Whether the error is the driver's or the server's, and no fault of our own program. */
export function isMongoError(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('Mongo');
}

/** What the server or the driver said, in one line; the driver's messages hold hosts and namespaces, never a password. */
export function wordsOf(error: unknown): string {
  const { message, name, codeName } = error as DriverError;
  if (isRefused(error)) return 'the user of the connection string may not do this, or the password is wrong';
  const kind = codeName ?? (name === 'MongoServerError' ? undefined : name);
  return `MongoDB: ${kind === undefined ? '' : `${kind}: `}${message.split('\n', 1)[0]}`;
}

function codeOf(error: unknown): unknown {
  return (error as DriverError | null)?.code;
}

function hasLabel(error: unknown, label: string): boolean {
  const { hasErrorLabel, errorLabels } = error as DriverError;
  if (typeof hasErrorLabel === 'function') return hasErrorLabel.call(error, label);
  return errorLabels?.includes(label) ?? false;
}
