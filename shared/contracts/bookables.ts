// Bookables: their types and states, and what the API says of them.
import * as yup from 'yup'
import { idAnswer, integerAnswer, textAnswer } from './answers.ts'
import { locationSchema } from './locations.ts'

export const BOOKABLE_TYPES = { desk: 0, parkingSpot: 1, meetingRoom: 2, homeOffice: 3 } as const
export const BOOKABLE_STATUSES = { flexible: 0, blocked: 1, assigned: 2 } as const

const summary = {
  id: idAnswer(),
  name: textAnswer(),
  type: integerAnswer(Object.values(BOOKABLE_TYPES)),
  status: integerAnswer(Object.values(BOOKABLE_STATUSES)),
}

export const locatedBookableSchema = yup
  .object({ ...summary, location: locationSchema })
  .meta({ component: 'LocatedBookable' })
