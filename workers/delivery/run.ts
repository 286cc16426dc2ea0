// The only consumer: handles every job of the API from its delivery to its reply.
import { UnrecoverableError } from 'bullmq'
import { within } from '../../shared/tracing/tracing.ts'
import {
  type Attempt,
  admit,
  declineAll,
  type Ended,
  isAttempt,
  type Result,
  skipIfLate,
  type Tools,
} from '../runtime/attempts.ts'
import { isForgotten } from '../runtime/finished-jobs.ts'
import { observed } from '../runtime/observed.ts'
import { type Delivery, splitBatch } from '../runtime/payloads.ts'
import { endAttemptSpan, startAttemptSpan } from '../runtime/trace-attempts.ts'
import { runAlone } from './run-alone.ts'
import { goesTogether, runTogether } from './run-together.ts'

export async function run(delivery: Delivery, tools: Tools): Promise<Result | Result[]> {
  if (isForgotten(delivery.data)) throw leftUndone('its deadline has passed')
  const batch = await split(delivery, tools)
  if (batch && delivery.stalledCounter) return queueEachAlone(batch, tools)
  const deliveries = batch ?? [delivery]
  tools.observer?.carried(deliveries.length)
  const results = resultsOf(await runAll(deliveries, tools))
  if (delivery.attemptsMade) failWhereSkipped(results)
  const [only] = results
  return batch || !only ? results : only
}

// A skipped job was retried by hand after it had failed. It is left undone, so it stays among the failed.
function failWhereSkipped(results: Result[]) {
  const [skipped] = results.flatMap((result) => ('skipped' in result ? [result.skipped] : []))
  if (skipped !== undefined) throw leftUndone(skipped)
}

const leftUndone = (why: string) => new UnrecoverableError(`Left undone: ${why}`)

async function split(delivery: Delivery, tools: Tools): Promise<Delivery[] | undefined> {
  try {
    return splitBatch(delivery)
  } catch (error) {
    throw await declineAll(delivery, error, tools)
  }
}

// One of the attempts may have crashed its worker, and must not keep the others from being done.
async function queueEachAlone(batch: Delivery[], { queueAlone, log }: Tools): Promise<Result> {
  log.warn(
    { attempts: batch.length },
    'a worker stopped responding with a batch; each attempt is queued alone',
  )
  await Promise.all(batch.map(queueAlone))
  return { skipped: 'each of its attempts was queued alone' }
}

/** Results are in the order of the deliveries. */
async function runAll(deliveries: Delivery[], tools: Tools): Promise<Ended[]> {
  await tools.clock.compared
  const admitted = await Promise.all(deliveries.map((delivery) => admit(delivery, tools)))
  const attempts = admitted.filter(isAttempt)
  for (const attempt of attempts) attempt.span = startAttemptSpan(attempt.name, attempt.envelope)
  const together = runTogether(attempts.filter(goesTogether), tools)
  const end = async (each: Attempt | Ended): Promise<Ended> => {
    if (!isAttempt(each)) return each
    const done = goesTogether(each) ? ((await together).get(each) ?? skipIfLate(each, tools)) : undefined
    const ended = done ?? (await within(each.span, () => runAlone(each, tools)))
    endAttemptSpan(each.span, ended)
    return ended
  }
  return Promise.all(
    admitted.map((each, index) => observed(tools.observer, deliveries[index]?.name ?? '', () => end(each))),
  )
}

function resultsOf(ended: Ended[]): Result[] {
  const failures = ended.filter((each) => each instanceof Error)
  const [failure] = failures
  if (failure && ended.length === 1) throw failure
  if (failure) {
    throw new UnrecoverableError(`${failures.length} of ${ended.length} attempts failed: ${failure.message}`)
  }
  return ended.filter((each): each is Result => !(each instanceof Error))
}
