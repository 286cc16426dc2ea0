// Every page of the dashboard with an address that shows something: tests that go through all of them take these.
import type { Knex } from 'knex'
import { endpoints } from '../../gateway/app.ts'
import type { Page } from '../../gateway/dashboard/page.ts'
import { apiPage } from '../../gateway/dashboard/pages/api.ts'
import { pages } from '../../gateway/dashboard/pages.ts'
import { onlyRow } from '../../shared/database.ts'
import { createToken } from '../../shared/tokens.ts'
import { createBooking, createEvent, createUser, hoursFromNow } from './factories.ts'

export type Example = { page: Page; path: string }

/** For each path with parameters: makes what it shows, and returns the path with its id. */
const EXAMPLES: Record<string, (database: Knex) => Promise<string>> = {
  '/settings/tokens/{id}/revoke': async (database) => {
    const { id } = await createToken(database, { name: 'Reception', abilities: ['read'], createdBy: 'test' })
    return `/settings/tokens/${id}/revoke`
  },
  '/bookings/{id}': async (database) => `/bookings/${await exampleBooking(database)}`,
  '/bookings/{id}/cancel': async (database) => `/bookings/${await exampleBooking(database)}/cancel`,
  '/audit-log/{id}': async (database) => `/audit-log/${await exampleEntry(database)}`,
  '/events/{id}': async (database) => `/events/${await exampleEvent(database)}`,
  '/events/{id}/change': async (database) => `/events/${await exampleEvent(database)}/change?place=a`,
  '/events/{id}/cancel': async (database) => `/events/${await exampleEvent(database)}/cancel`,
}

const exampleBooking = (database: Knex) =>
  createBooking(database, { from: hoursFromNow(-2), to: hoursFromNow(4), guest_name: 'Grace' })

const exampleEntry = async (database: Knex) => {
  const change = { before: { name: 'Old', tags: ['a'] }, after: { name: 'New', tags: ['a'] } }
  const entry = {
    actor_type: 'admin',
    actor_name: 'a@example.com',
    action: 'x.y',
    resource: 'x',
    request_id: 'r',
  }
  return onlyRow(
    await database('audit_log')
      .insert({ ...entry, ...change })
      .returning<{ id: number }[]>('id'),
  ).id
}

const exampleEvent = async (database: Knex) => {
  const times = { from: hoursFromNow(1), to: hoursFromNow(2) }
  const event_id = await createEvent(database, { ...times, description: 'What we know' })
  await createBooking(database, { ...times, event_id })
  await database('event_attendees').insert({ event_id, user_id: await createUser(database), status: 2 })
  return event_id
}

export async function everyPage(database: Knex): Promise<Example[]> {
  const examples: Example[] = []
  for (const page of [...pages, apiPage(endpoints)]) {
    const make = EXAMPLES[page.path]
    if (!make && page.path.includes('{'))
      throw new Error(`test/support/every-page.ts has no example of ${page.path}`)
    const path = make ? await make(database) : page.path
    examples.push({ page, path: `/dashboard${path === '/' ? '' : path}` })
  }
  return examples
}
