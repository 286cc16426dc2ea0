// Allows the job that releases many bookings in pieces.
import type { Knex } from 'knex'
import { sql } from './steps/sql.ts'

export const contracts =
  'A check of jobs gets wider by a name: whatever the release before writes is still allowed.'

const PRESENT = `'users.import', 'users.plan-import', 'users.apply-import-plan', 'users.export', 'users.export-refused',
  'bookables.plan-import', 'bookables.apply-import-plan'`
const RELEASE = `'bookings.release-all'`

const accept = (names: string) => `
    ALTER TABLE jobs DROP CONSTRAINT jobs__name_accepted;
    ALTER TABLE jobs ADD CONSTRAINT jobs__name_accepted CHECK (name IN (${names}))`

export const up = (database: Knex) => database.raw(`${accept(`${PRESENT}, ${RELEASE}`)} NOT VALID`)

// Deletes jobs that the previous release cannot do. The other rows satisfied the old constraint before.
export const down = sql`
    DELETE FROM jobs WHERE name = ${RELEASE};
    ${accept(PRESENT)}
  `
