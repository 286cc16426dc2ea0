// Calendars at secret addresses: created and revoked. Their hashes do not reach the audit log.
import { MISSING_PLACE, message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import { CALENDAR_SUBJECTS, CALENDARS_MAX, calendarWithUrlJson } from '../../../shared/tokens/calendars.ts'
import { generateToken, hashToken } from '../../../shared/tokens/token-store.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { refuseForOthers, requireOwn } from '../rows/personal-tokens.ts'
import { filterToTokenBuildings, requireInTokenBuildings } from '../rows/preconditions.ts'

type Subject = (typeof CALENDAR_SUBJECTS)[number]
type CalendarRow = { id: number; row: unknown }

const ROW = "calendars.id, to_jsonb(calendars) - 'hash' AS row"

/** `present` says which rows can have a calendar; a user's has no place, since it shows all buildings. */
const SUBJECTS = {
  user_id: {
    present: 'users WHERE id = ? AND deactivated_at IS NULL AND NOT is_anonymous',
    place: undefined,
    missing: message`There is no active person with this id.`,
  },
  bookable_id: {
    present: 'bookables WHERE id = ? AND deleted_at IS NULL',
    place: 'bookables',
    missing: MISSING_PLACE.bookables,
  },
  location_id: { present: 'locations WHERE id = ?', place: 'locations', missing: MISSING_PLACE.locations },
} as const

const NO_CALENDAR = message`There is no calendar with this id.`

export const calendarHandlers: Handlers<`calendars.${string}`> = {
  async 'calendars.create'(write, input) {
    const subject = CALENDAR_SUBJECTS.find((name) => input[name] !== undefined) ?? 'user_id'
    refuseForOthers(write, subject === 'user_id' ? Number(input.user_id) : 0)
    await requireCalendarAllowed(write, subject, Number(input[subject]))
    const secret = generateToken('calendar')
    const hash = input.hash ?? hashToken(secret).toString('hex')
    const { id, row } = await write.only<CalendarRow>(
      `INSERT INTO calendars (${subject}, names, hash) VALUES (?, ?, decode(?, 'hex')) RETURNING ${ROW}`,
      [Number(input[subject]), input.names ?? null, hash],
    )
    await write.audit({ action: 'calendars.create', id, after: row })
    // A gateway that sent a hash fills in the secret itself.
    const url = `${write.baseUrl}/api/v1/calendars/${input.hash === undefined ? secret : 'unknown'}.ics`
    return write.reply(dataText(calendarWithUrlJson('?')), 'calendars WHERE calendars.id = ?', [url, id])
  },

  async 'calendars.delete'(write, { id }) {
    await requireInTokenBuildings(write, 'calendars', [id], NO_CALENDAR)
    await requireOwn(write, 'SELECT user_id AS owner FROM calendars WHERE id = ?', [id], NO_CALENDAR)
    const remove = `DELETE FROM calendars WHERE id = ? RETURNING ${ROW}`
    const { row: before } = await write.requireRow<CalendarRow>(remove, [id], NO_CALENDAR)
    await write.audit({ action: 'calendars.delete', id, before })
    return null
  },
}

async function requireCalendarAllowed(write: Write, subject: Subject, id: number) {
  const { present, place, missing } = SUBJECTS[subject]
  if (!place && write.buildingIds) {
    throw invalid({
      [subject]: [message`A token that is limited to buildings cannot have the calendar of a person.`],
    })
  }
  // Locks the subject, so that two writes cannot both add the last allowed address.
  const rows = await write.all(`SELECT FROM ${present} FOR NO KEY UPDATE`, [id])
  const within = place && rows.length > 0 ? await filterToTokenBuildings(write, place, [id]) : rows
  if (within.length === 0) throw invalid({ [subject]: [missing] })
  const count = `SELECT count(*)::int AS number FROM calendars WHERE ${subject} = ?`
  const { number } = await write.only<{ number: number }>(count, [id])
  if (number < CALENDARS_MAX) return
  throw invalid({
    [subject]: [message`It has ${CALENDARS_MAX} calendar addresses already. Delete one first.`],
  })
}
