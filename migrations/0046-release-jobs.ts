// Allows the job that releases many bookings in batches.
import type { Knex } from 'knex'
import { sql } from './steps/sql.ts'

export const contracts =
  'The new check of jobs also allows one more name. It refuses nothing that earlier releases write.'

const PRESENT_JOBS = `'users.import', 'users.plan-import', 'users.apply-import-plan', 'users.export', 'users.export-refused',
  'bookables.plan-import', 'bookables.apply-import-plan'`
const RELEASE_JOB = `'bookings.release-all'`

const acceptJobsSql = (names: string) => `
    ALTER TABLE jobs DROP CONSTRAINT jobs__name_accepted;
    ALTER TABLE jobs ADD CONSTRAINT jobs__name_accepted CHECK (name IN (${names}))`

export const up = (database: Knex) =>
  database.raw(`${acceptJobsSql(`${PRESENT_JOBS}, ${RELEASE_JOB}`)} NOT VALID`)

// Reverting deletes jobs that the previous release cannot run. All other rows already satisfy the old constraint.
export const down = sql`
    DELETE FROM jobs WHERE name = ${RELEASE_JOB};
    ${acceptJobsSql(PRESENT_JOBS)}
  `
