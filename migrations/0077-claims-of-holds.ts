// Finds the claim of a hold, which has at most one.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'bookings__hold_once',
  'bookings (hold_id) WHERE hold_id IS NOT NULL',
  { unique: true },
)
