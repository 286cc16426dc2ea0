// What the queue board permits: viewing, retrying failed jobs, removing finished ones, pausing and resuming.
// Everything else is refused, including what a newer version of bull-board adds: a job that is added or
// changed there would be a write without a request, and emptying a queue would lose writes.
import type { BoardHooks } from '@bull-board/api/typings/app'
import { type Sentence, sentence, translate } from '../../locales/translate.ts'
import { maskJob, maskJobName, pick } from './masks.ts'

type Body = Record<string, unknown>
type Mask = (body: Body) => object
type HookContext = Parameters<NonNullable<BoardHooks['before']>>[0]
type Request = HookContext['request']

const unmasked: Mask = (body) => body

const READS: Record<string, Mask> = {
  '/api/redis/stats': unmasked,
  '/api/queues': ({ queues }) => ({
    queues: (queues as Array<{ jobs: Body[] }>).map((queue) => ({ ...queue, jobs: queue.jobs.map(maskJob) })),
  }),
  '/api/job-schedulers': ({ schedulers }) => ({ schedulers: (schedulers as Body[]).map(maskScheduler) }),
  '/api/queues/:queueName/metrics': unmasked,
  '/api/queues/:queueName/default-job-options': unmasked,
  '/api/queues/:queueName/workers': unmasked,
  '/api/queues/:queueName/rate-limit': unmasked,
  '/api/queues/:queueName/job-data-schema': unmasked,
  // Our jobs write no logs, and those of other programs are not shown.
  '/api/queues/:queueName/:jobId/logs': () => [],
  // Our jobs have no children.
  '/api/queues/:queueName/:jobId/flow': ({ nodeId }) => ({ nodeId, flowRoot: null, isFlowNode: false }),
  '/api/queues/:queueName/:jobId': ({ job, status }) => ({ job: maskJob(job as Body), status }),
}

type Check = (request: NonNullable<Request>) => Promise<Sentence | undefined> | Sentence | undefined

const ACTIONS: Record<string, Check> = {
  '/api/queues/pause': () => undefined,
  '/api/queues/resume': () => undefined,
  '/api/queues/:queueName/pause': () => undefined,
  '/api/queues/:queueName/resume': () => undefined,
  '/api/queues/:queueName/retry/:queueStatus': ({ params }) =>
    params.queueStatus === 'failed' ? retryRefusal(params.queueName) : ONLY_FAILED,
  '/api/queues/:queueName/clean/:queueStatus': ({ params }) =>
    ['failed', 'completed'].includes(params.queueStatus) ? undefined : ONLY_FINISHED,
  '/api/queues/:queueName/:jobId/retry': async (request) =>
    (await isIn(request, ['failed'])) ? retryRefusal(request.params.queueName) : ONLY_FAILED,
  '/api/queues/:queueName/:jobId/clean': async (request) =>
    (await isIn(request, ['failed', 'completed'])) ? undefined : ONLY_FINISHED,
}

const ONLY_FAILED = sentence`Only failed jobs can be retried.`
const ONLY_FINISHED = sentence`Only finished jobs can be removed.`
const SWITCHED_OFF = sentence`Not available here: jobs are created only by requests.`

export const rights: BoardHooks = {
  async before({ method, route, request }) {
    if (method === 'get' && Object.hasOwn(READS, route)) return { allow: true }
    const check = method === 'put' && Object.hasOwn(ACTIONS, route) ? ACTIONS[route] : undefined
    const refusal = check && request ? await check(request) : SWITCHED_OFF
    return refusal === undefined
      ? { allow: true }
      : { allow: false, status: 403, message: translate(refusal) }
  },
  async after({ method, route }, result) {
    if (method !== 'get' || isError(result.body)) return result
    const mask = READS[route] ?? (() => ({}))
    return { ...result, body: mask(result.body as Body) }
  },
}

/** Writes cannot be retried: a caller waited for each, and got the answer that it failed. */
export const mayRetry = (queue: string) => queue !== 'writes'

const retryRefusal = (queue: string) =>
  mayRetry(queue)
    ? undefined
    : sentence`You cannot retry a change here: the person who made it saw that it failed, and can make it again.`

function maskScheduler(scheduler: Body): Body {
  const shown = ['id', 'every', 'pattern', 'next', 'iterationCount', 'queueName', 'lastRun', 'lastRunJobId']
  return { ...pick(scheduler, shown), name: maskJobName(scheduler.name) }
}

// If there is no such queue or job, bull-board itself answers so.
async function isIn({ queues, params }: NonNullable<Request>, states: string[]): Promise<boolean> {
  const job = await queues.get(params.queueName)?.getJob(params.jobId)
  return !job || states.includes(await job.getState())
}

function isError(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body
}
