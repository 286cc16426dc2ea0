// What an administrator does to their own account. The gateway writes it itself: it must work while Redis is down.
import type pg from 'pg'
import { endSessions } from '../framework/sessions/sessions.ts'

/**
 * Together with the end of the other sessions, which are counted; undefined where it has been changed since it was looked
 * at. Two statements, because whoever signs in at this moment with the old one is seen by the second one only.
 */
export async function changePassword(
  primary: pg.Pool,
  { id, from, to, spared }: { id: number; from: string; to: string; spared: string },
): Promise<number | undefined> {
  const client = await primary.connect()
  let isClean = false
  try {
    await client.query('BEGIN')
    const { rowCount } = await client.query(
      'UPDATE admins SET password_hash = $3, updated_at = now() WHERE id = $1 AND password_hash = $2',
      [id, from, to],
    )
    const ended = rowCount === 1 ? await endSessions(client, id, spared) : undefined
    await client.query('COMMIT')
    isClean = true
    return ended
  } finally {
    client.release(!isClean)
  }
}
