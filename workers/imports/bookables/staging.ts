// Where the rows of a list of desks, rooms and parking lie while an import looks at them.
import { MANY_MAX } from '../../../shared/contracts/bookables.ts'
import type { Transaction } from '../../context.ts'
import type { StagingTable } from '../stage-import-file.ts'

export const STAGING = 'bookable_rows'

export const BOOKABLES: StagingTable = {
  name: STAGING,
  list: 'bookables',
  rowsMax: MANY_MAX,
  create: createStaging,
}

/** What is null was left empty, or breaks a rule. */
async function createStaging(trx: Transaction, keepsCells: boolean): Promise<void> {
  await trx.raw(`
    CREATE TEMPORARY TABLE ${STAGING} (
      row_number integer NOT NULL,
      name text,
      type text,
      description text,
      tags text[],
      status text,
      capacity integer,
      requires_vehicle text,
      position_x double precision,
      position_y double precision,
      errors jsonb${keepsCells ? ',\n      cells text[]' : ''}
    ) ON COMMIT DROP
  `)
}
