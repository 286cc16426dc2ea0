// One mail holds all that one attempt changed for a person, until a worker begins to send it. Replaces
// mails__request_once, which the release before still needs.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'mails__attempt_once',
  'mails (user_id, kind, change_attempt) WHERE change_attempt IS NOT NULL AND attempts = 0',
  { unique: true },
)
