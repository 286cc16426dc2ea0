// Deliveries that did not succeed, found without reading those that did: they are sent again, and listed alone.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'webhook_deliveries__undelivered_lookup',
  'webhook_deliveries (webhook_id, id) WHERE delivered_at IS NULL',
)
