// Waiting no longer than a given time.

/** What the work comes to, or what `onTimeout` says where it takes too long; the work itself goes on. */
export async function withTimeout<Value>(
  work: Promise<Value>,
  timeoutMs: number,
  onTimeout: () => Value,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<Value>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(onTimeout())
      } catch (error) {
        reject(error)
      }
    }, timeoutMs)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
