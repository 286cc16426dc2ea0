// Finds the screen of a secret address. Concurrent look-ups share a statement, because all screens reconnect
// together after an outage.
import type pg from 'pg'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { hashToken, isWellFormedToken } from '../../../../shared/tokens/token-store.ts'
import { BatchLoader } from '../../../../shared/utilities/shared-look-ups.ts'
import { limitWrongGuesses } from '../../../overload/refusals.ts'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import type { Screen } from './views.ts'

export const SCREEN_NOT_FOUND = message`This screen has been switched off, or its address is wrong.`
const TOO_MANY_REQUESTS = message`Too many requests for unknown screens from this address.`

async function findScreensByHash(pool: pg.Pool, hashes: string[]): Promise<Map<string, Screen>> {
  const { rows } = await pool.query<Screen>({
    name: 'find-screens',
    text: `SELECT encode(hash, 'hex') AS hash, id, kind, name, appearance, language FROM screens
           WHERE hash = ANY (ARRAY(SELECT decode(each, 'hex') FROM unnest($1::text[]) AS each)) AND revoked_at IS NULL`,
    values: [hashes],
  })
  return new Map(rows.map((screen) => [screen.hash, screen]))
}

/** Limits wrong secrets like wrong passwords: looks up only a limited number per minute and network address. */
export function createScreenFinder(services: Services) {
  const screens = new BatchLoader((hashes) => findScreensByHash(services.reserved.authentication, hashes))
  return async ({ ip }: Context, secret: string): Promise<Screen> => {
    const found = isWellFormedToken(secret, 'screen')
      ? await screens.ask(hashToken(secret).toString('hex'))
      : undefined
    if (found) return found
    throw await limitWrongGuesses(services, ip, new Refusal('not_found', SCREEN_NOT_FOUND), TOO_MANY_REQUESTS)
  }
}
