// The bookings and events that would be affected if an administrator blocked or closed something, as the API lists
// them.
import * as yup from 'yup'
import { bookableInBuildingSchema } from '../bookables/bookables.ts'
import * as answer from '../schemas/answers.ts'
import { object } from '../schemas/fields.ts'
import { isAfterField } from '../schemas/inputs.ts'
import { queryDateTime } from '../schemas/times.ts'
import { userSchema } from '../users/users.ts'

/** The period in which something would be unavailable. Bookings that are already over are not affected. */
export const affectedBookingsQuery = object({
  from: queryDateTime().meta({
    description: 'The start of the time range. Defaults to now; a time in the past counts as now.',
  }),
  to: queryDateTime()
    .test(...isAfterField('from'))
    .meta({ description: 'The end of the time range. Open-ended if omitted.' }),
})

export const affectedClaimSchema = yup
  .object({
    type: answer.oneOf(['booking', 'event'], 'Of an event: one of its rooms.'),
    id: answer.id('Id of the booking or event.'),
    from: answer.timestamp(),
    to: answer.timestamp('null means open-ended.').nullable(),
    bookable: bookableInBuildingSchema,
    user: userSchema.meta({ description: 'The owner of the booking, or the organizer of the event.' }),
  })
  .meta({ component: 'ClaimInTheWay' })
