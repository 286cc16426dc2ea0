// Finds the buildings named on the command line.
import type { Knex } from 'knex'
import { CliError } from '../local/tools/terminal.ts'
import { BUILDINGS_MAX } from '../shared/tokens/token-store.ts'

// By id if it is a number, otherwise by name, ignoring case.
export async function findBuildings(database: Knex, asked: string[]): Promise<number[]> {
  if (asked.length > BUILDINGS_MAX) throw new CliError(`--building may be given ${BUILDINGS_MAX} times.`)
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
