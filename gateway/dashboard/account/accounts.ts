// What administrators change about their own accounts. The gateway writes these changes itself, so that they
// work while Redis is down.
import type pg from 'pg'
import { endSessions } from '../kit/sessions/sessions.ts'

/**
 * Changes the password, ends the other sessions and returns their number, or undefined if the password has
 * changed since it was checked. Two statements, because only the second one sees a session that begins right
 * now with the old password.
 */
export async function changePassword(
  primary: pg.Pool,
  { id, from, to, exceptSession }: { id: number; from: string; to: string; exceptSession: string },
): Promise<number | undefined> {
  const client = await primary.connect()
  let isClean = false
  try {
    await client.query('BEGIN')
    const { rowCount } = await client.query(
      'UPDATE admins SET password_hash = $3, updated_at = now() WHERE id = $1 AND password_hash = $2',
      [id, from, to],
    )
    const ended = rowCount === 1 ? await endSessions(client, id, exceptSession) : undefined
    await client.query('COMMIT')
    isClean = true
    return ended
  } finally {
    client.release(!isClean)
  }
}
