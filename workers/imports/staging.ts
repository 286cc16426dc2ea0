// Where the rows of a file of users lie while an import looks at them.
import type { Transaction } from '../context.ts'

export const STAGING = 'import_rows'

export async function createStaging(trx: Transaction, keepsCells: boolean): Promise<void> {
  // Room to hash a hundred thousand rows; and a sample is enough to know that they are a hundred thousand.
  await trx.raw("SET LOCAL work_mem = '64MB'; SET LOCAL default_statistics_target = 10")
  await trx.raw(`
    CREATE TEMPORARY TABLE ${STAGING} (
      row_number integer NOT NULL,
      id bigint,
      email text,
      upn text,
      name text,
      attributes jsonb,
      groups text[],
      license_plates text[],
      errors jsonb${keepsCells ? ',\n      cells text[]' : ''}
    ) ON COMMIT DROP
  `)
}

/** Statistics, so that the planner joins a hundred thousand rows as a hundred thousand. */
export async function analyzeStaging(trx: Transaction): Promise<void> {
  await trx.raw(`ANALYZE ${STAGING} (row_number, id, email, upn)`)
}
