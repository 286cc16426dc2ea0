// Index that finds everything that one attempt did: to undo it, to show it, and to mail the people whom it affects.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'audit_log__attempt_lookup',
  'audit_log (attempt) WHERE attempt IS NOT NULL',
)
