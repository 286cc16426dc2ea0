// Every page of the dashboard with an address that shows something: tests that go through all of them take these.
import type { Knex } from 'knex'
import type { Page } from '../../gateway/dashboard/page.ts'
import { pages } from '../../gateway/dashboard/pages.ts'
import { createToken } from '../../shared/tokens.ts'
import { PEOPLE_EXAMPLES } from './people-examples.ts'

export type Example = { page: Page; path: string }

/** For each path with parameters: makes what it shows, and returns the path with its id. */
const EXAMPLES: Record<string, (database: Knex) => Promise<string>> = {
  ...PEOPLE_EXAMPLES,
  '/settings/tokens/{id}/revoke': async (database) => {
    const { id } = await createToken(database, { name: 'Reception', abilities: ['read'], createdBy: 'test' })
    return `/settings/tokens/${id}/revoke`
  },
}

export async function everyPage(database: Knex): Promise<Example[]> {
  const examples: Example[] = []
  for (const page of pages) {
    const make = EXAMPLES[page.path]
    if (!make && page.path.includes('{'))
      throw new Error(`test/support/every-page.ts has no example of ${page.path}`)
    const path = make ? await make(database) : page.path
    examples.push({ page, path: `/dashboard${path === '/' ? '' : path}` })
  }
  return examples
}
