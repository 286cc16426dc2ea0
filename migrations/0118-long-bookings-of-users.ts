// Index that finds the few bookings of a user that last longer than a day. The index of starts does not find them for a single day.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'bookings__long_user_lookup',
  `bookings (user_id) WHERE user_id IS NOT NULL
     AND (upper_inf(during) OR upper(during) - lower(during) > interval '24 hours')`,
)
