// The direct rival: our own attempt with all its rules and rows, performed by the process that answers. The
// difference to Berth is the cost of the queue, the worker and their messages.
import { randomUUID } from 'node:crypto'
import { connectDatabase } from '../../shared/database/database.ts'
import type { Envelope, InputOf, Outcome } from '../../shared/jobs/jobs.ts'
import { instantOf } from '../../shared/utilities/date-times.ts'
import { batchHandlers } from '../../workers/jobs/handlers.ts'
import { performTogether } from '../../workers/runtime/perform.ts'
import { BASE_URL, type BookingBody, CONNECTIONS_MAX, databaseUrl, serve } from './serve.ts'

const database = connectDatabase(databaseUrl(), {
  applicationName: 'bench-direct',
  connectionsMax: CONNECTIONS_MAX,
  pipeline: true,
})

serve({
  async booking(body) {
    const outcome = await attempt(envelopeOf(body))
    if (outcome?.status !== 200) throw new Error(`Not booked: ${outcome?.body}`)
    return outcome.body ?? ''
  },
})

// Runs the attempt as a worker runs a single job.
async function attempt(envelope: Envelope<InputOf<'bookings.create'>>): Promise<Outcome | undefined> {
  for await (const done of performTogether(database, [envelope], batchHandlers['bookings.create']))
    if (done.has(envelope)) return done.get(envelope)
  return undefined
}

function envelopeOf(input: BookingBody): Envelope<InputOf<'bookings.create'>> {
  return {
    input,
    attempt: randomUUID(),
    database: '',
    actor: { type: 'system', id: null, name: 'bench' },
    requestId: randomUUID(),
    baseUrl: BASE_URL,
    receivedAt: instantOf(Date.now()),
    deadlineMs: Date.now() + 10_000,
    replyTo: null,
    idempotency: null,
  }
}
