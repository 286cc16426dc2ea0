// Records and deletes the absences of people. If the request asks for it, the same write also releases the person's
// bookings on these days, so that one undo restores everything.
import { ABSENCES_MAX, createdAbsenceSchema } from '../../../shared/absences/absences.ts'
import { AUDITED_ABSENCE_SQL, FIRST_DAY_SQL, LAST_DAY_SQL } from '../../../shared/absences/absences-shape.ts'
import { NEWLY_CREATED } from '../../../shared/changes/former-state.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { dataBodyText, rowJson } from '../../../shared/schemas/json.ts'
import type { AuditedRow, Handlers, Write } from '../../runtime/write.ts'
import { refuseUnlessOwner } from '../rows/personal-tokens.ts'
import { lockActiveUser } from '../users/lock-users.ts'
import { releaseBookingsInDays } from './release-bookings.ts'

type Days = { from: string; to: string }

const ABSENCE_NOT_FOUND = message`This person has no absence with this id.`

const createdAbsenceText = dataBodyText(
  rowJson(createdAbsenceSchema, 'absences', {
    from: FIRST_DAY_SQL,
    to: LAST_DAY_SQL,
    released_bookings: 'released.number',
  }),
)

export const absenceHandlers: Handlers<`absences.${string}`> = {
  async 'absences.create'(write, { user_id, kind, release_bookings, ...days }) {
    refuseUnlessOwner(write, user_id)
    const released = release_bookings
      ? await releaseBookingsInDays(write, user_id, days, { verb: 'release-away' })
      : 0
    await lockActiveUser(write, user_id)
    await refuseOtherAbsence(write, user_id, days)
    const { id, row } = await write.only<AuditedRow>(
      `INSERT INTO absences (user_id, kind, days) VALUES (?, ?, daterange(?, ?, '[]'))
       RETURNING id, ${AUDITED_ABSENCE_SQL} AS row`,
      [user_id, kind, days.from, days.to],
    )
    await write.audit({ action: 'absences.create', id, former: NEWLY_CREATED, after: row })
    const rows = 'absences, (SELECT CAST(? AS integer) AS number) AS released WHERE absences.id = ?'
    return write.reply(createdAbsenceText, rows, [released, id])
  },

  async 'absences.delete'(write, { user_id, absence_id }) {
    refuseUnlessOwner(write, user_id)
    const { row } = await write.requireRow<AuditedRow>(
      `SELECT id, ${AUDITED_ABSENCE_SQL} AS row FROM absences WHERE id = ? AND user_id = ? FOR UPDATE`,
      [absence_id, user_id],
      ABSENCE_NOT_FOUND,
    )
    const former = await write.readFormer('absences', [absence_id])
    await write.run('DELETE FROM absences WHERE id = ?', [absence_id])
    await write.audit({ action: 'absences.delete', id: absence_id, former, before: row })
    return null
  },
}

type PresentAbsence = Days & { number: number; has_days: boolean }

/**
 * Refuses a second absence on the same days, and more absences than the limit. The caller must lock the person's row.
 */
export async function refuseOtherAbsence(write: Write, userId: number, { from, to }: Days): Promise<void> {
  const present = await write.first<PresentAbsence>(
    `SELECT to_char(${FIRST_DAY_SQL}, 'YYYY-MM-DD') AS "from", to_char(${LAST_DAY_SQL}, 'YYYY-MM-DD') AS "to",
       days && daterange(CAST(:from AS date), CAST(:to AS date), '[]') AS has_days, count(*) OVER ()::int AS number
     FROM absences WHERE user_id = :userId AND upper(days) > least(CAST(:now AS timestamptz)::date, CAST(:from AS date))
     ORDER BY has_days DESC, lower(days) LIMIT 1`,
    { userId, from, to, now: write.now },
  )
  if (present?.has_days)
    throw new Refusal(
      'already_away',
      message`The person is already away from ${{ date: present.from }} to ${{ date: present.to }}.`,
    )
  if (present && present.number >= ABSENCES_MAX)
    throw new Refusal(
      'validation_failed',
      message`A person can have at most ${ABSENCES_MAX} current and upcoming absences.`,
    )
}
