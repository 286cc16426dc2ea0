// Mails for a worker to send: confirmations that are due, and places that it offers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Company } from './company.ts'

// Not in step with the pollers of the worker, which look every two seconds.
const OFFER_EVERY_MS = 1_300

type Stage = { database: Knex; company: Company }

/**
 * Books a place of the company for as many people, and queues their mails, due at once, as
 * workers/pollers/mail/queue-booking-mails.ts does it. `bookable` is the index of the place; each batch uses another one.
 */
export async function queueConfirmations(
  { database, company }: Stage,
  batch: { bookable: number; number: number },
): Promise<void> {
  const [bookable] = company.office.bookables[batch.bookable] ?? []
  await database.raw(
    `WITH people AS (
       SELECT id, number FROM unnest(CAST(:people AS bigint[])) WITH ORDINALITY AS listed (id, number)
     ), booked AS (
       INSERT INTO bookings (user_id, bookable_id, exclusive, during)
       SELECT id, :bookable, true,
         tstzrange(now() + (1000 + number) * interval '1 hour', now() + (1001 + number) * interval '1 hour')
       FROM people RETURNING id, user_id
     ), told AS (
       INSERT INTO told_bookings (user_id, booking_id) SELECT user_id, id FROM booked
     )
     INSERT INTO mails (kind, user_id, change_attempt, booking_ids, actor_type, actor_id, next_at)
     SELECT 'confirmation', user_id, gen_random_uuid(), ARRAY[id], 'user', user_id, now() FROM booked`,
    { people: company.users.slice(0, batch.number), bookable },
  )
}

/** The last people of the company wait one after the other for free places, which the worker then offers. */
export async function waitForPlaces({ database, company }: Stage, people: number): Promise<void> {
  const tuesday = "date_trunc('week', now()) + interval '15 days"
  for (const [index, user_id] of company.users.slice(-people).entries()) {
    const [bookable_id] = company.office.bookables.at(-1 - index) ?? []
    const during = database.raw(`tstzrange(${tuesday} 10 hours', ${tuesday} 14 hours')`)
    await database('waits').insert({ user_id, bookable_id, during })
    await sleep(OFFER_EVERY_MS)
  }
}
