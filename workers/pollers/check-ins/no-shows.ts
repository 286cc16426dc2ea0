// Releases claims that nobody checked in to. A claim ends at its check-in deadline, however late a worker
// processes it. A timer and no queue, so that neither an unreachable Redis nor long upkeep delays it.
import type { Knex } from 'knex'
import type { Author } from '../../../shared/audit/audit.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, poll } from '../../../shared/utilities/poller.ts'
import { auditClaims, readFormerOfClaims } from '../../jobs/claims/claim-changes.ts'
import { type AuditedRow, openWrite } from '../../runtime/write.ts'

const EVERY_MS = 4_000
const PIECE = 500
// A check-in that arrived in time may still be on its way through the queue.
const GRACE = "interval '2 seconds'"
const AUTHOR: Author = { actor: { type: 'system', id: null, name: 'check-in' }, requestId: 'check-in' }

type Due = AuditedRow & { event_id: number | null; is_over: boolean }

const LOCK_DUE = `
  SELECT id, event_id, to_jsonb(bookings) AS row,
    coalesce(upper(during) <= check_in_until OR check_in_until <= lower(during), false) AS is_over
  FROM bookings
  WHERE check_in_until IS NOT NULL AND checked_in_at IS NULL AND released_at IS NULL
    AND check_in_until <= now() - ${GRACE}
  ORDER BY check_in_until LIMIT ${PIECE}
  FOR UPDATE SKIP LOCKED`

const RELEASE = `
  UPDATE bookings
  SET during = CASE WHEN is_over THEN during ELSE tstzrange(lower(during), check_in_until) END,
    released_at = CASE WHEN is_over THEN NULL ELSE now() END,
    check_in_until = CASE WHEN is_over THEN NULL ELSE check_in_until END,
    updated_at = CASE WHEN is_over THEN updated_at ELSE now() END
  FROM unnest(?::bigint[], ?::boolean[]) AS due (id, is_over) WHERE bookings.id = due.id
  RETURNING bookings.id, to_jsonb(bookings) AS row`

/** Returns the function that stops the poller once work under way is finished. */
export function startNoShowPoller(database: Knex, log: Log): Poller {
  return poll({
    everyMs: EVERY_MS,
    faults: new FaultLog(log, 'releasing works again'),
    fault: 'claims without check-in cannot be released',
    async work() {
      await releaseNoShows(database, log)
    },
  })
}

/** Returns the number of released claims. */
export async function releaseNoShows(database: Knex, log: Log): Promise<number> {
  let released = 0
  for (;;) {
    const piece = await releasePiece(database)
    const number = piece.filter(({ is_over }) => !is_over).length
    if (number > 0) log.info({ released: number }, 'released claims without check-in')
    released += number
    if (piece.length < PIECE) return released
  }
}

// Skips claims that another process is releasing or changing: the next run gets them, or they are done. A
// claim that ends before its deadline has nothing to release; clearing the deadline takes it out of the
// search.
function releasePiece(database: Knex): Promise<Due[]> {
  return database.transaction(async (trx) => {
    const write = openWrite(trx, AUTHOR)
    const due = await write.all<Due>(LOCK_DUE)
    if (due.length === 0) return []
    const released = due.filter(({ is_over }) => !is_over)
    const former = await readFormerOfClaims(write, released)
    const after = await write.all<AuditedRow>(RELEASE, [
      due.map(({ id }) => id),
      due.map(({ is_over }) => is_over),
    ])
    await auditClaims(write, 'release', former, { before: released, after })
    return due
  })
}
