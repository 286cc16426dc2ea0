// Stores the plan of an import of people for review in the dashboard, row by row; its digest identifies it.
// Each statement handles all rows.

import { onlyRow } from '../../../shared/database/database.ts'
import type { ImportCounts } from '../../../shared/users/users.ts'
import type { Transaction } from '../../runtime/context.ts'
import { type Deactivation, leftOutUsers } from './deactivation.ts'
import { IMPORT_PLAN, SORTED } from './import-plan.ts'

type RowSection = 'create' | 'change' | 'skip' | 'error'
const SECTION = "CASE action WHEN 'restore' THEN 'change' ELSE action END"

/** Equal for two plans that make the same changes to the same people, with the same values before. */
export async function digestImportPlan(trx: Transaction, deactivation: Deactivation): Promise<string> {
  const { rows } = await trx.raw(
    `SELECT md5(concat(
       (SELECT string_agg(md5(CASE
           WHEN action IN ('create', 'change', 'restore') THEN jsonb_build_array(row_number, action, user_id, email, name,
             new_attributes, groups, license_plates, old_email, old_name, old_attributes, old_groups, old_plates)::text
           ELSE row_number || action
         END), '' ORDER BY row_number) FROM ${IMPORT_PLAN}),
       (${leftOutUsers("md5(string_agg(users.id::text, ' ' ORDER BY users.id))", deactivation)})
     )) AS digest`,
  )
  return onlyRow<{ digest: string }>(rows).digest
}

export async function countImportPlan(
  trx: Transaction,
  { leftOut, kept, unmatched }: Deactivation,
): Promise<ImportCounts> {
  const counts: ImportCounts = {
    create: 0,
    change: 0,
    skip: 0,
    error: 0,
    deactivate: leftOut,
    kept,
    unmatched,
  }
  const { rows } = await trx.raw(
    `SELECT ${SECTION} AS section, count(*)::int AS number FROM ${IMPORT_PLAN} GROUP BY section`,
  )
  for (const { section, number } of rows as Array<{ section: RowSection; number: number }>)
    counts[section] = number
  return counts
}

export async function storePlannedRows(
  trx: Transaction,
  id: string,
  { update, deactivation }: { update: boolean; deactivation: Deactivation },
): Promise<void> {
  await trx.raw(
    `INSERT INTO import_plan_rows (plan_id, section, ordinal, row_number, user_id, email, name, reason, changes, errors, cells)
     SELECT ?, section, row_number() OVER (PARTITION BY section ORDER BY ${FIRST}row_number), row_number, user_id, email,
       coalesce(name, old_name), ${reason(update, deactivation)}, changes, all_errors, CASE WHEN section = 'error' THEN cells END
     FROM (SELECT *, ${SECTION} AS section FROM ${IMPORT_PLAN}) AS plan
     LEFT JOIN LATERAL (${CHANGES}) AS fields ON true`,
    [id],
  )
  const leftOut = "?::uuid, 'deactivate', row_number() OVER (ORDER BY lower(name), id), id, email, name"
  await trx.raw(
    `INSERT INTO import_plan_rows (plan_id, section, ordinal, user_id, email, name) ${leftOutUsers(leftOut, deactivation)}`,
    [id],
  )
}

// Rows that must be fixed before anybody is deactivated come first.
const FIRST = "CASE WHEN section = 'error' AND matched_id IS NULL THEN 0 ELSE 1 END, "

/** If people are deactivated, a refused row shows whether it keeps a person from that. */
const reason = (update: boolean, { kept, unmatched }: Deactivation) => `CASE
  WHEN section = 'error' AND ${kept + unmatched > 0} THEN CASE WHEN matched_id IS NULL THEN 'unmatched' ELSE 'kept' END
  WHEN section <> 'skip' THEN NULL
  WHEN was_deactivated THEN 'deactivated'
  WHEN ${update} THEN 'same'
  ELSE 'known' END`

// Each field with its present and its future value; lists are sorted first, because their order has no
// meaning.
const CHANGES = `
  SELECT jsonb_object_agg(field, jsonb_build_array(before, after)) AS changes
  FROM (
    SELECT 'active' AS field, to_jsonb(NOT was_deactivated) AS before, to_jsonb(true) AS after
    WHERE action <> 'create'
    UNION ALL
    SELECT * FROM (
      VALUES ('email', to_jsonb(old_email), to_jsonb(email)),
        ('name', to_jsonb(old_name), to_jsonb(coalesce(name, old_name))),
        ('groups', to_jsonb(coalesce(old_groups, '{}')), to_jsonb(${SORTED('groups')})),
        ('license_plates', to_jsonb(coalesce(old_plates, '{}')), to_jsonb(${SORTED('license_plates')}))
    ) AS plain (field, before, after)
    WHERE action IN ('create', 'change') AND (field <> 'groups' OR groups IS NOT NULL)
      AND (field <> 'license_plates' OR license_plates IS NOT NULL)
    UNION ALL
    SELECT key, old_attributes -> key, new_attributes -> key
    FROM jsonb_object_keys(coalesce(old_attributes, '{}') || new_attributes) AS keys (key)
    WHERE action IN ('create', 'change')
  ) AS compared
  WHERE section IN ('create', 'change') AND before IS DISTINCT FROM after`
