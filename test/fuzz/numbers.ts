/** @throws Error for what is no whole number */
export function wholeNumber(name: string, otherwise: number): number {
  const given = Number(process.env[name] ?? otherwise);
  if (!Number.isSafeInteger(given)) throw new Error(`${name}: a whole number, not ${process.env[name]}`);
  return given;
}
