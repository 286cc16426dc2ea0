// Writes the texts by which searches find users (gateway/reads/rows/user-texts.ts), for users whom triggers have noted. Until
// then searches look at these users one by one.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { LOCKS, tryLock } from '../../shared/database/locks.ts'
import type { Log } from '../../shared/utilities/log.ts'

const IS_FREE = `SELECT ${tryLock(LOCKS.userTexts)} AS free`

// One note at a time, of some two thousand users. A user who was deleted meanwhile has no text.
const WRITE = `
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
      // One worker at a time: with two, the one that read a user earlier might write later.
      const { rows: locks } = await trx.raw(IS_FREE)
      if (!locks[0].free) return { taken: 0, written: 0 }
      const { rows } = await trx.raw(WRITE)
      return rows[0]
    })
    if (taken === 0) break
    total += written
    // After an import, half of a processor is left to everybody else.
    await sleep(performance.now() - startedMs)
  }
  if (total > 0) log.info({ users: total }, 'texts written by which searches find users')
}
