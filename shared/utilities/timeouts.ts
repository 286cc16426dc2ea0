// Limits how long callers wait for work.

/**
 * Returns the result of the work, or of `onTimeout` if the work takes too long. The work itself continues in that case.
 */
export async function withTimeout<Value>(
  work: Promise<Value>,
  timeoutMs: number,
  onTimeout: () => Value,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  let reading: NodeJS.Immediate | undefined
  const timeout = new Promise<Value>((resolve, reject) => {
    const end = () => {
      try {
        resolve(onTimeout())
      } catch (error) {
        reject(error)
      }
    }
    // If this process was suspended, it may not have read a response that is already there. So it reads pending input
    // before it gives up.
    timer = setTimeout(() => {
      reading = setImmediate(end)
    }, timeoutMs)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
    clearImmediate(reading)
  }
}
