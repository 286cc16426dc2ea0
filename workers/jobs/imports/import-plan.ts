// Stages the rows of a user file, and plans what the import does with each row. One statement plans all rows. It is the
// same for a dry run and a real import.
import { IMPORTED_TEXTS } from '../../../shared/imports/user-columns.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import { normalizedPlateSql } from '../../../shared/users/plates.ts'
import { isPersonSql } from '../../../shared/users/unknown-organizer.ts'
import type { Write } from '../../runtime/write.ts'
import type { RequestedLayout } from '../../sheets/laid-out-files.ts'
import { IMPORT_PLAN } from './reviewed-imports.ts'
import { STAGING_TABLE, type StagedFile, stageImportFile } from './stage-import-file.ts'

type KeyColumn = 'email' | 'id' | 'upn'
type ImportPlanOptions = {
  key_column: KeyColumn
  update: boolean
  restore: boolean
  columns: string[]
  /** Whether an administrator sees the plan before Berth applies it. */
  isSeen: boolean
}

const ROWS_MAX = 200_000

export async function stageUsers(
  write: Write,
  { file_id, deactivate }: { file_id: string; deactivate: boolean },
  options: { keepsCells: boolean; layout?: RequestedLayout | undefined },
): Promise<StagedFile> {
  // With this much memory, Postgres can hash a hundred thousand rows. A small sample is enough for the planner to know
  // how many rows there are.
  await write.run("SET LOCAL work_mem = '64MB'; SET LOCAL default_statistics_target = 10")
  const staged = await stageImportFile(write, file_id, { list: 'users', rowsMax: ROWS_MAX, ...options })
  if (staged.preview) return staged
  // Without statistics, the planner would not expect a hundred thousand rows in its joins.
  await write.run(`ANALYZE ${STAGING_TABLE} (row_number, id, email, upn)`)
  if (deactivate && staged.rows === 0)
    throw invalidFields({
      file: [message`The file has no rows. With “deactivate”, it would deactivate everybody.`],
    })
  return staged
}

// SQL for the value by which a row identifies its user: the key column or, if that cell is empty, the e-mail.
const KEYS_SQL: Record<KeyColumn, string> = {
  email: "'email ' || lower(email)",
  id: "coalesce('id ' || id, 'email ' || lower(email))",
  upn: "coalesce('upn ' || lower(upn), 'email ' || lower(email))",
}

/** Creates the plan of an import: the action for each row of the file, and the errors that depend on existing data. */
export async function createImportPlan(write: Write, options: ImportPlanOptions): Promise<void> {
  const { key_column: keyColumn, update, restore, columns, isSeen } = options
  const has = (column: string) => columns.includes(column)
  const fields = listComparedFields(has)
  const differs = fields.map(({ before, after }) => `${before} IS DISTINCT FROM ${after}`)
  await write.run(`
    CREATE TEMPORARY TABLE ${IMPORT_PLAN} ON COMMIT DROP AS
    WITH named AS (
      SELECT *, lower(email) AS mail, ${KEYS_SQL[keyColumn]} AS key FROM ${STAGING_TABLE}
    ), matched AS (
      SELECT named.*, found.id AS user_id, found.deactivated_at IS NOT NULL AS was_deactivated,
        NOT coalesce(${isPersonSql('found')}, true) AS is_anonymous, found.email AS old_email, found.extension_attributes AS old_attributes,
        ${IMPORTED_TEXTS.map((name) => `found.${name} AS old_${name}`).join(', ')}
      FROM named ${FIND_USER_JOINS[keyColumn]}
    ), checked AS (
      SELECT matched.*, ${NEW_ATTRIBUTES_SQL} AS new_attributes, ${CHECKS_SQL[keyColumn].facts}
      FROM matched ${CHECKS_SQL[keyColumn].joins}
    ), judged AS (
      SELECT *, ${errorsSql(keyColumn)} AS all_errors,
        ${has('groups') ? "coalesce(groups_now, '{}')" : 'NULL::text[]'} AS old_groups,
        ${has('license_plates') ? "coalesce(plates_now, '{}')" : 'NULL::text[]'} AS old_plates
      FROM checked ${has('groups') ? CURRENT_GROUPS_SQL : ''} ${has('license_plates') ? CURRENT_PLATES_SQL : ''}
    ), compared AS ${isSeen ? 'MATERIALIZED' : ''} (
      SELECT *, CASE
          WHEN all_errors IS NOT NULL THEN 'error'
          WHEN user_id IS NULL THEN 'create'
          WHEN was_deactivated AND (is_anonymous OR NOT ${restore}) THEN 'skip'
          WHEN was_deactivated AND NOT ${update} THEN 'restore'
          WHEN was_deactivated THEN 'change'
          WHEN ${update} AND (new_attributes <> old_attributes OR ${differs.join(' OR ')}) THEN 'change'
          ELSE 'skip'
        END AS action
      FROM judged
    )
    SELECT row_number, user_id, email, ${IMPORTED_TEXTS.map((name) => `coalesce(${name}, old_${name}) AS ${name}`).join(', ')},
      new_attributes, groups, license_plates, all_errors, was_deactivated, action,
      (old_email, old_name) IS DISTINCT FROM (email, coalesce(name, old_name)) AS is_renamed
      ${isSeen ? `, ${changesSql(fields)} AS changes, cells, owner_id, ${MATCHED_USER_SQL} AS matched_id` : ''}
    FROM compared
  `)
  await write.run(`ANALYZE ${IMPORT_PLAN} (user_id, action)`)
}

// SQL for the user that a row is matched to, even if the row has errors; null if the match is uncertain. If several
// rows identify the same user, at most one of them is matched: a row with a different name may belong to somebody else
// whose e-mail was entered incorrectly. The cases:
//
//   the key finds | repeated in another row | name in the file       | result
//   a user        | neither key nor user    | any                    | that user
//   a user        | key or user             | empty, or that user's  | that user
//   a user        | key or user             | another                | null
//   nobody        | neither key nor e-mail  | any                    | the owner of the e-mail, if any
//   nobody        | key or e-mail           | empty, or the owner's  | the owner of the e-mail, if any
//   nobody        | key or e-mail           | another                | null
const MATCHED_USER_SQL = `CASE
  WHEN (key_row IS NULL AND user_row IS NULL AND (user_id IS NOT NULL OR mail_row IS NULL))
    OR name IS NULL OR lower(name) = lower(coalesce(old_name, owner_name))
  THEN coalesce(user_id, owner_id) END`

// SQL that joins users by one column. Each way to find a user is a separate join, because an OR would prevent Postgres
// from hashing.
const foundBySql = (column: string, equal: string) => `
  LEFT JOIN users AS keyed ON ${equal}
  LEFT JOIN users AS mailed ON named.${column} IS NULL AND lower(mailed.email) = mail
  LEFT JOIN users AS found ON found.id = coalesce(keyed.id, mailed.id)`

const FIND_USER_JOINS: Record<KeyColumn, string> = {
  email: 'LEFT JOIN users AS found ON lower(found.email) = mail',
  id: foundBySql('id', 'keyed.id = named.id'),
  upn: foundBySql('upn', 'lower(keyed.upn) = lower(named.upn)'),
}

// SQL that finds rows with the same value in a column. Grouping finds the few duplicates by hashing, while a window
// function would sort all rows. The first row of each group is joined to the others.
const repeatedRowsSql = (column: string, name: string) => `
  LEFT JOIN (
    SELECT ${column}, min(row_number) AS first_row FROM matched GROUP BY ${column} HAVING count(*) > 1
  ) AS ${name} ON ${name}.${column} = matched.${column}`

// SQL for the checks, by key column. If the e-mail is the key, rows with the same key have the same user and e-mail,
// and the owner of the e-mail is the user that was found.
const CHECKS_SQL: Record<KeyColumn, { facts: string; joins: string }> = {
  email: {
    facts:
      'same_key.first_row AS key_row, NULL::int AS user_row, NULL::int AS mail_row, NULL::bigint AS owner_id, NULL::text AS owner_name',
    joins: repeatedRowsSql('key', 'same_key'),
  },
  id: otherKeysSql(),
  upn: otherKeysSql(),
}

function otherKeysSql() {
  return {
    facts: `same_key.first_row AS key_row, same_user.first_row AS user_row, same_mail.first_row AS mail_row,
      owner.id AS owner_id, owner.name AS owner_name`,
    joins: `
      ${repeatedRowsSql('key', 'same_key')} ${repeatedRowsSql('user_id', 'same_user')} ${repeatedRowsSql('mail', 'same_mail')}
      LEFT JOIN users AS owner ON lower(owner.email) = matched.mail AND owner.id IS DISTINCT FROM matched.user_id`,
  }
}

/** Returns SQL that builds a message whose values are SQL expressions. */
const errorMessagesSql = ({ text, values = [] }: Message) =>
  `jsonb_build_array(jsonb_build_object('text', '${text}', 'values', jsonb_build_array(${values.join(', ')})))`

/** SQL for the errors of a row, or null if there are none. The SQL checks first whether there are any. Format
 * errors come before errors that depend on existing data. */
function errorsSql(keyColumn: KeyColumn): string {
  const keyName = `CASE WHEN key LIKE 'email %' THEN 'email' ELSE '${keyColumn}' END`
  const named = (row: string) => `WHEN ${row} < row_number THEN jsonb_build_object(${keyName},
      ${errorMessagesSql(message`this person already appears in row ${row}`)})`
  const isFine = (column: string) => `NOT jsonb_exists(coalesce(errors, '{}'), '${column}')`
  const nameless = 'user_id IS NULL AND name IS NULL'
  return `CASE
    WHEN errors IS NULL AND key_row IS NULL AND user_row IS NULL AND mail_row IS NULL AND owner_id IS NULL
      AND NOT (${nameless}) THEN NULL
    ELSE nullif(
      coalesce(errors, '{}')
      || CASE ${named('key_row')} ${named('user_row')}
        WHEN mail_row < row_number AND ${isFine('email')} THEN jsonb_build_object('email',
          ${errorMessagesSql(message`the email was already used in row ${'mail_row'} (it is “${'email'}”)`)})
        WHEN owner_id IS NOT NULL AND ${isFine('email')} THEN jsonb_build_object('email',
          ${errorMessagesSql(message`the e-mail belongs to another person (it is “${'email'}”)`)})
        ELSE '{}' END
      || CASE WHEN ${nameless} AND ${isFine('name')} THEN jsonb_build_object('name',
          ${errorMessagesSql(message`the name is required for a new person`)})
        ELSE '{}' END,
      '{}')
    END`
}

// SQL for the attributes after the import. An empty cell is null in the staged row and clears the attribute. An
// attribute without a column stays unchanged.
const NEW_ATTRIBUTES_SQL = `CASE
  WHEN attributes IS NULL THEN coalesce(old_attributes, '{}')
  ELSE jsonb_strip_nulls(coalesce(old_attributes, '{}') || attributes) END`

const sortedSql = (list: string) => `ARRAY(SELECT DISTINCT unnest(${list}) ORDER BY 1)`

type ComparedField = { name: string; before: string; after: string }

/**
 * Returns the fields that the file may change, without attributes. Lists are sorted before they are compared, because
 * their order has no meaning.
 */
const listComparedFields = (has: (column: string) => boolean): ComparedField[] =>
  [
    { name: 'email', before: 'old_email', after: 'email' },
    ...IMPORTED_TEXTS.map((name) => ({
      name,
      before: `old_${name}`,
      after: `coalesce(${name}, old_${name})`,
    })),
    { name: 'groups', before: 'old_groups', after: sortedSql('groups') },
    { name: 'license_plates', before: 'old_plates', after: sortedSql('license_plates') },
  ].filter(({ name }) => has(name))

const changedSql = (before: string, after: string) =>
  `CASE WHEN ${before} IS DISTINCT FROM ${after} THEN jsonb_build_array(${before}, ${after}) END`

/** SQL for what a review shows: each field that changes, with its current and its new value. */
const changesSql = (fields: ComparedField[]) => `CASE
  WHEN action = 'restore' THEN '{"active": [false, true]}'
  WHEN action IN ('create', 'change') THEN jsonb_strip_nulls(jsonb_build_object(
      'active', CASE WHEN was_deactivated THEN jsonb '[false, true]' END,
      ${fields.map(({ name, before, after }) => `'${name}', ${changedSql(before, after)}`).join(', ')}
    )) || coalesce((
      SELECT jsonb_object_agg(key, jsonb_build_array(old_attributes -> key, new_attributes -> key))
      FROM jsonb_object_keys(coalesce(old_attributes, '{}') || new_attributes) AS keys (key)
      WHERE (old_attributes -> key) IS DISTINCT FROM (new_attributes -> key)
    ), '{}') END`

/**
 * SQL for why a row is skipped or refused. If users are to be deactivated, a refused row also shows whether it keeps a
 * user from being deactivated.
 */
export const reasonSql = (update: boolean, deactivates: boolean) => `CASE
  WHEN action = 'error' AND ${deactivates} THEN CASE WHEN matched_id IS NULL THEN 'unmatched' ELSE 'kept' END
  WHEN action = 'skip' THEN CASE WHEN was_deactivated THEN 'deactivated' WHEN ${update} THEN 'same' ELSE 'known' END END`

const CURRENT_GROUPS_SQL = `
  LEFT JOIN (
    SELECT group_members.user_id AS member_id, array_agg(groups.name ORDER BY groups.name) AS groups_now
    FROM group_members JOIN groups ON groups.id = group_members.group_id
    GROUP BY group_members.user_id
  ) AS members ON member_id = checked.user_id`

const STORED_PLATE_SQL = normalizedPlateSql('license_plate')

const CURRENT_PLATES_SQL = `
  LEFT JOIN (
    SELECT user_id AS holder_id, array_agg(DISTINCT ${STORED_PLATE_SQL} ORDER BY ${STORED_PLATE_SQL}) AS plates_now FROM vehicles GROUP BY user_id
  ) AS holders ON holder_id = checked.user_id`
