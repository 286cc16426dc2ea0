// Every page of the dashboard with an address that shows something: tests that go through all of them take these.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { endpoints } from '../../../gateway/app.ts'
import { apiPage } from '../../../gateway/dashboard/api/api.ts'
import type { Page } from '../../../gateway/dashboard/kit/page.ts'
import { pages } from '../../../gateway/dashboard/pages.ts'
import { createToken } from '../../../shared/tokens/token-store.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { updateDailyFigures } from '../../../workers/pollers/figures/update-daily-figures.ts'
import { createBookable, createBooking, createUser } from '../factories.ts'
import { BOOKING_EXAMPLES } from './booking-examples.ts'
import { PEOPLE_EXAMPLES } from './people-examples.ts'
import { PLACE_EXAMPLES } from './place-examples.ts'
import { WEBHOOK_EXAMPLES } from './webhook-examples.ts'

export type Example = { page: Page; path: string }

/** For each path with parameters: makes what it shows, and returns the path with its id. */
const EXAMPLES: Record<string, (database: Knex) => Promise<string>> = {
  ...PLACE_EXAMPLES,
  ...PEOPLE_EXAMPLES,
  '/integrations/tokens/{id}/revoke': async (database) => {
    const { id } = await createToken(database, { name: 'Reception', abilities: ['read'], createdBy: 'test' })
    return `/integrations/tokens/${id}/revoke`
  },
  '/integrations/tokens/{id}/rotate': async (database) => {
    const { id } = await createToken(database, { name: 'Reception', abilities: ['read'], createdBy: 'test' })
    return `/integrations/tokens/${id}/rotate`
  },
  '/integrations/tokens/{id}/requests': async (database) => {
    const { id } = await createToken(database, { name: 'Reception', abilities: ['read'], createdBy: 'test' })
    return `/integrations/tokens/${id}/requests`
  },
  '/settings/administrators/{id}': async (database) => {
    const email = `colleague-${randomUUID()}@example.com`
    const rows = await database('admins').insert({ email, password_hash: '', role: 'reader' }, 'id')
    return `/settings/administrators/${rows[0].id}`
  },
  ...WEBHOOK_EXAMPLES,
  '/calendars/{id}/revoke': async (database) => {
    const user_id = await createUser(database, { name: 'Ada Lovelace' })
    const rows = await database('calendars').insert({ user_id, hash: Buffer.from(randomUUID()) }, 'id')
    return `/calendars/${rows[0].id}/revoke`
  },
  ...BOOKING_EXAMPLES,
  // With the figures of what there is, as upkeep makes them.
  '/reports': async (database) => {
    const weekAgo = (hours: number) => new Date(Date.now() - (7 * 24 - hours) * 3_600_000).toISOString()
    const bookable_id = await createBookable(database, { created_at: weekAgo(-400) })
    await createBooking(database, { bookable_id, from: weekAgo(0), to: weekAgo(8) })
    await updateDailyFigures(database, createLog('test', 'silent'))
    return '/reports'
  },
}

export async function everyPage(database: Knex): Promise<Example[]> {
  const examples: Example[] = []
  for (const page of [...pages, apiPage(endpoints)]) {
    const make = EXAMPLES[page.path]
    if (!make && page.path.includes('{'))
      throw new Error(`test/support/dashboard/every-page.ts has no example of ${page.path}`)
    const path = make ? await make(database) : page.path
    examples.push({ page, path: `/dashboard${path === '/' ? '' : path}` })
  }
  return examples
}
