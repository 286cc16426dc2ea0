// Times at which a place is closed, each with its reason. A nearer place does not override them: closing a
// building closes its floors.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { list, object, required, text } from '../schemas/fields.ts'
import { after } from '../schemas/inputs.ts'
import { dateTime } from '../schemas/times.ts'

/** The type of bookable that stays open when its building or location closes. */
export const HOME_OFFICE = 3
/** The type of which a person may have several a day. */
export const MEETING_ROOM = 2

export const CLOSED_MAX = 50

const closedSchema = object({
  from: required(dateTime()),
  to: required(dateTime()).test(...after('from')),
  reason: required(text({ max: 255, min: 1 })),
})
export type Closed = yup.InferType<typeof closedSchema>

export const closedTimes = () =>
  list(required(closedSchema), { max: CLOSED_MAX }).meta({
    description: 'The times when it is closed, with reasons. Places and bookables inside it are closed too.',
  })

const members = { from: answer.timestamp(), to: answer.timestamp(), reason: answer.text() }

export const closedAnswer = answer.list(yup.object(members).meta({ component: 'Closed' }))

export const closedHere = (source: yup.AnySchema) =>
  answer.list(yup.object({ ...members, source }).meta({ component: 'ClosedHere' }))
