// Query filters that several listings share: by bookable and by user.
import { BOOKABLE_TYPES } from '../bookables/bookables.ts'
import { oneNumberSchema } from '../schemas/answers.ts'
import { integer, list, queryId, queryNumber, required, text } from '../schemas/fields.ts'

const TAGS_MAX = 100

export const bookableFilters = {
  type: queryNumber(integer({ min: 0, max: 3 })).meta({
    openapi: oneNumberSchema(BOOKABLE_TYPES),
    description: '0 = desk, 1 = parking spot, 2 = meeting room, 3 = home office',
  }),
  tag: list(required(text({ max: 255, min: 1 })), { max: TAGS_MAX, isDistinct: true })
    .transform((value: unknown) => (typeof value === 'string' ? [value] : value))
    .meta({ description: 'Only bookables with this tag. Repeat the parameter to require several tags.' }),
}

export const bookingFilters = {
  user_id: queryId().meta({ description: 'Only bookings of this user.' }),
  group_id: queryId().meta({ description: 'Only bookings of members of this group.' }),
  ...bookableFilters,
}

export type BookingFilters = {
  user_id?: number | undefined
  group_id?: number | undefined
  type?: number | undefined
  tag?: string[] | undefined
}
