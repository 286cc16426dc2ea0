// What an import does with each row: found out by one statement over all rows, the same for a dry run and a real one.
import type { Transaction } from '../context.ts'
import { STAGING } from './staging.ts'

export type KeyColumn = 'email' | 'id' | 'upn'
export type PlanOptions = { key_column: KeyColumn; update: boolean; restore: boolean; columns: string[] }

export const PLAN = 'import_plan'

// Whom a row names: by the key column, or by its e-mail where that cell is empty.
const KEYS: Record<KeyColumn, string> = {
  email: "'email ' || lower(email)",
  id: "coalesce('id ' || id, 'email ' || lower(email))",
  upn: "coalesce('upn ' || lower(upn), 'email ' || lower(email))",
}

const FOUND: Record<KeyColumn, string> = {
  email: 'LEFT JOIN users AS found ON lower(found.email) = lower(named.email)',
  id: `LEFT JOIN users AS found ON found.id = named.id OR named.id IS NULL AND lower(found.email) = lower(named.email)`,
  upn: `LEFT JOIN users AS found
    ON lower(found.upn) = lower(named.upn) OR named.upn IS NULL AND lower(found.email) = lower(named.email)`,
}

/** Makes the plan: a row of it for each row of the file, with its action and the errors that only the data can tell. */
export async function makePlan(trx: Transaction, options: PlanOptions): Promise<void> {
  const has = (column: string) => options.columns.includes(column)
  const keyName = options.key_column
  await trx.raw(`
    CREATE TEMPORARY TABLE ${PLAN} ON COMMIT DROP AS
    WITH named AS (
      SELECT *, ${KEYS[keyName]} AS key FROM ${STAGING}
    ), matched AS (
      SELECT named.*, found.id AS user_id, found.deactivated_at IS NOT NULL AS was_deactivated,
        found.email AS old_email, found.name AS old_name, found.extension_attributes AS old_attributes
      FROM named ${joinFound(keyName)}
    ), checked AS (
      SELECT matched.*,
        owner.id AS owner_id,
        min(row_number) OVER (PARTITION BY key) AS key_row,
        min(row_number) OVER (PARTITION BY coalesce(user_id, -row_number)) AS user_row,
        min(row_number) OVER (PARTITION BY coalesce(lower(matched.email), row_number::text)) AS email_row
      FROM matched
      LEFT JOIN users AS owner ON lower(owner.email) = lower(matched.email) AND owner.id IS DISTINCT FROM user_id
    ), judged AS (
      SELECT *, ${ERRORS(keyName)} AS all_errors, ${NEW_ATTRIBUTES} AS new_attributes FROM checked
    )
    SELECT judged.*,
      CASE
        WHEN all_errors IS NOT NULL THEN 'error'
        WHEN judged.user_id IS NULL THEN 'create'
        WHEN was_deactivated AND NOT ${options.restore} THEN 'skip'
        WHEN was_deactivated AND NOT ${options.update} THEN 'restore'
        WHEN was_deactivated THEN 'change'
        WHEN ${options.update} AND (${differs(has)}) THEN 'change'
        ELSE 'skip'
      END AS action
    FROM judged
    ${has('groups') ? GROUPS_NOW : ''}
    ${has('license_plates') ? PLATES_NOW : ''}
  `)
  await trx.raw(`ANALYZE ${PLAN}`)
}

// An OR would keep Postgres from hashing: each way to find somebody is a join of its own.
function joinFound(keyColumn: KeyColumn): string {
  if (keyColumn === 'email') return FOUND.email
  const [by, equal] =
    keyColumn === 'id' ? ['id', 'keyed.id = named.id'] : ['upn', 'lower(keyed.upn) = lower(named.upn)']
  return `
    LEFT JOIN users AS keyed ON ${equal}
    LEFT JOIN users AS mailed ON named.${by} IS NULL AND lower(mailed.email) = lower(named.email)
    LEFT JOIN users AS found ON found.id = coalesce(keyed.id, mailed.id)`
}

const sentence = (text: string) => `jsonb_build_array('Row ' || row_number || ': ' || ${text})`

/** Null where there are none; a row's own errors of form come first. */
const ERRORS = (keyColumn: KeyColumn) => `nullif(
  coalesce(errors, '{}')
  || CASE WHEN key_row < row_number THEN jsonb_build_object(
       CASE WHEN key LIKE 'email %' THEN 'email' ELSE '${keyColumn}' END,
       ${sentence("'this user was already named by row ' || key_row || '.'")})
     WHEN user_row < row_number THEN jsonb_build_object(
       CASE WHEN key LIKE 'email %' THEN 'email' ELSE '${keyColumn}' END,
       ${sentence("'this user was already named by row ' || user_row || '.'")})
     WHEN email_row < row_number AND NOT jsonb_exists(coalesce(errors, '{}'), 'email') THEN jsonb_build_object('email',
       ${sentence("'the email was already named by row ' || email_row || ' (it is “' || email || '”).'")})
     WHEN owner_id IS NOT NULL AND NOT jsonb_exists(coalesce(errors, '{}'), 'email') THEN jsonb_build_object('email',
       ${sentence("'the email belongs to another user (it is “' || email || '”).'")})
     ELSE '{}' END
  || CASE WHEN user_id IS NULL AND name IS NULL AND NOT jsonb_exists(coalesce(errors, '{}'), 'name') THEN jsonb_build_object('name',
       ${sentence("'the name is required for a new user.'")})
     ELSE '{}' END,
  '{}')`

// An empty cell clears an attribute; one that the file does not have stays.
const NEW_ATTRIBUTES = `CASE
  WHEN attributes IS NULL THEN coalesce(old_attributes, '{}')
  ELSE (
    SELECT coalesce(jsonb_object_agg(entry.key, entry.value), '{}')
    FROM jsonb_each(coalesce(old_attributes, '{}') || attributes) AS entry
    WHERE entry.value <> '""'
  ) END`

const SORTED = (list: string) => `ARRAY(SELECT DISTINCT unnest(${list}) ORDER BY 1)`

function differs(has: (column: string) => boolean): string {
  return [
    'judged.email <> old_email',
    ...(has('name') ? ['coalesce(judged.name, old_name) <> old_name'] : []),
    'new_attributes <> old_attributes',
    ...(has('groups') ? [`${SORTED('judged.groups')} <> coalesce(groups_now.names, '{}')`] : []),
    ...(has('license_plates')
      ? [`${SORTED('judged.license_plates')} <> coalesce(plates_now.plates, '{}')`]
      : []),
  ].join(' OR ')
}

const GROUPS_NOW = `
  LEFT JOIN (
    SELECT group_members.user_id, array_agg(groups.name ORDER BY groups.name) AS names
    FROM group_members JOIN groups ON groups.id = group_members.group_id
    GROUP BY group_members.user_id
  ) AS groups_now ON groups_now.user_id = judged.user_id`

const PLATES_NOW = `
  LEFT JOIN (
    SELECT user_id, array_agg(license_plate ORDER BY license_plate) AS plates FROM vehicles GROUP BY user_id
  ) AS plates_now ON plates_now.user_id = judged.user_id`
