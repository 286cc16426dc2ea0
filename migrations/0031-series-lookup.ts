// Adds an index for finding the bookings of a series. It leaves out bookings without a series, which are most of them.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'bookings__series_lookup',
  'bookings (series_id, lower(during)) WHERE series_id IS NOT NULL',
)
