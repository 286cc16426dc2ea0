// Queues mails for a worker to send: confirmations that are due, and offers of bookables to people on waitlists.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Company } from './company.ts'

// The interval between offers. It is not a multiple of the two seconds between the polls of the worker.
const OFFER_INTERVAL_MS = 1_300

type MailQueueStage = { database: Knex; company: Company }

/**
 * Books a bookable of the company for as many people as there are mails, and queues the confirmations, due at once, as
 * workers/pollers/mail/queue-booking-mails.ts does. `bookable` is the index of the bookable; each batch uses another
 * one.
 */
export async function queueConfirmations(
  { database, company }: MailQueueStage,
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

/**
 * Puts the company's last people on waitlists for free bookables, one person after the other. The worker then offers
 * them these bookables.
 */
export async function addToWaitlists({ database, company }: MailQueueStage, people: number): Promise<void> {
  const tuesday = "date_trunc('week', now()) + interval '15 days"
  for (const [index, user_id] of company.users.slice(-people).entries()) {
    const [bookable_id] = company.office.bookables.at(-1 - index) ?? []
    const during = database.raw(`tstzrange(${tuesday} 10 hours', ${tuesday} 14 hours')`)
    await database('waits').insert({ user_id, bookable_id, during })
    await sleep(OFFER_INTERVAL_MS)
  }
}
