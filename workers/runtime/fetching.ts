// How a BullMQ worker asks Redis for jobs. Unmodified, it makes two useless requests for each job that comes
// alone: it looks for another job before it begins, and since taking a job sets the marker again, it wakes up
// at once to find nothing. This backend remembers a job just taken, and removes the marker if no jobs wait.
import { type BackendFactory, createRedisBackend, type RedisQueueBackend } from 'bullmq'
import { withTimeout } from '../../shared/utilities/timeouts.ts'

const FORGET_MARKER = 'forgetMarker'

// Atomic, because adding a job sets the marker, and that marker must stay. Returns whether more jobs wait.
const FORGET_MARKER_LUA = `
  if redis.call('LLEN', KEYS[1]) > 0 or redis.call('ZCARD', KEYS[2]) > 0 then return 1 end
  redis.call('ZREM', KEYS[3], '0')
  return 0`

// The marker that wakes a worker: a job may be available now.
const MARKER = { member: '0', score: 0 }

export const createWorkerBackend: BackendFactory<RedisQueueBackend> = (name, options, connections) => {
  const backend = createRedisBackend(name, options, connections)
  const take = backend.moveToActive.bind(backend)
  const waitForMarker = backend.waitForJob.bind(backend)
  const forgetMarker = markerForgetting(backend)
  let hasJustTaken = false
  let moreWait: Promise<boolean> | undefined

  // Returning no job is safe: the worker then waits for the marker, and waitForJob reports at once if more
  // jobs wait. The worker may miss when the next delayed job is due, but that has a separate marker.
  backend.moveToActive = async (token, workerName) => {
    if (hasJustTaken) {
      hasJustTaken = false
      return []
    }
    const taken = await take(token, workerName)
    hasJustTaken = Boolean(taken[0])
    if (hasJustTaken) moreWait = forgetMarker().catch(() => true)
    return taken
  }

  backend.waitForJob = async (timeoutSeconds) => {
    hasJustTaken = false
    const looked = moreWait
    moreWait = undefined
    const more = looked && (await withTimeout(looked, timeoutSeconds * 1_000, () => true))
    const marker = more ? MARKER : await waitForMarker(timeoutSeconds)
    // A probe that has ended meanwhile may have taken a job; a worker that was woken up asks anyway.
    hasJustTaken = false
    return marker
  }
  return backend
}

/** Returns whether more jobs wait, and removes the marker if none do. */
function markerForgetting(backend: RedisQueueBackend): () => Promise<boolean> {
  const { wait, prioritized, marker } = backend.keys
  let redis: Awaited<RedisQueueBackend['client']> | undefined
  return async () => {
    if (!redis) {
      redis = await backend.client
      redis.defineCommand(FORGET_MARKER, { numberOfKeys: 3, lua: FORGET_MARKER_LUA })
    }
    return (await redis.runCommand(FORGET_MARKER, [wait, prioritized, marker])) === 1
  }
}
