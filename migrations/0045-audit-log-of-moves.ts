// Adds an index for finding bookings that moved away from a bookable, which the bookable's history shows. Another index
// finds its current bookings.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'audit_log__moved_lookup',
  `audit_log ((before ->> 'bookable_id'), at, id) WHERE before ->> 'bookable_id' <> after ->> 'bookable_id'`,
)
