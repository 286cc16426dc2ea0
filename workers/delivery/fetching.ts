// How a worker of BullMQ asks Redis for jobs. By itself it asks twice in vain for each job that comes alone: before it begins
// with the job it looks whether there is another one, and since its marker is set again by each job that is taken, it wakes at
// once, to find nothing. Here it remembers that it has just taken one, and the marker goes where nothing waits.
import { type BackendFactory, createRedisBackend, type RedisQueueBackend } from 'bullmq'
import { withTimeout } from '../../shared/utilities/timeouts.ts'

const FORGET_MARKER = 'forgetMarker'

// In one step: whoever adds a job sets the marker, and that one must stay. Returns whether more jobs wait.
const FORGET_MARKER_LUA = `
  if redis.call('LLEN', KEYS[1]) > 0 or redis.call('ZCARD', KEYS[2]) > 0 then return 1 end
  redis.call('ZREM', KEYS[3], '0')
  return 0`

// What wakes a worker: a job may be there, now.
const MARKER = { member: '0', score: 0 }

export const createWorkerBackend: BackendFactory<RedisQueueBackend> = (name, options, connections) => {
  const backend = createRedisBackend(name, options, connections)
  const take = backend.moveToActive.bind(backend)
  const waitForMarker = backend.waitForJob.bind(backend)
  const forgetMarker = markerForgetting(backend)
  let hasJustTaken = false
  let moreWait: Promise<boolean> | undefined

  // Finding nothing is not the end of it: the worker then waits for the marker, and is told below if more jobs are there. It may
  // not hear when the next job is due; that has a marker of its own.
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
    // A probe that has ended meanwhile may have taken a job: whoever was woken asks all the same.
    hasJustTaken = false
    return marker
  }
  return backend
}

/** Tells whether more jobs wait, and forgets the marker where none does. */
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
