// Finds bookings that moved away from a bookable, for its history. Present ones are found by bookable.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'audit_log__moved_lookup',
  `audit_log ((before ->> 'bookable_id'), at, id) WHERE before ->> 'bookable_id' <> after ->> 'bookable_id'`,
)
