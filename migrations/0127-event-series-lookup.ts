// Adds an index for finding the events of a series. It leaves out events without a series, which are most of them.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'events__series_lookup',
  'events (series_id, lower(during)) WHERE series_id IS NOT NULL',
)
