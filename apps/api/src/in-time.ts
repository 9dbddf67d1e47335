/** What a look answers, if it does in time. @throws Error where there is no answer within `ms` */
export async function inTime<T>(look: () => Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([look(), late]);
  } finally {
    clearTimeout(timer);
  }
}
