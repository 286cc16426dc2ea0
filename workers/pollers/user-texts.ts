// Writes the texts by which searches find users (gateway/reads/rows/user-texts.ts), for users that triggers have
// marked. Until that is done, searches check these users one by one.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { LOCKS, tryLockSql } from '../../shared/database/locks.ts'
import type { Log } from '../../shared/utilities/log.ts'

const TRY_LOCK_SQL = `SELECT ${tryLockSql(LOCKS.userTexts)} AS free`

// SQL that processes one marked range of about two thousand users. A user who was deleted in the meantime has no text.
const WRITE_SQL = `
  WITH taken AS (
    DELETE FROM changed_user_texts WHERE id = (SELECT min(id) FROM changed_user_texts) RETURNING user_ids
  ), written AS (
    INSERT INTO user_texts (user_id, text)
    SELECT users.id, lower(users.name || ' ' || users.email || ' ' || coalesce(users.upn, '')) || coalesce((
      SELECT string_agg(' ' || lower(replace(license_plate, ' ', '')), '') FROM vehicles WHERE user_id = users.id), '')
    FROM users WHERE users.id IN (SELECT unnest(user_ids) FROM taken)
    ORDER BY users.id FOR KEY SHARE
    ON CONFLICT (user_id) DO UPDATE SET text = EXCLUDED.text WHERE user_texts.text <> EXCLUDED.text
    RETURNING user_id
  )
  SELECT (SELECT count(*) FROM taken)::int AS taken, (SELECT count(*) FROM written)::int AS written`

export async function writeUserTexts(database: Knex, log: Log): Promise<void> {
  let total = 0
  for (;;) {
    const startedMs = performance.now()
    const { taken, written } = await database.transaction(async (trx) => {
      // Only one worker at a time may do this. With two workers, the one that read a user earlier might write later.
      const { rows: locks } = await trx.raw(TRY_LOCK_SQL)
      if (!locks[0].free) return { taken: 0, written: 0 }
      const { rows } = await trx.raw(WRITE_SQL)
      return rows[0]
    })
    if (taken === 0) break
    total += written
    // Pauses for as long as the work took, so that this work never takes more than half of a processor after
    // an import.
    await sleep(performance.now() - startedMs)
  }
  if (total > 0) log.info({ users: total }, 'search texts of users updated')
}
