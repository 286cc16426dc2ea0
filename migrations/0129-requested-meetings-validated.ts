// Validates the constraints of migration 128 for existing rows. Also adds an index for finding bookings that a person
// made for somebody else. The migration can be repeated after a failed attempt.
import type { Knex } from 'knex'
import { addIndex } from './steps/beside-writers.ts'

const index = addIndex(
  'bookings__booked_by_user_lookup',
  'bookings (booked_by_user_id) WHERE booked_by_user_id IS NOT NULL',
)

const CONSTRAINTS = [
  ['holds', 'holds__title_length'],
  ['holds', 'holds__event'],
  ['bookings', 'bookings__booked_by_user'],
]

export const { config, down } = index

export async function up(database: Knex): Promise<void> {
  await index.up(database)
  for (const [table, name] of CONSTRAINTS)
    await database.raw(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${name}`)
}
