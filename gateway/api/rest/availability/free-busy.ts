// The API endpoint that lists the busy times of users: their bookings and events, merged and without details.
import type * as yup from 'yup'
import type { freeBusySchema, UserTimes } from '../../../../shared/bookings/availability.ts'
import { getOnlyRow } from '../../../../shared/database/database.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { isHiddenFromSql } from '../../../../shared/people/visibility.ts'
import {
  dataBodyText,
  flag,
  listJson,
  number,
  objectJson,
  optionalMemberJson,
  selectJson,
  timestamp,
} from '../../../../shared/schemas/json.ts'
import { busyTimesSql, MEETING_TIMES_SQL } from '../../../reads/people/busy-times.ts'
import type { Answer, Call } from '../../../server/http/call.ts'

const TAKEN_TIMES_SQL = busyTimesSql({
  user: 'asked.user_id',
  from: '$2',
  to: '$3',
  ofType: '$4::int[] IS NULL OR type = ANY ($4)',
  meetings: `(${MEETING_TIMES_SQL})`,
})

const userTimesJson = objectJson<UserTimes>({
  user_id: number('known.user_id'),
  hidden: optionalMemberJson('known.hidden', flag('true')),
  taken: selectJson(
    listJson(objectJson({ from: timestamp('lower(span)'), to: timestamp('upper(span)') }), 'lower(span)'),
    'FROM unnest(known.taken) AS span',
  ),
})

/** Lists the busy times of users, except users who hide from the person $5. */
export const takenTimesStatement = {
  name: 'find-free-busy',
  text: `
    WITH known AS MATERIALIZED (
      SELECT asked.*, users.id IS NOT NULL AS found, (
        SELECT coalesce(range_agg(claims.during * tstzrange($2, $3)), '{}') FROM (${TAKEN_TIMES_SQL}) AS claims WHERE NOT asked.hidden
      ) AS taken
      FROM (
        SELECT *, ${isHiddenFromSql('each.user_id', '$5::bigint')} AS hidden
        FROM unnest($1::bigint[]) WITH ORDINALITY AS each (user_id, ordinal)
      ) AS asked
      LEFT JOIN users ON users.id = asked.user_id AND users.deactivated_at IS NULL
    )
    SELECT ${dataBodyText(listJson(userTimesJson, 'known.ordinal'))} AS body,
      coalesce(array_agg(known.ordinal::int - 1 ORDER BY known.ordinal) FILTER (WHERE NOT known.found), '{}') AS unknown
    FROM known`,
}

type FreeBusyBody = yup.InferType<typeof freeBusySchema>

export async function answerFreeBusy(call: Call<unknown, unknown, FreeBusyBody>): Promise<Answer> {
  const { user_ids, from, to, booking_types } = call.body
  const values = [user_ids, from, to, booking_types ?? null, call.token.userId]
  const { rows } = await call.read(({ pool }) =>
    pool.query<{ body: string; unknown: number[] }>({ ...takenTimesStatement, values }),
  )
  const { body, unknown } = getOnlyRow(rows)
  if (unknown.length === 0) return { status: 200, body }
  const detail = [message`There is no active person with this id.`]
  throw invalidFields(Object.fromEntries(unknown.map((index) => [`user_ids.${index}`, detail])))
}
