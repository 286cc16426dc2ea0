// Lists the busy times of users: their bookings and events, merged and without details.
import type * as yup from 'yup'
import { claimsBetween } from '../../../../shared/affected-bookings/claims.ts'
import type { freeBusySchema, UserTimes } from '../../../../shared/bookings/availability.ts'
import { onlyRow } from '../../../../shared/database/database.ts'
import { ATTENDEE_STATUSES, EVENT_STATUSES } from '../../../../shared/events/events.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import { isHiddenFrom } from '../../../../shared/people/visibility.ts'
import {
  dataText,
  flag,
  listJson,
  memberWhere,
  number,
  objectJson,
  selectJson,
  timestamp,
} from '../../../../shared/schemas/json.ts'
import type { Answer, Call } from '../../../server/http/call.ts'

// A booking for a guest does not take the time of the user who made it.
const IS_OWN =
  'bookings.user_id = asked.user_id AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL'

const IS_HELD = `events.status = ${EVENT_STATUSES.confirmed} AND events.during && tstzrange($2, $3)`

const TAKEN = `
  SELECT bookings.during FROM (${claimsBetween('$2', '$3', IS_OWN).join(' UNION ALL ')}) AS bookings
  WHERE $4::int[] IS NULL OR (SELECT type FROM bookables WHERE bookables.id = bookings.bookable_id) = ANY ($4)
  UNION ALL
  SELECT events.during FROM events WHERE events.organizer_user_id = asked.user_id AND ${IS_HELD}
  UNION ALL
  SELECT events.during FROM event_attendees JOIN events ON events.id = event_attendees.event_id
  WHERE event_attendees.user_id = asked.user_id AND event_attendees.status <> ${ATTENDEE_STATUSES.declined} AND ${IS_HELD}`

const userTimes = objectJson<UserTimes>({
  user_id: number('known.user_id'),
  hidden: memberWhere('known.hidden', flag('true')),
  taken: selectJson(
    listJson(objectJson({ from: timestamp('lower(span)'), to: timestamp('upper(span)') }), 'lower(span)'),
    'FROM unnest(known.taken) AS span',
  ),
})

/** Does not show the times of users who hide from the person $5. */
export const takenTimesOfUsers = {
  name: 'find-free-busy',
  text: `
    WITH known AS MATERIALIZED (
      SELECT asked.*, users.id IS NOT NULL AS found, (
        SELECT coalesce(range_agg(claims.during * tstzrange($2, $3)), '{}') FROM (${TAKEN}) AS claims WHERE NOT asked.hidden
      ) AS taken
      FROM (
        SELECT *, ${isHiddenFrom('each.user_id', '$5::bigint')} AS hidden
        FROM unnest($1::bigint[]) WITH ORDINALITY AS each (user_id, ordinal)
      ) AS asked
      LEFT JOIN users ON users.id = asked.user_id AND users.deactivated_at IS NULL
    )
    SELECT ${dataText(listJson(userTimes, 'known.ordinal'))} AS body,
      coalesce(array_agg(known.ordinal::int - 1 ORDER BY known.ordinal) FILTER (WHERE NOT known.found), '{}') AS unknown
    FROM known`,
}

type Body = yup.InferType<typeof freeBusySchema>

export async function answerFreeBusy(call: Call<unknown, unknown, Body>): Promise<Answer> {
  const { user_ids, from, to, booking_types } = call.body
  const values = [user_ids, from, to, booking_types ?? null, call.token.userId]
  const { rows } = await call.read(({ pool }) =>
    pool.query<{ body: string; unknown: number[] }>({ ...takenTimesOfUsers, values }),
  )
  const { body, unknown } = onlyRow(rows)
  if (unknown.length === 0) return { status: 200, body }
  const detail = [message`There is no active person with this id.`]
  throw invalid(Object.fromEntries(unknown.map((index) => [`user_ids.${index}`, detail])))
}
