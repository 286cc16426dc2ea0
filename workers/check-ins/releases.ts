// Releases what nobody has checked in to: the claim ends at the moment until which it asked for that, however late a worker
// comes to it. By a timer and not by a queue, so that neither a Redis that is away nor long upkeep delays it.
import type { Knex } from 'knex'
import { auditEach } from '../../shared/audit.ts'
import type { Actor } from '../../shared/jobs.ts'
import type { Log } from '../../shared/log.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'

const EVERY_MS = 4_000
const PIECE = 500
// A check-in that arrived in time may still be on its way through the queue.
const GRACE = "interval '2 seconds'"
const FAULT_OVER_AFTER_MS = 30_000
const SYSTEM: Actor = { type: 'system', id: null, name: 'check-in' }

type Released = { id: number; event_id: number | null; before: unknown; after: unknown; is_over: boolean }

/** Returns what stops it; what is under way is finished. */
export function keepReleasing(database: Knex, log: Log): { stop(): Promise<void> } {
  const faults = new FaultLog(log, 'releasing works again', FAULT_OVER_AFTER_MS)
  let underWay: Promise<void> = Promise.resolve()
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    underWay = releaseUnclaimed(database, log)
      .then(() => undefined)
      .catch((error) => faults.fault(error, 'what nobody checked in to cannot be released'))
      .finally(() => {
        isBusy = false
      })
  }, EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await underWay
    },
  }
}

/** Returns how many. */
export async function releaseUnclaimed(database: Knex, log: Log): Promise<number> {
  let released = 0
  for (;;) {
    const piece = await releasePiece(database)
    const number = piece.filter(({ is_over }) => !is_over).length
    if (number > 0) log.info({ released: number }, 'released what nobody checked in to')
    released += number
    if (piece.length < PIECE) return released
  }
}

// What another process releases, or somebody is just changing, is passed over: the next time has it, or it is done. What
// was over before asked in vain, and is not looked at again.
function releasePiece(database: Knex): Promise<Released[]> {
  return database.transaction(async (trx) => {
    const { rows } = await trx.raw(
      `WITH due AS (
         SELECT id, to_jsonb(bookings) AS before,
           upper(during) <= check_in_until OR check_in_until <= lower(during) AS is_over
         FROM bookings
         WHERE check_in_until IS NOT NULL AND checked_in_at IS NULL AND released_at IS NULL
           AND check_in_until <= now() - ${GRACE}
         ORDER BY check_in_until LIMIT ${PIECE}
         FOR UPDATE SKIP LOCKED
       )
       UPDATE bookings
       SET during = CASE WHEN due.is_over THEN during ELSE tstzrange(lower(during), check_in_until) END,
         released_at = CASE WHEN due.is_over THEN NULL ELSE now() END,
         check_in_until = CASE WHEN due.is_over THEN NULL ELSE check_in_until END,
         updated_at = CASE WHEN due.is_over THEN updated_at ELSE now() END
       FROM due WHERE bookings.id = due.id
       RETURNING bookings.id, event_id, due.before, to_jsonb(bookings) AS after, coalesce(due.is_over, false) AS is_over`,
    )
    const released = rows.filter(({ is_over }: Released) => !is_over)
    for (const resource of ['bookings', 'events'] as const) {
      const own = released.filter(
        ({ event_id }: Released) => (event_id === null) === (resource === 'bookings'),
      )
      const changes = own.map(({ id, event_id, before, after }: Released) => ({
        id: event_id ?? id,
        before,
        after,
      }))
      await auditEach(
        trx,
        { actor: SYSTEM, requestId: 'check-in' },
        { action: `${resource}.release`, resource },
        changes,
      )
    }
    return rows
  })
}
