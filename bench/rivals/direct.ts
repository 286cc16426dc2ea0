// The direct rival: it runs Berth's own code for a booking, with all rules and rows, in the process that
// answers. The difference from Berth is the cost of the queue, the worker and their messages.
import { randomUUID } from 'node:crypto'
import { connectDatabase } from '../../shared/database/database.ts'
import type { Envelope, InputOf, Outcome } from '../../shared/jobs/jobs.ts'
import { formatInstant } from '../../shared/utilities/date-times.ts'
import { batchHandlers } from '../../workers/jobs/handlers.ts'
import { performTogether } from '../../workers/runtime/perform.ts'
import { BASE_URL, type BookingBody, CONNECTIONS_MAX, getDatabaseUrl, serveRival } from './serve.ts'

const database = connectDatabase(getDatabaseUrl(), {
  applicationName: 'bench-direct',
  connectionsMax: CONNECTIONS_MAX,
  pipeline: true,
})

serveRival({
  async booking(body) {
    const outcome = await performBooking(createEnvelope(body))
    if (outcome?.status !== 200) throw new Error(`Not booked: ${outcome?.body}`)
    return outcome.body ?? ''
  },
})

// Runs the code of a booking the way a worker runs a single job.
async function performBooking(envelope: Envelope<InputOf<'bookings.create'>>): Promise<Outcome | undefined> {
  for await (const done of performTogether(database, [envelope], batchHandlers['bookings.create']))
    if (done.has(envelope)) return done.get(envelope)
  return undefined
}

function createEnvelope(input: BookingBody): Envelope<InputOf<'bookings.create'>> {
  return {
    input,
    attempt: randomUUID(),
    database: '',
    actor: { type: 'system', id: null, name: 'bench' },
    requestId: randomUUID(),
    baseUrl: BASE_URL,
    receivedAt: formatInstant(Date.now()),
    deadlineMs: Date.now() + 10_000,
    replyTo: null,
    idempotency: null,
  }
}
