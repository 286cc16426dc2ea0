// Calendars at secret addresses: created and revoked. Their hashes do not reach the audit log.
import { audit } from '../../../shared/audit/audit.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import { CALENDAR_SUBJECTS, CALENDARS_MAX } from '../../../shared/tokens/calendars.ts'
import { calendarWithUrlJson } from '../../../shared/tokens/calendars-shape.ts'
import { generateToken, hashToken } from '../../../shared/tokens/token-store.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { finishReply } from '../../runtime/finished-reply.ts'
import { onlyWithin, requireWithin } from '../kit/building-limits.ts'

type Subject = (typeof CALENDAR_SUBJECTS)[number]
type CalendarRow = { id: number; row: unknown }

const ROW = "calendars.id, to_jsonb(calendars) - 'hash' AS row"

/** Locks the calendar's subject, so that two writes cannot both add the last allowed address. */
const LOCK: Record<Subject, string> = {
  user_id: 'SELECT FROM users WHERE id = ? AND deactivated_at IS NULL AND NOT is_anonymous FOR NO KEY UPDATE',
  bookable_id: 'SELECT FROM bookables WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE',
  location_id: 'SELECT FROM locations WHERE id = ? FOR NO KEY UPDATE',
}
const MISSING: Record<Subject, Message> = {
  user_id: message`There is no active user with this id.`,
  bookable_id: message`There is no bookable with this id.`,
  location_id: message`There is no location with this id.`,
}

const PLACES = { bookable_id: 'bookables', location_id: 'locations' } as const
const NO_CALENDAR = message`There is no calendar with this id.`

export async function createCalendar(
  trx: Transaction,
  input: InputOf<'calendars.create'>,
  context: WorkContext,
): Promise<JsonText<ReplyOf<'calendars.create'>>> {
  const subject = CALENDAR_SUBJECTS.find((name) => input[name] !== undefined) ?? 'user_id'
  await requireCalendarAllowed(trx, subject, Number(input[subject]), context)
  const secret = generateToken('calendar')
  const hash = input.hash ?? hashToken(secret).toString('hex')
  const { rows } = await trx.raw(
    `INSERT INTO calendars (${subject}, hash) VALUES (?, decode(?, 'hex')) RETURNING ${ROW}`,
    [Number(input[subject]), hash],
  )
  const { id, row } = onlyRow<CalendarRow>(rows)
  await audit(trx, context, { action: 'calendars.create', resource: 'calendars', resourceId: id, after: row })
  const statement = (text: string) => `SELECT ${text} FROM calendars WHERE calendars.id = ?`
  // A gateway that sent a hash fills in the secret itself.
  const url = `${context.baseUrl}/api/v1/calendars/${input.hash === undefined ? secret : 'unknown'}.ics`
  return (await finishReply(trx, dataText(calendarWithUrlJson('?')), statement, [url, id])).text
}

async function requireCalendarAllowed(
  trx: Transaction,
  subject: Subject,
  id: number,
  context: WorkContext,
): Promise<void> {
  // A user's calendar shows all buildings.
  if (subject === 'user_id' && context.buildingIds) {
    throw invalid({
      user_id: [message`A token that is limited to buildings cannot have the calendar of a user.`],
    })
  }
  const { rows } = await trx.raw(LOCK[subject], [id])
  const within =
    subject === 'user_id'
      ? [id]
      : await onlyWithin(trx, context, PLACES[subject], rows.length > 0 ? [id] : [])
  if (rows.length === 0 || within.length === 0) throw invalid({ [subject]: [MISSING[subject]] })
  const present = await trx.raw(`SELECT count(*)::int AS number FROM calendars WHERE ${subject} = ?`, [id])
  if (onlyRow<{ number: number }>(present.rows).number < CALENDARS_MAX) return
  throw invalid({
    [subject]: [message`It has ${CALENDARS_MAX} calendar addresses already. Delete one first.`],
  })
}

export async function deleteCalendar(
  trx: Transaction,
  { id }: InputOf<'calendars.delete'>,
  context: WorkContext,
): Promise<null> {
  await requireWithin(trx, context, 'calendars', id, NO_CALENDAR)
  const { rows } = await trx.raw(`DELETE FROM calendars WHERE id = ? RETURNING ${ROW}`, [id])
  const [found] = rows as CalendarRow[]
  if (!found) throw new Refusal('not_found', NO_CALENDAR)
  const entry = { resource: 'calendars', resourceId: id, before: found.row } as const
  await audit(trx, context, { action: 'calendars.delete', ...entry })
  return null
}
