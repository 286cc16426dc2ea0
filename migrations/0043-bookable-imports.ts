// Imports of desks, rooms and parking: allows their jobs, and adds the bookable to the rows of their plans.
import { sql } from './steps/sql.ts'

export const contracts =
  'A check of jobs gets wider by two names: whatever the release before writes is still allowed.'

const USER_JOBS = `'users.import', 'users.plan-import', 'users.apply-import-plan', 'users.export', 'users.export-refused'`
const BOOKABLE_JOBS = `'bookables.plan-import', 'bookables.apply-import-plan'`

const accept = (names: string) => `
    ALTER TABLE jobs DROP CONSTRAINT jobs__name_accepted;
    ALTER TABLE jobs ADD CONSTRAINT jobs__name_accepted CHECK (name IN (${names})) NOT VALID;`

export const up = sql`
    ${accept(`${USER_JOBS}, ${BOOKABLE_JOBS}`)}
    ALTER TABLE import_plan_rows ADD COLUMN bookable_id bigint;
  `

// Deletes jobs that the previous release cannot do.
export const down = sql`
    ALTER TABLE import_plan_rows DROP COLUMN bookable_id;
    DELETE FROM jobs WHERE name IN (${BOOKABLE_JOBS});
    ${accept(USER_JOBS)}
  `
