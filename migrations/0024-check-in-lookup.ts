// What is to be released, the earliest first: only claims that ask for check-in are in this index, until they have it.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'bookings__check_in_lookup',
  `bookings (check_in_until)
    WHERE check_in_until IS NOT NULL AND checked_in_at IS NULL AND released_at IS NULL`,
)
