// Adds an index for finding the audit log entries of a bookable's bookings, which the bookable's history shows.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'audit_log__bookable_lookup',
  `audit_log ((coalesce(after, before) ->> 'bookable_id'), at, id) WHERE resource = 'bookings'`,
)
