// Adds a unique index, so that everything that one attempt changes for a person becomes one mail, until a worker begins
// to send that mail. The index replaces mails__request_once, which the previous release still needs.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'mails__attempt_once',
  'mails (user_id, kind, change_attempt) WHERE change_attempt IS NOT NULL AND attempts = 0',
  { unique: true },
)
