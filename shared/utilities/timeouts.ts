// Waits for work for a limited time.

/** The result of the work, or of `onTimeout` if it takes too long; the work itself goes on. */
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
    // A process that was held up itself may have an answer that it has not read yet, so it reads first.
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
