const NOBODY = 65_534;

/** Permission bits mean nothing to root: does something synchronous as a user whom they hold. */
export function asOrdinaryUser(action: () => void): void {
  if (process.geteuid?.() !== 0) return action();
  process.seteuid?.(NOBODY);
  try {
    action();
  } finally {
    process.seteuid?.(0);
  }
}
