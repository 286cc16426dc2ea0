// Changes how a BullMQ worker requests jobs from Redis. An unmodified worker sends two useless requests for
// each job that arrives alone: before it runs the job, it looks for another one; and because taking a job
// sets the marker again, it wakes up at once and finds nothing. This backend remembers that it has just taken
// a job, and removes the marker if no jobs wait.
import { type BackendFactory, createRedisBackend, type RedisQueueBackend } from 'bullmq'
import { withTimeout } from '../../shared/utilities/timeouts.ts'

const FORGET_MARKER_COMMAND = 'forgetMarker'

// A script that removes the marker if no jobs wait, and returns whether more jobs wait. It must be atomic: adding a job
// sets the marker, and that marker must stay.
const FORGET_MARKER_LUA = `
  if redis.call('LLEN', KEYS[1]) > 0 or redis.call('ZCARD', KEYS[2]) > 0 then return 1 end
  redis.call('ZREM', KEYS[3], '0')
  return 0`

// The marker that wakes a worker, because a job may be available.
const JOB_MARKER = { member: '0', score: 0 }

export const createWorkerBackend: BackendFactory<RedisQueueBackend> = (name, options, connections) => {
  const backend = createRedisBackend(name, options, connections)
  const take = backend.moveToActive.bind(backend)
  const waitForMarker = backend.waitForJob.bind(backend)
  const forgetMarker = createMarkerRemover(backend)
  let hasJustTaken = false
  let moreWait: Promise<boolean> | undefined

  // Returning no job is safe: the worker then waits for the marker, and `waitForJob` returns immediately if more jobs
  // wait. The worker may not learn when the next delayed job is due, but delayed jobs have a separate marker.
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
    const marker = more ? JOB_MARKER : await waitForMarker(timeoutSeconds)
    // A probe that ended in the meantime may have taken a job, so a worker that the marker has woken always requests
    // one.
    hasJustTaken = false
    return marker
  }
  return backend
}

/** Returns a function that removes the marker if no jobs wait, and returns whether more jobs wait. */
function createMarkerRemover(backend: RedisQueueBackend): () => Promise<boolean> {
  const { wait, prioritized, marker } = backend.keys
  let redis: Awaited<RedisQueueBackend['client']> | undefined
  return async () => {
    if (!redis) {
      redis = await backend.client
      redis.defineCommand(FORGET_MARKER_COMMAND, { numberOfKeys: 3, lua: FORGET_MARKER_LUA })
    }
    return (await redis.runCommand(FORGET_MARKER_COMMAND, [wait, prioritized, marker])) === 1
  }
}
