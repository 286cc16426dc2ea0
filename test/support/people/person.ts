// Signs a person in to their own pages with a link.
import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { Browser } from '../dashboard/dashboard.ts'

/** Creates a sign-in link like the one in a mail. */
export async function createSignInLink(database: Knex, userId: number): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const hash = createHash('sha256').update(secret).digest()
  const expires_at = database.raw("now() + interval '15 minutes'")
  await database('sign_in_links').insert({ hash, user_id: userId, expires_at })
  return `/my/sign-in/link?token=${secret}`
}

export async function signInAs(world: { url: string; database: Knex }, userId: number): Promise<Browser> {
  const browser = new Browser(world.url)
  await browser.open(await createSignInLink(world.database, userId))
  await browser.submit('Sign in')
  expect(browser.page.path, 'signed in').to.equal('/my')
  return browser
}
