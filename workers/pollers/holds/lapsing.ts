// Lets holds lapse that nobody has decided in time, and frees what they keep. A timer, like that of no-shows.
import type { Knex } from 'knex'
import type { Author } from '../../../shared/audit/audit.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, poll } from '../../../shared/utilities/poller.ts'
import { decideHolds } from '../../jobs/claims/holds.ts'
import { openWrite } from '../../runtime/write.ts'

const EVERY_MS = 4_000
const PIECE = 500
// A decision that arrived in time may still be on its way through the queue.
const GRACE = "interval '2 seconds'"
const AUTHOR: Author = { actor: { type: 'system', id: null, name: 'holds' }, requestId: 'holds' }

/** Returns the function that stops the poller once work under way is finished. */
export function startHoldPoller(database: Knex, log: Log): Poller {
  return poll({
    everyMs: EVERY_MS,
    faults: new FaultLog(log, 'holds lapse again'),
    fault: 'holds cannot lapse',
    async work() {
      await lapseHolds(database, log)
    },
  })
}

/** Returns the number of lapsed holds. */
export async function lapseHolds(database: Knex, log: Log): Promise<number> {
  let lapsed = 0
  for (;;) {
    const piece = await lapsePiece(database)
    if (piece > 0) log.info({ lapsed: piece }, 'holds have lapsed')
    lapsed += piece
    if (piece < PIECE) return lapsed
  }
}

// Skips holds that somebody is deciding, or another process lets lapse: the next run gets them, or they are done.
function lapsePiece(database: Knex): Promise<number> {
  return database.transaction(async (trx) => {
    const write = openWrite(trx, AUTHOR)
    const due = await write.ids(
      `SELECT id FROM holds WHERE state = 'pending' AND expires_at <= now() - ${GRACE}
       ORDER BY expires_at LIMIT ${PIECE} FOR UPDATE SKIP LOCKED`,
      [],
    )
    if (due.length > 0) await decideHolds(write, due, { state: 'lapsed' })
    return due.length
  })
}
