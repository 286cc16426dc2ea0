// Adds an index for listing and resending undelivered deliveries without reading the others.
import { addIndex } from './steps/beside-writers.ts'

export const { config, up, down } = addIndex(
  'webhook_deliveries__undelivered_lookup',
  'webhook_deliveries (webhook_id, id) WHERE delivered_at IS NULL',
)
