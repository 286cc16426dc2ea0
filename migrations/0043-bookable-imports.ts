// Adds imports of desks, rooms and parking spots: allows the jobs of these imports, and adds the bookable to the rows
// of their plans.
import { sql } from './steps/sql.ts'

export const contracts =
  'The new check of jobs also allows two more names. It refuses nothing that earlier releases write.'

const USER_JOBS = `'users.import', 'users.plan-import', 'users.apply-import-plan', 'users.export', 'users.export-refused'`
const BOOKABLE_JOBS = `'bookables.plan-import', 'bookables.apply-import-plan'`

const acceptJobsSql = (names: string) => `
    ALTER TABLE jobs DROP CONSTRAINT jobs__name_accepted;
    ALTER TABLE jobs ADD CONSTRAINT jobs__name_accepted CHECK (name IN (${names})) NOT VALID;`

export const up = sql`
    ${acceptJobsSql(`${USER_JOBS}, ${BOOKABLE_JOBS}`)}
    ALTER TABLE import_plan_rows ADD COLUMN bookable_id bigint;
  `

// Reverting deletes jobs that the previous release cannot run.
export const down = sql`
    ALTER TABLE import_plan_rows DROP COLUMN bookable_id;
    DELETE FROM jobs WHERE name IN (${BOOKABLE_JOBS});
    ${acceptJobsSql(USER_JOBS)}
  `
