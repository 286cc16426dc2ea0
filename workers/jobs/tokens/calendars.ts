// Creates and revokes calendars at secret URLs. The audit log never contains hashes of the secrets in these URLs.
import { MISSING_PLACE_MESSAGES, message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import { dataBodyText } from '../../../shared/schemas/json.ts'
import { CALENDAR_SUBJECTS, CALENDARS_MAX, calendarWithUrlJson } from '../../../shared/tokens/calendars.ts'
import { generateToken, hashToken } from '../../../shared/tokens/token-store.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { refuseUnlessOwner, requireOwnResources } from '../rows/personal-tokens.ts'
import { filterToTokenBuildings, requireInTokenBuildings } from '../rows/preconditions.ts'

type CalendarSubject = (typeof CALENDAR_SUBJECTS)[number]
type CalendarRow = { id: number; row: unknown }

const CALENDAR_COLUMNS = "calendars.id, to_jsonb(calendars) - 'hash' AS row"

/** The kinds of subjects that a calendar can be for. `present` is SQL that selects the rows that can have a
 * calendar. A user's calendar has no place, because it covers all buildings. */
const SUBJECT_QUERIES = {
  user_id: {
    present: 'users WHERE id = ? AND deactivated_at IS NULL AND NOT is_anonymous',
    place: undefined,
    missing: message`There is no active person with this id.`,
  },
  bookable_id: {
    present: 'bookables WHERE id = ? AND deleted_at IS NULL',
    place: 'bookables',
    missing: MISSING_PLACE_MESSAGES.bookables,
  },
  location_id: {
    present: 'locations WHERE id = ?',
    place: 'locations',
    missing: MISSING_PLACE_MESSAGES.locations,
  },
} as const

const CALENDAR_NOT_FOUND = message`There is no calendar with this id.`

export const calendarHandlers: Handlers<`calendars.${string}`> = {
  async 'calendars.create'(write, input) {
    const subject = CALENDAR_SUBJECTS.find((name) => input[name] !== undefined) ?? 'user_id'
    refuseUnlessOwner(write, subject === 'user_id' ? Number(input.user_id) : 0)
    await requireCalendarAllowed(write, subject, Number(input[subject]))
    const secret = generateToken('calendar')
    const hash = input.hash ?? hashToken(secret).toString('hex')
    const { id, row } = await write.only<CalendarRow>(
      `INSERT INTO calendars (${subject}, names, hash) VALUES (?, ?, decode(?, 'hex')) RETURNING ${CALENDAR_COLUMNS}`,
      [Number(input[subject]), input.names ?? null, hash],
    )
    await write.audit({ action: 'calendars.create', id, after: row })
    // If the gateway sent a hash, the gateway itself puts the secret into the URL.
    const url = `${write.baseUrl}/api/v1/calendars/${input.hash === undefined ? secret : 'unknown'}.ics`
    return write.reply(dataBodyText(calendarWithUrlJson('?')), 'calendars WHERE calendars.id = ?', [url, id])
  },

  async 'calendars.delete'(write, { id }) {
    await requireInTokenBuildings(write, 'calendars', [id], CALENDAR_NOT_FOUND)
    await requireOwnResources(
      write,
      'SELECT user_id AS owner FROM calendars WHERE id = ?',
      [id],
      CALENDAR_NOT_FOUND,
    )
    const remove = `DELETE FROM calendars WHERE id = ? RETURNING ${CALENDAR_COLUMNS}`
    const { row: before } = await write.requireRow<CalendarRow>(remove, [id], CALENDAR_NOT_FOUND)
    await write.audit({ action: 'calendars.delete', id, before })
    return null
  },
}

async function requireCalendarAllowed(write: Write, subject: CalendarSubject, id: number) {
  const { present, place, missing } = SUBJECT_QUERIES[subject]
  if (!place && write.buildingIds) {
    throw invalidFields({
      [subject]: [message`A token that is limited to buildings cannot access a person’s calendar.`],
    })
  }
  // Locks the user, bookable or location of the calendar, so that two writes cannot both add the last calendar within
  // the limit.
  const rows = await write.all(`SELECT FROM ${present} FOR NO KEY UPDATE`, [id])
  const within = place && rows.length > 0 ? await filterToTokenBuildings(write, place, [id]) : rows
  if (within.length === 0) throw invalidFields({ [subject]: [missing] })
  const count = `SELECT count(*)::int AS number FROM calendars WHERE ${subject} = ?`
  const { number } = await write.only<{ number: number }>(count, [id])
  if (number < CALENDARS_MAX) return
  throw invalidFields({
    [subject]: [message`${CALENDARS_MAX} calendar addresses already exist. Delete one first.`],
  })
}
