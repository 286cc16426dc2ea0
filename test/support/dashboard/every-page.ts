// Lists every page of the dashboard with an example URL, for tests that visit all pages.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { endpoints } from '../../../gateway/app.ts'
import { apiPage } from '../../../gateway/web/admin/api/api.ts'
import { pages } from '../../../gateway/web/admin/pages.ts'
import type { Page } from '../../../gateway/web/pages/page/page.ts'
import { createToken } from '../../../shared/tokens/token-store.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { updateDailyFigures } from '../../../workers/pollers/figures/update-daily-figures.ts'
import { createBookable, createBooking, createUser } from '../factories.ts'
import { openQueueOf } from '../faults/pipeline.ts'
import type { World } from '../world.ts'
import { BOOKING_EXAMPLES } from './booking-examples.ts'
import { PEOPLE_EXAMPLES } from './people-examples.ts'
import { PLACE_EXAMPLES } from './place-examples.ts'
import { ROOM_CALENDAR_EXAMPLES } from './room-calendar-examples.ts'
import { WEBHOOK_EXAMPLES } from './webhook-examples.ts'

export type Example = { page: Page; path: string }

/**
 * For each path with parameters, creates an example and returns its path, or several paths if the page differs by
 * state.
 */
const EXAMPLES_BY_PATH: Record<
  string,
  (database: Knex, world: Pick<World, 'config'>) => Promise<string | string[]>
> = {
  ...PLACE_EXAMPLES,
  ...PEOPLE_EXAMPLES,
  '/integrations/tokens/{id}/revoke': async (database) => {
    const { id } = await createToken(database, {
      name: 'Reception',
      abilities: ['read'],
      createdBy: 'test',
    })
    return `/integrations/tokens/${id}/revoke`
  },
  '/integrations/tokens/{id}/rotate': async (database) => {
    const { id } = await createToken(database, {
      name: 'Reception',
      abilities: ['read'],
      createdBy: 'test',
    })
    return `/integrations/tokens/${id}/rotate`
  },
  '/integrations/tokens/{id}/requests': async (database) => {
    const { id } = await createToken(database, {
      name: 'Reception',
      abilities: ['read'],
      createdBy: 'test',
    })
    return `/integrations/tokens/${id}/requests`
  },
  '/settings/administrators/{id}': async (database) => {
    const email = `colleague-${randomUUID()}@example.com`
    const rows = await database('admins').insert({ email, password_hash: '', role: 'reader' }, 'id')
    return `/settings/administrators/${rows[0].id}`
  },
  ...WEBHOOK_EXAMPLES,
  ...ROOM_CALENDAR_EXAMPLES,
  '/calendars/{id}/revoke': async (database) => {
    const user_id = await createUser(database, { name: 'Ada Lovelace' })
    const rows = await database('calendars').insert({ user_id, hash: Buffer.from(randomUUID()) }, 'id')
    return `/calendars/${rows[0].id}/revoke`
  },
  ...BOOKING_EXAMPLES,
  '/queues/{queue}': async () => '/queues/exports',
  '/queues/{queue}/pause': async () => '/queues/exports/pause',
  '/queues/{queue}/retry-failed': async () => '/queues/exports/retry-failed',
  '/queues/{queue}/remove-failed': async () => '/queues/exports/remove-failed',
  '/queues/{queue}/jobs/{job}': async (_database, world) => `/queues/exports/jobs/${await addJob(world)}`,
  '/queues/{queue}/jobs/{job}/remove': async (_database, world) =>
    `/queues/exports/jobs/${await addJob(world)}/remove`,
  // Computes the figures of the existing data first, as upkeep would.
  '/reports': async (database) => {
    const weekAgo = (hours: number) => new Date(Date.now() - (7 * 24 - hours) * 3_600_000).toISOString()
    const bookable_id = await createBookable(database, { created_at: weekAgo(-400) })
    await createBooking(database, { bookable_id, from: weekAgo(0), to: weekAgo(8) })
    await updateDailyFigures(database, createLog('test', 'silent'))
    return '/reports'
  },
}

async function addJob(world: Pick<World, 'config'>): Promise<string> {
  const { queue, close } = openQueueOf(world, 'exports')
  const jobId = randomUUID()
  await queue.add('users.export', { requestId: 'request-1' }, { jobId })
  await close()
  return jobId
}

/** Returns examples of the wanted pages, or of all pages by default. */
export async function listEveryPage(
  world: Pick<World, 'config' | 'database'>,
  isWanted: (page: Page) => boolean = () => true,
): Promise<Example[]> {
  const examples: Example[] = []
  for (const page of [...pages, apiPage(endpoints)].filter(isWanted)) {
    const make = EXAMPLES_BY_PATH[page.path]
    if (!make && page.path.includes('{'))
      throw new Error(`test/support/dashboard/every-page.ts has no example of ${page.path}`)
    const made = make ? await make(world.database, world) : page.path
    for (const path of [made].flat()) examples.push({ page, path: `/dashboard${path === '/' ? '' : path}` })
  }
  return examples
}
