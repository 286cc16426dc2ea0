// Finds the users that an import deactivates: those that no row of its file names. They keep their bookings.
import { onlyRow } from '../../../shared/database/database.ts'
import { holdsRefusedRows } from '../../../shared/imports/user-columns.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { PREVIOUS_USER, recordUsers } from './apply.ts'
import { cutIntoPieces, IS_IN_PIECE } from './pieces.ts'
import { IMPORT_PLAN } from './reviewed-imports.ts'

export type Deactivation = {
  /** False if deactivation was not requested, or is refused. */
  isOn: boolean
  leftOut: number
  /** The number of active users that only refused rows name. */
  kept: number
  /** The number of refused rows that match no known user. */
  unmatched: number
}

// Users that no row names by its key or its e-mail; rows with errors count too. An empty or broken list
// deactivates nobody.
const IS_LEFT_OUT = `
  users.deactivated_at IS NULL
  AND EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE action <> 'error')
  AND NOT EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE ${IMPORT_PLAN}.user_id = users.id)
  AND NOT EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE lower(${IMPORT_PLAN}.email) = lower(users.email))`

/** Selects the users to deactivate; none if deactivation is off. */
export const leftOutUsers = (columns: string, { isOn }: Pick<Deactivation, 'isOn'>) =>
  `SELECT ${columns} FROM users WHERE ${isOn} AND ${IS_LEFT_OUT}`

/**
 * The API deactivates even if some rows have errors. In a reviewed import, a row that matches nobody may be
 * anybody's, and a file of refused rows lists only a few people: in both cases nobody is deactivated.
 */
export async function planDeactivation(
  trx: Transaction,
  isAsked: boolean,
  reviewedHeader: string[] | undefined,
): Promise<Deactivation> {
  const isReviewed = reviewedHeader !== undefined
  if (!isAsked || (isReviewed && holdsRefusedRows(reviewedHeader)))
    return { isOn: false, leftOut: 0, kept: 0, unmatched: 0 }
  const { kept, unmatched } = isReviewed
    ? onlyRow<{ kept: number; unmatched: number }>((await trx.raw(COUNTS)).rows)
    : { kept: 0, unmatched: 0 }
  const isOn = unmatched === 0
  const { rows } = await trx.raw(leftOutUsers('count(*)::int AS "leftOut"', { isOn }))
  return { isOn, ...onlyRow<{ leftOut: number }>(rows), kept, unmatched }
}

const COUNTS = `
  SELECT
    (SELECT count(*)::int FROM ${IMPORT_PLAN} WHERE action = 'error' AND matched_id IS NULL) AS unmatched,
    (SELECT count(*)::int FROM users
     WHERE users.deactivated_at IS NULL
       AND users.id IN (SELECT unnest(ARRAY[user_id, owner_id]) FROM ${IMPORT_PLAN} WHERE action = 'error')
       AND NOT EXISTS (SELECT FROM ${IMPORT_PLAN} WHERE action <> 'error' AND ${IMPORT_PLAN}.user_id = users.id)) AS kept`

export async function deactivateLeftOut(
  trx: Transaction,
  deactivation: Deactivation,
  context: WorkContext,
): Promise<void> {
  if (!deactivation.isOn) return
  const columns = "row_number() OVER ()::int AS row_number, id AS user_id, 'deactivate' AS action"
  await trx.raw(`CREATE TEMPORARY TABLE left_out ON COMMIT DROP AS ${leftOutUsers(columns, deactivation)}`)
  const writePieces = await cutIntoPieces(trx, 'left_out', context)
  await writePieces(['deactivate'], DEACTIVATE_USERS)
}

// An array, because a join might read all users for each piece.
const DEACTIVATE_USERS = `
  WITH users AS (
    UPDATE users SET deactivated_at = now(), updated_at = now() FROM users AS former
    WHERE users.id = former.id AND users.id = ANY (ARRAY(SELECT user_id FROM left_out WHERE ${IS_IN_PIECE}))
    RETURNING users.*, ${PREVIOUS_USER}
  ), calendars AS (DELETE FROM calendars USING users WHERE calendars.user_id = users.id)
  ${recordUsers("'deactivated'")}`
