// Adds an index for finding the few bookings of a user that last longer than a day, which a search for a single day
// cannot find by their start.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'bookings__long_user_lookup',
  `bookings (user_id) WHERE user_id IS NOT NULL
     AND (upper_inf(during) OR upper(during) - lower(during) > interval '24 hours')`,
)
