// Finds the bookings of a series. Most bookings have no series, and are not in the index.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'bookings__series_lookup',
  'bookings (series_id, lower(during)) WHERE series_id IS NOT NULL',
)
