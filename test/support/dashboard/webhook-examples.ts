// Creates a webhook for the pages that show one: it has failed, is switched off, and has all optional details.
import type { Knex } from 'knex'

export async function createWebhook(database: Knex, fields: Record<string, unknown> = {}): Promise<number> {
  const row = {
    url: 'https://hooks.example.net/berth',
    description: 'Lobby display',
    types: ['booking.*', 'event.created'],
    secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    base_url: 'http://localhost:3000',
    ...fields,
  }
  const [{ id }] = await database('webhooks').insert(row).returning('id')
  return id
}

export async function createDelivery(
  database: Knex,
  webhookId: number,
  fields: Record<string, unknown> = {},
): Promise<number> {
  const row = {
    webhook_id: webhookId,
    type: 'booking.created',
    change_horizon: 1,
    change_sequence: 1,
    change_at: new Date(),
    ...fields,
  }
  const [{ id }] = await database('webhook_deliveries').insert(row).returning('id')
  return id
}

const FAILED_DELIVERY = { attempts: 9, next_at: null, status: 500, answer: '<h1>Not now</h1>', took_ms: 12 }
const DISABLED_WEBHOOK = { enabled: false, disabled_reason: 'No delivery succeeded for five days.' }

export const WEBHOOK_EXAMPLES: Record<string, (database: Knex) => Promise<string>> = {
  '/integrations/webhooks/{id}': async (database) => {
    const id = await createWebhook(database)
    await createDelivery(database, id, FAILED_DELIVERY)
    await createDelivery(database, id, {
      attempts: 1,
      status: 200,
      took_ms: 8,
      next_at: null,
      delivered_at: new Date(),
    })
    await createDelivery(database, id, { attempts: 2, error: 'socket hang up', took_ms: 3 })
    return `/integrations/webhooks/${id}`
  },
  '/integrations/webhooks/{id}/delete': async (database) =>
    `/integrations/webhooks/${await createWebhook(database, DISABLED_WEBHOOK)}/delete`,
  '/integrations/webhooks/{id}/deliveries/{delivery_id}': async (database) => {
    const id = await createWebhook(database)
    return `/integrations/webhooks/${id}/deliveries/${await createDelivery(database, id, FAILED_DELIVERY)}`
  },
}
