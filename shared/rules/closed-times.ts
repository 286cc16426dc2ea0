// Defines the times at which a place is closed, each with a reason. Closing a place also closes the places inside it:
// closing a building closes its floors.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { invalidFields } from '../messages/refusal.ts'
import * as answer from '../schemas/answers.ts'
import { list, object, required, text } from '../schemas/fields.ts'
import { isAfterField } from '../schemas/inputs.ts'
import { dateTime } from '../schemas/times.ts'

/** The type of bookable that stays open when its building or location closes. */
export const HOME_OFFICE_TYPE = 3
/** The type of bookable for which a person may have several bookings a day. */
export const MEETING_ROOM_TYPE = 2

export const CLOSED_TIMES_MAX = 50

const closedSchema = object({
  from: required(dateTime()),
  to: required(dateTime()).test(...isAfterField('from')),
  reason: required(text({ max: 255, min: 1 })),
})
export type ClosedTimes = yup.InferType<typeof closedSchema>

export const closedTimesInput = () =>
  list(required(closedSchema), { max: CLOSED_TIMES_MAX }).meta({
    description: 'The times when it is closed, with reasons. Places and bookables inside it are closed too.',
  })

/** Refuses more closed times than a place can have. */
export function refuseTooManyClosedTimes(place: string, { length }: ClosedTimes[]): void {
  if (length <= CLOSED_TIMES_MAX) return
  throw invalidFields({
    closed: [
      message`${place} would have ${length} closed times, but at most ${CLOSED_TIMES_MAX} are allowed. Delete past closed times first.`,
    ],
  })
}

const closedMembers = { from: answer.timestamp(), to: answer.timestamp(), reason: answer.text() }

export const closedAnswer = answer.list(yup.object(closedMembers).meta({ component: 'Closed' }))

export const closedAtPlaceAnswer = (source: yup.AnySchema) =>
  answer.list(yup.object({ ...closedMembers, source }).meta({ component: 'ClosedHere' }))
