// Adds an index for finding claims to release, the earliest first. It contains only claims that wait for check-in.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'bookings__check_in_lookup',
  `bookings (check_in_until)
    WHERE check_in_until IS NOT NULL AND checked_in_at IS NULL AND released_at IS NULL`,
)
