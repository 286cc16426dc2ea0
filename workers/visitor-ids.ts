// Ids for visitors of events who were invited by a release that gave them none. A later release deletes this, with the index that
// it looks at.
import type { Knex } from 'knex'

const PIECE = 1_000

/** Returns how many; each piece is a transaction of its own. */
export async function drawVisitorIds(database: Knex): Promise<number> {
  let total = 0
  for (;;) {
    const { rowCount } = await database.raw(
      `UPDATE event_attendees SET visitor_id = nextval(pg_get_serial_sequence('users', 'id'))
       WHERE id = ANY (ARRAY(
         SELECT id FROM event_attendees WHERE user_id IS NULL AND visitor_id IS NULL ORDER BY id LIMIT ${PIECE}
       ))`,
    )
    total += rowCount
    if (rowCount < PIECE) return total
  }
}
