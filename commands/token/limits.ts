// The limits of a token as an operator specifies them: the token's buildings, and the person who owns it.
import type { Knex } from 'knex'
import { CliError } from '../../local/tools/terminal.ts'
import {
  PERSONAL_DAYS_DEFAULT,
  PERSONAL_DAYS_MAX,
  TOKEN_BUILDINGS_MAX,
} from '../../shared/tokens/token-store.ts'
import { formatInstant } from '../../shared/utilities/date-times.ts'

const DAY_MS = 86_400_000

/** Returns the time that the operator chose for a personal token to expire. Refuses a time that is too far ahead. */
export function readPersonalExpiry(expiresAt: string | undefined): string {
  if (expiresAt === undefined) return formatInstant(Date.now() + PERSONAL_DAYS_DEFAULT * DAY_MS)
  // Adds a day, because the token still works on its last day.
  if (Date.parse(expiresAt) <= Date.now() + (PERSONAL_DAYS_MAX + 1) * DAY_MS) return expiresAt
  throw new CliError(
    `A personal token can be valid for at most ${PERSONAL_DAYS_MAX} days: --expires is later.`,
  )
}

export async function findUser(database: Knex, email: string): Promise<number> {
  const active = 'SELECT id FROM users WHERE lower(email) = lower(?) AND deactivated_at IS NULL'
  const { rows } = await database.raw<{ rows: Array<{ id: number }> }>(active, [email])
  if (rows[0]) return rows[0].id
  throw new CliError(`There is no active user with the e-mail “${email}”.`)
}

// Finds buildings by id if the text is a number, otherwise by name, ignoring case.
export async function findBuildings(database: Knex, asked: string[]): Promise<number[]> {
  if (asked.length > TOKEN_BUILDINGS_MAX)
    throw new CliError(`--building may be given ${TOKEN_BUILDINGS_MAX} times.`)
  const found = await Promise.all(asked.map((each) => findBuilding(database, each.trim())))
  return [...new Set(found)]
}

async function findBuilding(database: Knex, text: string): Promise<number> {
  const { rows } = await database.raw(
    /^\d{1,15}$/.test(text)
      ? 'SELECT id FROM buildings WHERE id = ?'
      : 'SELECT id FROM buildings WHERE lower(name) = lower(?)',
    [text],
  )
  if (rows.length === 1) return rows[0].id
  const ids = rows.map(({ id }: { id: number }) => id).join(', ')
  throw new CliError(
    rows.length === 0
      ? `There is no building “${text}”.`
      : `Several buildings are called “${text}”: give one of their ids (${ids}).`,
  )
}
