// Checks what planners leave: nobody is away twice or has a booking then, each day has one place, only lent desks are with
// somebody else, and a series is changed as a whole.
import { bookingsInDaysSql } from '../../../shared/absences/absences-shape.ts'
import { isLentSql } from '../../../shared/loans/loans-shape.ts'
import { determineVerdict } from '../history.ts'
import { findSeriesId, findTimes, type Office } from '../load/office.ts'
import { selectRows } from './database.ts'
import type { Facts } from './facts.ts'

export async function checkWeeks(facts: Facts, office: Office): Promise<void> {
  await checkDays(facts)
  await checkLentDesks(facts)
  await checkSeries(facts, office)
}

/**
 * Planners release what they have on the days of an absence, and nobody books for them at the same moment. A booking
 * that has ended may be the rest of a day that was set again.
 */
async function checkDays({ database, history }: Facts): Promise<void> {
  // Compares days without the constraint's operator, because the operator itself could be wrong.
  const found = await selectRows(
    database,
    `SELECT 'away twice' AS is, one.id FROM absences AS one JOIN absences AS other
       ON other.id > one.id AND other.user_id = one.user_id
       AND lower(one.days) < upper(other.days) AND lower(other.days) < upper(one.days)
     UNION ALL
     SELECT 'away with a booking', absences.id FROM absences WHERE EXISTS (
       SELECT FROM ${bookingsInDaysSql({ user: 'absences.user_id', days: 'absences.days', now: 'now()' })})
     UNION ALL
     SELECT 'two places on a day', min(bookings.id) FROM bookings
       JOIN bookables ON bookables.id = bookable_id JOIN bookable_assignees ON bookable_assignees.user_id = bookings.user_id
       WHERE guest_name IS NULL AND series_id IS NULL AND type IN (0, 3) AND upper(during) > now()
       GROUP BY bookings.user_id, lower(during)::date HAVING count(*) > 1`,
  )
  const promise = 'a person who is away twice or with a booking, or has two places on a day'
  for (const row of found) history.find(promise, undefined, JSON.stringify(row))
}

/** A loan cannot be taken back while somebody has the desk, so each booking of others is on lent days. */
async function checkLentDesks({ database, history }: Facts): Promise<void> {
  const found = await selectRows(
    database,
    `SELECT bookings.id FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id AND status = 2
     WHERE NOT EXISTS (SELECT FROM bookable_assignees AS own
         WHERE own.bookable_id = bookings.bookable_id AND own.user_id = bookings.user_id)
       AND NOT ${isLentSql('bookings.bookable_id', 'lower(bookings.during)', 'upper(bookings.during)')}`,
  )
  const promise = 'a desk that its owner does not lend and somebody else has'
  for (const row of found) history.find(promise, undefined, JSON.stringify(row))
}

/** Compares the times of each series with those that its changes leave. */
async function checkSeries({ database, history }: Facts, { series }: Office): Promise<void> {
  for (const each of series) {
    const id = findSeriesId(each)
    if (id === undefined) continue
    // Skips writes that were never resolved, because another check reports them.
    if (each.steps.some(({ write }) => determineVerdict(write) === 'unknown')) continue
    const condition = each.rows === 'events' ? { status: 1 } : {}
    const rows: Array<{ ms: string }> = await database(each.rows)
      .where({ series_id: id, ...condition })
      .select(database.raw('extract(epoch FROM lower(during)) * 1000 AS ms'))
      .orderByRaw('lower(during)')
    const [is, expected] = [
      rows.map(({ ms }) => Number(ms)).join(),
      findTimes(each)
        .toSorted((a, b) => a - b)
        .join(),
    ]
    if (is === expected) continue
    const what = `series ${id} of ${each.rows} begins at ${is}, not at ${expected}`
    history.find('a series of which only a part was changed', undefined, what)
  }
}
