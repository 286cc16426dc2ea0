// Adds an index for finding visitors without an id. It is empty once upkeep has run.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'event_attendees__without_id_lookup',
  'event_attendees (id) WHERE user_id IS NULL AND visitor_id IS NULL',
)
