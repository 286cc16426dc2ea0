// Does what the plan says, by a handful of statements over all rows. Whoever was deactivated keeps their bookings.
import type { Transaction } from '../context.ts'
import { IMPORT_PLAN } from './import-plan.ts'

export async function applyPlannedRows(trx: Transaction, columns: string[]): Promise<void> {
  await trx.raw(`
    INSERT INTO users (email, name, extension_attributes)
    SELECT email, name, new_attributes FROM ${IMPORT_PLAN} WHERE action = 'create' ORDER BY row_number`)
  await trx.raw(`
    UPDATE users
    SET email = CASE WHEN plan.action = 'change' THEN plan.email ELSE users.email END,
      name = CASE WHEN plan.action = 'change' THEN coalesce(plan.name, users.name) ELSE users.name END,
      extension_attributes = CASE WHEN plan.action = 'change' THEN plan.new_attributes ELSE users.extension_attributes END,
      deactivated_at = NULL,
      updated_at = now()
    FROM ${IMPORT_PLAN} AS plan
    WHERE users.id = plan.user_id AND plan.action IN ('change', 'restore')`)
  if (columns.includes('groups') || columns.includes('license_plates')) await setCreatedIds(trx)
  if (columns.includes('groups')) await applyGroups(trx)
  if (columns.includes('license_plates')) await applyPlates(trx)
}

async function setCreatedIds(trx: Transaction): Promise<void> {
  await trx.raw(`
    UPDATE ${IMPORT_PLAN} SET user_id = users.id
    FROM users WHERE action = 'create' AND lower(users.email) = lower(${IMPORT_PLAN}.email)`)
}

const IS_WRITTEN = `${IMPORT_PLAN}.action IN ('create', 'change')`

async function applyGroups(trx: Transaction): Promise<void> {
  await trx.raw(`
    INSERT INTO groups (name)
    SELECT DISTINCT unnest(groups) AS name FROM ${IMPORT_PLAN} WHERE ${IS_WRITTEN} ORDER BY name
    ON CONFLICT DO NOTHING`)
  await trx.raw(`
    DELETE FROM group_members USING ${IMPORT_PLAN}, groups
    WHERE ${IS_WRITTEN} AND group_members.user_id = ${IMPORT_PLAN}.user_id AND groups.id = group_members.group_id
      AND groups.name <> ALL (${IMPORT_PLAN}.groups)`)
  await trx.raw(`
    INSERT INTO group_members (group_id, user_id)
    SELECT groups.id, wanted.user_id
    FROM (SELECT user_id, unnest(groups) AS name FROM ${IMPORT_PLAN} WHERE ${IS_WRITTEN}) AS wanted
    JOIN groups ON groups.name = wanted.name
    ON CONFLICT DO NOTHING`)
}

// A booking keeps the plate that it was made with.
async function applyPlates(trx: Transaction): Promise<void> {
  await trx.raw(`
    DELETE FROM vehicles USING ${IMPORT_PLAN}
    WHERE ${IS_WRITTEN} AND vehicles.user_id = ${IMPORT_PLAN}.user_id AND vehicles.license_plate <> ALL (${IMPORT_PLAN}.license_plates)`)
  await trx.raw(`
    INSERT INTO vehicles (user_id, license_plate)
    SELECT user_id, unnest(license_plates) FROM ${IMPORT_PLAN} WHERE ${IS_WRITTEN}
    ON CONFLICT DO NOTHING`)
}

// Whom no row names, by its key or by its e-mail, whatever is wrong with that row. An empty or broken list switches
// nobody off.
export const IS_LEFT_OUT = `
  users.deactivated_at IS NULL
  AND EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE action <> 'error')
  AND NOT EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE ${IMPORT_PLAN}.user_id = users.id)
  AND NOT EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE lower(${IMPORT_PLAN}.email) = lower(users.email))`

export async function countLeftOut(trx: Transaction): Promise<number> {
  const { rows } = await trx.raw(`SELECT count(*)::int AS number FROM users WHERE ${IS_LEFT_OUT}`)
  return rows[0].number
}

export async function deactivateLeftOut(trx: Transaction): Promise<void> {
  await trx.raw(`UPDATE users SET deactivated_at = now(), updated_at = now() WHERE ${IS_LEFT_OUT}`)
}
