// Adds an index for finding the audit log entries of a user's bookings, which the user's history shows.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'audit_log__user_lookup',
  `audit_log ((coalesce(after, before) ->> 'user_id'), at, id) WHERE resource = 'bookings'`,
)
