// Renames columns consistently: a bookable has a position on its floor plan, and a row of an import plan has an
// ordinal.
import { sql } from './steps/sql.ts'

const renamePositionsSql = (from: string, to: string) => `
  ALTER TABLE bookables RENAME COLUMN ${from}_x TO ${to}_x;
  ALTER TABLE bookables RENAME COLUMN ${from}_y TO ${to}_y;
  ALTER TABLE bookables RENAME CONSTRAINT bookables__${from}_x_range TO bookables__${to}_x_range;
  ALTER TABLE bookables RENAME CONSTRAINT bookables__${from}_y_range TO bookables__${to}_y_range;
  ALTER TABLE bookables RENAME CONSTRAINT bookables__${from}_whole TO bookables__${to}_whole;`

export const up = sql`${renamePositionsSql('plan', 'position')}
    ALTER TABLE import_plan_rows RENAME COLUMN place TO ordinal`

export const down = sql`${renamePositionsSql('position', 'plan')}
    ALTER TABLE import_plan_rows RENAME COLUMN ordinal TO place`
