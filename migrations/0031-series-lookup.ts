// The bookings of a series. Most bookings are of none, and are not in it.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'bookings__series_lookup',
  'bookings (series_id, lower(during)) WHERE series_id IS NOT NULL',
)
