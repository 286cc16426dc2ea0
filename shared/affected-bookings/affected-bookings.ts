// The bookings and events that are in the way of blocking or closing something, as the API lists them.
import * as yup from 'yup'
import { bookableInBuildingSchema } from '../bookables/bookables.ts'
import { idAnswer, textAnswer, timestampAnswer } from '../schemas/answers.ts'
import { after } from '../schemas/comparisons.ts'
import { object } from '../schemas/fields.ts'
import { queryDateTime } from '../schemas/times.ts'
import { userSchema } from '../users/users.ts'

/** The time for which something would be unavailable; the past is in no one's way. */
export const inTheWayQuery = object({
  from: queryDateTime().meta({ description: 'From when on. Now if absent or in the past.' }),
  to: queryDateTime()
    .test(...after('from'))
    .meta({ description: 'Until when; permanently if absent.' }),
})

export const claimInTheWaySchema = yup
  .object({
    type: textAnswer({ enum: ['booking', 'event'] }).meta({ description: 'Of an event: one of its rooms.' }),
    id: idAnswer().meta({ description: 'Id of the booking or event.' }),
    from: timestampAnswer(),
    to: timestampAnswer().nullable().meta({ description: 'null means open-ended.' }),
    bookable: bookableInBuildingSchema,
    user: userSchema.meta({ description: 'Whose booking it is; of an event, the organizer.' }),
  })
  .meta({ component: 'ClaimInTheWay' })
