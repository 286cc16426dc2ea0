// Creates tokens that belong to a person.
import type { Knex } from 'knex'
import { type Ability, createToken } from '../../shared/tokens/token-store.ts'
import { hoursFromNow } from './factories.ts'

type TokenLimits = { buildingIds?: number[] | undefined }

/** Creates a personal token. Without a user, the token belongs to nobody. */
export async function createPersonalToken(
  database: Knex,
  userId: number | undefined,
  abilities: readonly Ability[] = ['read', 'booking-write'],
  limits: TokenLimits = {},
): Promise<string> {
  const wanted = {
    name: 'program',
    abilities,
    userId,
    expiresAt: hoursFromNow(24),
    createdBy: 'test',
    ...limits,
  }
  return (await createToken(database, wanted)).token
}
