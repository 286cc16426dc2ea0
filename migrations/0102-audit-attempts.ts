// Adds an index for finding everything that one attempt did: to undo the changes, to show them, and to mail the people
// whom they affect.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'audit_log__attempt_lookup',
  'audit_log (attempt) WHERE attempt IS NOT NULL',
)
