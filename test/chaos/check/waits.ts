// Checks the waitlist: free desks are offered in order, nobody gets the same offer twice, and no desk stays held.
import type { Knex } from 'knex'
import { AUDITED_WAITLIST_ENTRY } from '../../../workers/jobs/claims/waits.ts'
import { eventually } from '../../support/time.ts'
import { measureSlowness } from '../slowness.ts'
import type { Facts } from './facts.ts'

/** SQL for waitlist entries in the format of the audit log. */
export const WAITLIST_ROWS_SQL = `SELECT id, ${AUDITED_WAITLIST_ENTRY} AS row FROM waits`

// Every write is visible within this time. People who start waiting less than this apart may be in either order.
const VISIBLE_WITHIN_SQL = "interval '20 seconds'"
// Offers lapse within seconds in this run, and workers check every few seconds what to offer.
const LAPSED_WITHIN_SQL = "interval '10 seconds'"
const OFFERS_SETTLED_MS_MAX = 30_000

export async function checkWaits(facts: Facts): Promise<void> {
  await checkOfferOrder(facts)
  await checkOffers(facts)
  await checkOffersMoveOn(facts)
}

export async function countWaits(database: Knex): Promise<Array<[action: string, times: number]>> {
  const { rows } = await database.raw(
    "SELECT action, count(*)::int AS times FROM audit_log WHERE resource = 'waits' GROUP BY action ORDER BY action",
  )
  return rows.map(({ action, times }: { action: string; times: number }) => [action, times])
}

/** Checks that the person who has waited longest gets the first offer. All people wait for the same desks. */
async function checkOfferOrder({ database, history }: Facts): Promise<void> {
  const { rows } = await database.raw(
    `WITH steps AS (
       SELECT id, at, action, resource_id AS wait, after ->> 'state' AS state,
         coalesce(lead(id) OVER (PARTITION BY resource_id ORDER BY id), 'infinity'::float8) AS next
       FROM audit_log WHERE resource = 'waits'
     )
     SELECT offers.wait, offers.at, json_agg(json_build_array(earlier.wait, earlier.at, earlier.action)) AS "passedOver"
     FROM steps AS offers JOIN steps AS earlier ON earlier.wait < offers.wait AND earlier.state = 'waiting'
       AND earlier.id < offers.id AND offers.id < earlier.next AND earlier.at < offers.at - ${VISIBLE_WITHIN_SQL}
     WHERE offers.action = 'waits.offer' GROUP BY offers.id, offers.wait, offers.at`,
  )
  for (const row of rows) history.find('offered to somebody who came later', undefined, JSON.stringify(row))
}

/** Checks that a person has at most one offer for the same time, and holds the desk of an accepted offer. */
async function checkOffers({ database, history }: Facts): Promise<void> {
  const { rows } = await database.raw(
    `SELECT 'two offers at once' AS is, one.id FROM waits AS one JOIN waits AS other
       ON other.id > one.id AND other.user_id = one.user_id AND other.during && one.during
       WHERE one.state = 'offered' AND other.state = 'offered'
     UNION ALL
     SELECT 'taken without a booking', resource_id FROM audit_log AS taken
       WHERE action = 'waits.accept' AND NOT EXISTS (
         SELECT FROM audit_log AS booked WHERE booked.request_id = taken.request_id
           AND booked.action = 'bookings.create' AND booked.after -> 'user_id' = taken.after -> 'user_id'
           AND booked.after -> 'bookable_id' = taken.after -> 'offered_bookable_id')`,
  )
  for (const row of rows)
    history.find(
      'a request or offer that was decided twice, or keeps a place that is not its own',
      undefined,
      JSON.stringify(row),
    )
}

/** Checks that a desk is offered to the next person automatically if an offer is not accepted. */
async function checkOffersMoveOn({ database, history }: Facts): Promise<void> {
  try {
    await eventually(async () => {
      const { rows } = await database.raw(
        `SELECT 'is held' AS is, id FROM holds WHERE state = 'pending' AND kind = 'offer' AND expires_at < now() - ${LAPSED_WITHIN_SQL}
         UNION ALL
         SELECT 'is free', bookables.id FROM bookables JOIN waits ON waits.location_id = bookables.location_id
           WHERE waits.state = 'waiting' AND NOT EXISTS (
             SELECT FROM bookings WHERE bookings.bookable_id = bookables.id AND bookings.during && waits.during)`,
      )
      if (rows.length > 0) throw new Error(JSON.stringify(rows.slice(0, 3)))
    }, OFFERS_SETTLED_MS_MAX * measureSlowness())
  } catch (error) {
    history.find(
      'a place that is held forever, or free while somebody waits',
      undefined,
      (error as Error).message,
    )
  }
}
